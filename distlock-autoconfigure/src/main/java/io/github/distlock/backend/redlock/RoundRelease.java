package io.github.distlock.backend.redlock;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.redlock.QuorumNode.Left;
import io.github.distlock.backend.redlock.QuorumNode.Vote;
import io.github.distlock.backend.TimeSource;
import org.jspecify.annotations.Nullable;

/**
 * A claim leaves all nodes that hold it or may hold it: those that never answered, too.
 * Goes on in the background until each has acknowledged it, or the claim has expired
 * there. Each node is told after its vote has come or failed, so that the claim cannot
 * come later.
 */
final class RoundRelease {

	private static final long SHORTEST_REST_MILLIS = 50;

	private static final long LONGEST_REST_MILLIS = 400;

	private final Quorum quorum;

	private final LockRound round;

	private final long usedToken;

	private final @Nullable Runnable onWoken;

	private final ScheduledExecutorService timers;

	private final TimeSource clock;

	private final long strayNanos;

	private final long giveUpNanos;

	/** By node: what it answered in the end. */
	private final List<CompletableFuture<Left>> answers;

	/** By node: the same, or that the first try failed. */
	private final List<CompletableFuture<Left>> firstTries;

	/**
	 * Prepare.
	 * @param usedToken the last token that was used; 0 if nobody entered
	 * @param onWoken told when somebody in a queue was told; {@code null} if nobody shall
	 * be
	 * @param longest how long the claim may still last on a node
	 */
	RoundRelease(Quorum quorum, LockRound round, long usedToken, @Nullable Runnable onWoken, Duration longest,
			Duration strayDelay, ScheduledExecutorService timers, TimeSource clock) {
		this.quorum = quorum;
		this.round = round;
		this.usedToken = usedToken;
		this.onWoken = onWoken;
		this.timers = timers;
		this.clock = clock;
		this.strayNanos = strayDelay.toNanos();
		this.giveUpNanos = clock.nanoTime() + longest.toNanos();
		this.answers = IntStream.range(0, quorum.size()).mapToObj((i) -> new CompletableFuture<Left>()).toList();
		this.firstTries = IntStream.range(0, quorum.size()).mapToObj((i) -> new CompletableFuture<Left>()).toList();
	}

	RoundRelease begin() {
		for (int i = 0; i < this.quorum.size(); i++) {
			int node = i;
			this.round.votes().get(i).whenComplete((vote, failure) -> leave(node, vote, failure));
		}
		return this;
	}

	private void leave(int node, @Nullable Vote vote, @Nullable Throwable failure) {
		boolean unsent = failure != null && VoteCollector.asFailure(failure) instanceof NodeUnreachableException;
		if (unsent || vote != null && !(vote instanceof Vote.Granted)) {
			answered(node, new Left(false, false));
		}
		else {
			send(node, vote == null);
		}
	}

	/**
	 * Tell a node.
	 * @param stray whether its vote failed: the claim may still be on its way, and come
	 * after this
	 */
	private void send(int node, boolean stray) {
		this.quorum.node(node)
			.leave(this.round.claim(), this.usedToken, this.onWoken != null)
			.whenComplete((left, failure) -> {
				if (failure == null) {
					answered(node, left);
					if (stray) {
						later(node, () -> send(node, false), this.strayNanos);
					}
					return;
				}
				this.firstTries.get(node).completeExceptionally(VoteCollector.asFailure(failure));
				if (this.clock.nanoTime() - this.giveUpNanos < 0) {
					later(node, () -> send(node, stray), TimeUnit.MILLISECONDS
						.toNanos(ThreadLocalRandom.current().nextLong(SHORTEST_REST_MILLIS, LONGEST_REST_MILLIS)));
				}
				else {
					this.answers.get(node).completeExceptionally(VoteCollector.asFailure(failure));
				}
			});
	}

	private void answered(int node, Left left) {
		try {
			// First: who releases must not ask again before that.
			if (left.woken() && this.onWoken != null) {
				this.onWoken.run();
			}
		}
		finally {
			this.answers.get(node).complete(left);
			this.firstTries.get(node).complete(left);
		}
	}

	private void later(int node, Runnable task, long delayNanos) {
		try {
			this.timers.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
		}
		catch (RejectedExecutionException ex) {
			// The store has been stopped: what is left ends with its lease.
			this.answers.forEach((answer) -> answer.cancel(false));
		}
		catch (Throwable ex) {
			// No thread: this node is not told again, and what is left ends with its
			// lease.
			this.answers.get(node).completeExceptionally(VoteCollector.asFailure(ex));
		}
	}

	/** When each node has acknowledged it, or it makes no sense any more. */
	CompletableFuture<Void> end() {
		return CompletableFuture.allOf(this.answers.toArray(CompletableFuture<?>[]::new));
	}

	/**
	 * Wait for a majority, or for one try at each node.
	 * @return whether the claim was held
	 * @throws LockBackendException if that cannot be said yet
	 */
	boolean released(String key) {
		// Later tries have answers, too.
		List<CompletableFuture<Left>> known = IntStream.range(0, this.quorum.size())
			.mapToObj((i) -> this.answers.get(i).isDone() ? this.answers.get(i) : this.firstTries.get(i))
			.toList();
		return this.quorum.await(VoteCollector.judge(known, (tries) -> judge(key, tries)));
	}

	private @Nullable Boolean judge(String key, VoteCollector<Left> tries) {
		int gone = tries.count((left) -> !left.released());
		if (this.quorum.prevents(gone)) {
			return false;
		}
		int released = tries.count(Left::released);
		if (released >= this.quorum.majority()) {
			return true;
		}
		if (tries.outstanding() > 0) {
			return null;
		}
		if (released + gone < this.quorum.majority()) {
			throw this.quorum.failure("release", key, tries, (left) -> "");
		}
		return true;
	}

}
