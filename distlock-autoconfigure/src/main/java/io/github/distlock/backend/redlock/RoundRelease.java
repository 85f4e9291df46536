package io.github.distlock.backend.redlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.redlock.QuorumNode.Left;
import io.github.distlock.backend.redlock.QuorumNode.Vote;
import io.github.distlock.backend.TimeSource;
import org.jspecify.annotations.Nullable;

/**
 * The release of a claim at all nodes that hold it or may hold it, those that never
 * answered included. It continues in the background until each node has acknowledged it,
 * or the claim has expired there. The command is sent to a node after its vote has
 * arrived or failed, so that the claim cannot arrive later.
 */
final class RoundRelease {

	private static final long MIN_RETRY_MILLIS = 50;

	private static final long MAX_RETRY_MILLIS = 400;

	private final Quorum quorum;

	private final LockRound round;

	private final long usedToken;

	private final @Nullable Runnable onWoken;

	private final ScheduledExecutorService timers;

	private final TimeSource clock;

	private final RandomGenerator random;

	private final long strayNanos;

	private final long giveUpNanos;

	/** By node: its final answer. */
	private final List<CompletableFuture<Left>> answers;

	/** By node: its final answer, or the failure of the first try. */
	private final List<CompletableFuture<Left>> firstTries;

	/**
	 * Prepare a release.
	 * @param usedToken the last token that was used; 0 if none was
	 * @param onWoken is called when a node has signalled a waiting ticket; {@code null}
	 * to signal no ticket
	 * @param longest how long the claim may still last on a node
	 */
	RoundRelease(Quorum quorum, LockRound round, long usedToken, @Nullable Runnable onWoken, Duration longest,
			Duration strayDelay, ScheduledExecutorService timers, TimeSource clock, RandomGenerator random) {
		this.quorum = quorum;
		this.round = round;
		this.usedToken = usedToken;
		this.onWoken = onWoken;
		this.timers = timers;
		this.clock = clock;
		this.random = random;
		this.strayNanos = strayDelay.toNanos();
		this.giveUpNanos = clock.nanoTime() + longest.toNanos();
		this.answers = unanswered(quorum.size());
		this.firstTries = unanswered(quorum.size());
	}

	private static List<CompletableFuture<Left>> unanswered(int nodes) {
		List<CompletableFuture<Left>> all = new ArrayList<>(nodes);
		for (int i = 0; i < nodes; i++) {
			all.add(new CompletableFuture<>());
		}
		return all;
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
		if (unsent || vote != null && !(vote instanceof Vote.Locked)) {
			answered(node, new Left(false, false));
		}
		else {
			send(node, vote == null);
		}
	}

	/**
	 * Send the command to a node.
	 * @param stray whether its vote failed: the claim may still be in transit, and arrive
	 * after this command
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
					later(node, () -> send(node, stray),
							TimeUnit.MILLISECONDS.toNanos(this.random.nextLong(MIN_RETRY_MILLIS, MAX_RETRY_MILLIS)));
				}
				else {
					this.answers.get(node).completeExceptionally(VoteCollector.asFailure(failure));
				}
			});
	}

	private void answered(int node, Left left) {
		try {
			// First: the releasing caller must not request the lock again before this.
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
			// The store has been closed: remaining claims end with their lease.
			this.answers.forEach((answer) -> answer.cancel(false));
		}
		catch (Throwable ex) {
			// No thread for the retry: the claim ends with its lease on this node.
			this.answers.get(node).completeExceptionally(VoteCollector.asFailure(ex));
		}
	}

	/**
	 * Completes when each node has acknowledged the release, or the claim has expired.
	 */
	CompletableFuture<Void> end() {
		return CompletableFuture.allOf(this.answers.toArray(CompletableFuture<?>[]::new));
	}

	/** Wait for one try at each node. */
	void awaitTries() {
		this.quorum.await(VoteCollector.judge(this.firstTries, (tries) -> (tries.outstanding() == 0) ? true : null));
	}

	/**
	 * Wait for a majority, or for one try at each node.
	 * @return whether the claim was held
	 * @throws LockBackendException if that is not known yet
	 */
	boolean released(String key) {
		// A later try may have an answer.
		List<CompletableFuture<Left>> latest = new ArrayList<>(this.quorum.size());
		for (int i = 0; i < this.quorum.size(); i++) {
			latest.add(this.answers.get(i).isDone() ? this.answers.get(i) : this.firstTries.get(i));
		}
		return this.quorum.await(VoteCollector.judge(latest, (tries) -> judge(key, tries)));
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
