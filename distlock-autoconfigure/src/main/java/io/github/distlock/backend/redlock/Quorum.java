package io.github.distlock.backend.redlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.StoreCalls;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.thread.LockThreads;
import io.github.distlock.thread.LockTimers;
import io.github.distlock.thread.TimerThread;
import org.jspecify.annotations.Nullable;

/**
 * The nodes, and how many of them decide. Two majorities have a node in common: all
 * guarantees of this store depend on that node.
 */
final class Quorum {

	/** Drift of clocks that does not depend on the lease; one percent of it is added. */
	private static final Duration FIXED_DRIFT = Duration.ofMillis(2);

	final RedlockSettings settings;

	final TimeSource clock;

	final RandomGenerator random;

	/** Runs what is due later, until the store is closed. */
	final LockTimers timers = new TimerThread(LockThreads.named("distlock-redlock"));

	/** How long a claim may be in transit, at most an eighth of its lease. */
	private static final Duration TRANSIT = Duration.ofMillis(250);

	private final List<QuorumNode> nodes;

	/** How far the clocks of the nodes are ahead of this JVM's; 0 if not known. */
	private volatile long aheadMicros;

	Quorum(List<? extends QuorumNode> nodes, RedlockSettings settings, TimeSource clock, RandomGenerator random) {
		this.settings = settings;
		this.clock = clock;
		this.random = random;
		this.nodes = List.copyOf(nodes);
	}

	List<QuorumNode> nodes() {
		return this.nodes;
	}

	QuorumNode node(int index) {
		return this.nodes.get(index);
	}

	boolean isListening(int index) {
		return node(index).isListening();
	}

	int size() {
		return this.nodes.size();
	}

	int majority() {
		return size() / 2 + 1;
	}

	/**
	 * Return the first node that would signal a ticket in its queue that the lock is
	 * free, or -1. The search begins at another node for each key.
	 */
	int listener(String key) {
		return IntStream.range(0, size())
			.map((i) -> Math.floorMod(key.hashCode() + i, size()))
			.filter(this::isListening)
			.findFirst()
			.orElse(-1);
	}

	<T> List<CompletableFuture<T>> ask(Function<QuorumNode, CompletableFuture<T>> question) {
		return this.nodes.stream().map(question).toList();
	}

	/**
	 * Judge the answers until they allow a verdict: not for a node whose answer could not
	 * change it.
	 * @param action the verb, for the message
	 * @param commands what was sent, by node; each ends within the time-out of its node
	 * @return completes with the verdict; fails with {@link LockBackendException} if too
	 * many nodes have failed, or if there is no verdict when all have answered, or if
	 * nothing was sent
	 */
	<T, R> CompletableFuture<R> decide(String action, @Nullable String key, List<CompletableFuture<T>> commands,
			Verdict<T, R> verdict) {
		CompletableFuture<R> result = new CompletableFuture<>();
		// Each answer is judged with those before it, maybe by several threads at a time:
		// the last of them sees all.
		commands.forEach((command) -> command.handle((answer, failure) -> {
			NodeAnswers<T> answers = new NodeAnswers<>(commands);
			boolean tooFew = answers.given(each -> true) + answers.outstanding() < majority();
			R decided = tooFew ? null : verdict.of(answers);
			if (decided != null) {
				return result.complete(decided);
			}
			return (tooFew || answers.outstanding() == 0)
					&& result.completeExceptionally(failure(action, key, answers));
		}).exceptionally(result::completeExceptionally));
		return commands.isEmpty() ? CompletableFuture.failedFuture(failure(action, key, new NodeAnswers<>(commands)))
				: result;
	}

	/** Wait for a verdict. An interrupt does not end the wait. */
	static <R> R await(CompletableFuture<R> verdict) {
		try {
			return verdict.join();
		}
		catch (CompletionException ex) {
			throw asFailure(ex);
		}
	}

	/** Learn from an answer of a node how far its clock is ahead. */
	void observe(long nowMicros, long nanos) {
		this.aheadMicros = nowMicros - nanos / 1000;
	}

