package io.github.distlock.backend.redlock;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.StoreCalls;
import org.jspecify.annotations.Nullable;

/**
 * What the nodes have answered to one question so far, by the number of the node. The
 * verdict is found as soon as the answers allow it: nobody waits for a node whose answer
 * changes nothing.
 *
 * @param <T> one node's answer
 */
final class VoteCollector<T> {

	/** Guards {@link #answers}; verdicts are found under it, so they must be quick. */
	private final ReentrantLock lock = new ReentrantLock();

	/** An answer, a failure, or nothing yet. */
	private final @Nullable Object[] answers;

	private int outstanding;

	private VoteCollector(int nodes) {
		this.answers = new Object[nodes];
		this.outstanding = nodes;
	}

	/**
	 * Wait for answers until they allow a verdict.
	 * @param questions what each node was asked
	 * @param verdict what follows from them
	 */
	static <T, R> CompletableFuture<R> judge(List<? extends CompletionStage<T>> questions, Verdict<T, R> verdict) {
		VoteCollector<T> answers = new VoteCollector<>(questions.size());
		CompletableFuture<R> result = new CompletableFuture<>();
		for (int i = 0; i < questions.size(); i++) {
			int node = i;
			questions.get(i)
				.whenComplete((answer, failure) -> answers.add(node, (failure != null) ? asFailure(failure) : answer,
						verdict, result));
		}
		return result;
	}

	private <R> void add(int node, Object answer, Verdict<T, R> verdict, CompletableFuture<R> result) {
		@Nullable R decided;
		this.lock.lock();
		try {
			this.answers[node] = answer;
			this.outstanding--;
			if (result.isDone()) {
				return;
			}
			decided = verdict.of(this);
		}
		catch (Throwable ex) {
			result.completeExceptionally(ex);
			return;
		}
		finally {
			this.lock.unlock();
		}
		if (decided != null) {
			result.complete(decided);
		}
	}

	static LockBackendException asFailure(Throwable failure) {
		Throwable cause = StoreCalls.unwrap(failure);
		return (cause instanceof LockBackendException known) ? known
				: new LockBackendException("A node failed in an unexpected way: " + cause, cause);
	}

	int nodes() {
		return this.answers.length;
	}

	int outstanding() {
		return this.outstanding;
	}

	@SuppressWarnings("unchecked")
	@Nullable T of(int node) {
		Object answer = this.answers[node];
		return (answer instanceof LockBackendException) ? null : (T) answer;
	}

	@Nullable LockBackendException failure(int node) {
		return (this.answers[node] instanceof LockBackendException failure) ? failure : null;
	}

	boolean isOutstanding(int node) {
		return this.answers[node] == null;
	}

	Stream<T> given() {
		return IntStream.range(0, this.answers.length).mapToObj(this::of).filter(Objects::nonNull);
	}

	int count(Predicate<? super T> predicate) {
		return (int) given().filter(predicate).count();
	}

	/**
	 * What follows from answers.
	 *
	 * @param <T> one node's answer
	 * @param <R> what follows
	 */
	interface Verdict<T, R> {

		/**
		 * Decide if that is possible; must decide when no answer is outstanding.
		 * @return what follows, or {@code null} to wait for more
		 */
		@Nullable R of(VoteCollector<T> answers);

	}

}
