package io.github.distlock.backend.redlock;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.StoreCalls;
import org.jspecify.annotations.Nullable;

/**
 * The answers of the nodes to one command so far, by the number of the node. The verdict
 * is reached as soon as the answers allow it: there is no wait for a node whose answer
 * could not change it.
 *
 * @param <T> the answer of one node
 */
final class VoteCollector<T> {

	/** Guards {@link #answers}. Verdicts are computed under it and must be quick. */
	private final ReentrantLock lock = new ReentrantLock();

	/** For each node an answer, a failure, or {@code null} if there is none yet. */
	private final @Nullable Object[] answers;

	private int outstanding;

	private VoteCollector(int nodes) {
		this.answers = new Object[nodes];
		this.outstanding = nodes;
	}

	/**
	 * Collect answers until they allow a verdict.
	 * @param commands the commands that were sent to the nodes
	 * @param verdict computes the verdict
	 */
	static <T, R> CompletableFuture<R> judge(List<? extends CompletionStage<T>> commands, Verdict<T, R> verdict) {
		VoteCollector<T> answers = new VoteCollector<>(commands.size());
		CompletableFuture<R> result = new CompletableFuture<>();
		for (int i = 0; i < commands.size(); i++) {
			int node = i;
			commands.get(i)
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
		return (cause instanceof LockBackendException translated) ? translated
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

	/** The answers that there are, in the order of the nodes. */
	List<T> given() {
		List<T> given = new ArrayList<>(this.answers.length);
		for (int i = 0; i < this.answers.length; i++) {
			T answer = of(i);
			if (answer != null) {
				given.add(answer);
			}
		}
		return given;
	}

	int count(Predicate<? super T> predicate) {
		int count = 0;
		for (int i = 0; i < this.answers.length; i++) {
			T answer = of(i);
			if (answer != null && predicate.test(answer)) {
				count++;
			}
		}
		return count;
	}

	/**
	 * Computes a verdict from answers.
	 *
	 * @param <T> the answer of one node
	 * @param <R> the verdict
	 */
	interface Verdict<T, R> {

		/**
		 * Compute the verdict. There must be one when no answer is outstanding.
		 * @return the verdict, or {@code null} to wait for more answers
		 */
		@Nullable R of(VoteCollector<T> answers);

	}

}