	/**
	 * Propose the token of a claim: a little ahead of the clock of each node, as the last
	 * round saw it; 0 if that is not known. Then all nodes vote for this token, and each
	 * of them can tell an operator the first token of the grant. Nothing else depends on
	 * it: a node whose clock or floor is higher votes for a higher token.
	 */
	long propose(Duration lease) {
		long ahead = this.aheadMicros;
		long transit = Math.min(TRANSIT.toNanos(), lease.toNanos() / 8);
		return (ahead != 0) ? ahead + (this.clock.nanoTime() + transit) / 1000 : 0;
	}

	/** Whether a majority says yes; {@code false} if so many say no that none can. */
	@Nullable Boolean agreed(NodeAnswers<Boolean> answers) {
		if (answers.given(Boolean::booleanValue) >= majority()) {
			return true;
		}
		return (answers.given((yes) -> !yes) > size() - majority()) ? false : null;
	}

	static LockBackendException asFailure(Throwable failure) {
		Throwable cause = StoreCalls.unwrap(failure);
		return (cause instanceof LockBackendException translated) ? translated
				: new LockBackendException("A node failed in an unexpected way: " + cause, cause);
	}

	/**
	 * Return a lease as this JVM may count it, since the clocks of the nodes may run a
	 * little faster.
	 */
	static Duration withoutDrift(Duration lease) {
		return lease.minus(lease.dividedBy(100)).minus(FIXED_DRIFT);
	}

	private <T> LockBackendException failure(String action, @Nullable String key, NodeAnswers<T> answers) {
		List<LockBackendException> failures = answers.all.stream()
			.filter(LockBackendException.class::isInstance)
			.map(LockBackendException.class::cast)
			.toList();
		return new LockBackendException(
				"Too few of the " + size() + " lock nodes (distlock.redlock.nodes) could take part in the " + action
						+ ((key != null) ? " of lock '" + key + "'" : "") + ", " + majority() + " are needed: "
						+ failures.stream().map(Throwable::getMessage).collect(Collectors.joining("; ")),
				failures.isEmpty() ? null : failures.get(0));
	}

	/**
	 * Judges answers.
	 *
	 * @param <T> the answer of one node
	 * @param <R> the verdict
	 */
	interface Verdict<T, R> {

		/** Return the verdict, or {@code null} to wait for more answers. */
		@Nullable R of(NodeAnswers<T> answers);

	}

	/**
	 * The answers of the nodes to one command so far.
	 *
	 * @param <T> the answer of one node
	 */
	static final class NodeAnswers<T> {

		/** For each node an answer, a failure, or {@code null} if there is none yet. */
		private final List<@Nullable Object> all;

		NodeAnswers(List<CompletableFuture<T>> commands) {
			List<@Nullable Object> answers = new ArrayList<>(commands.size());
			commands.forEach((command) -> answers.add(answerOf(command)));
			this.all = answers;
		}

		private static @Nullable Object answerOf(CompletableFuture<?> command) {
			return command.isDone()
					? command.<Object>handle((answer, failure) -> (failure != null) ? asFailure(failure) : answer)
						.join()
					: null;
		}

		int outstanding() {
			return Collections.frequency(this.all, null);
		}

		boolean isOutstanding(int node) {
			return this.all.get(node) == null;
		}

		/** The answer of a node, or {@code null} if it has failed or not answered. */
		@SuppressWarnings("unchecked")
		@Nullable T of(int node) {
			Object answer = this.all.get(node);
			return (answer instanceof LockBackendException) ? null : (T) answer;
		}

		/** The answers that there are, in the order of the nodes. */
		List<T> given() {
			List<T> given = new ArrayList<>();
			for (int i = 0; i < this.all.size(); i++) {
				T answer = of(i);
				if (answer != null) {
					given.add(answer);
				}
			}
			return given;
		}

		/** How many answers match. Counted at each answer, on a thread of the driver. */
		int given(Predicate<? super T> predicate) {
			int count = 0;
			for (int i = 0; i < this.all.size(); i++) {
				T answer = of(i);
				count += (answer != null && predicate.test(answer)) ? 1 : 0;
			}
			return count;
		}

	}

}
