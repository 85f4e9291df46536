package io.github.distlock.backend.redlock;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.distlock.LockBackendException;
import io.github.distlock.LockInstance;
import io.github.distlock.backend.Ticket;

/**
 * A real node whose connection fails as a test requests.
 */
final class DelegatingNode implements QuorumNode {

	final AtomicInteger raises = new AtomicInteger();

	/** The delay of votes. */
	volatile Duration delay = Duration.ZERO;

	/** Whether claims arrive and the votes are lost. */
	volatile boolean votesLost;

	/** Whether nothing can be sent to it. */
	volatile boolean unreachable;

	/** Whether releases are lost. */
	volatile boolean losesReleases;

	private final QuorumNode node;

	private boolean trusted;

	DelegatingNode(QuorumNode node) {
		this.node = node;
	}

	/** The node counts, however short it has been up. */
	DelegatingNode trusted() {
		this.trusted = true;
		return this;
	}

	@Override
	public String name() {
		return this.node.name();
	}

	@Override
	public CompletionStage<?> start(LockInstance self, NodeEvents events) {
		return this.node.start(self, events);
	}

	@Override
	public String prefix() {
		return this.node.prefix();
	}

	@Override
	public CompletionStage<NodeLock> inspect(String key) {
		return this.node.inspect(key);
	}

	@Override
	public CompletionStage<Boolean> end(Claim claim, long lastToken, long aheadMicros) {
		return this.node.end(claim, lastToken, aheadMicros);
	}

	@Override
	public void stop() {
		this.node.stop();
	}

	@Override
	public boolean isListening() {
		return this.node.isListening();
	}

	@Override
	public CompletionStage<Vote> claim(Claim claim, Proposal proposal, Duration lease, Duration oldEnough,
			boolean queue) {
		if (this.unreachable) {
			return CompletableFuture.failedFuture(new NodeUnreachableException("Unreachable by order", null));
		}
		CompletionStage<Vote> vote = this.node.claim(claim, proposal, lease, this.trusted ? Duration.ZERO : oldEnough,
				queue);
		if (this.votesLost) {
			return vote
				.thenCompose((lost) -> CompletableFuture.failedFuture(new LockBackendException("The vote was lost")));
		}
		Duration voteDelay = this.delay;
		return voteDelay.isZero() ? vote : vote.thenApplyAsync((cast) -> cast,
				CompletableFuture.delayedExecutor(voteDelay.toMillis(), TimeUnit.MILLISECONDS));
	}

	@Override
	public CompletionStage<Boolean> raise(Claim claim, long token) {
		this.raises.incrementAndGet();
		return this.node.raise(claim, token);
	}

	@Override
	public CompletionStage<Left> leave(Claim claim, long usedToken, boolean wake) {
		return this.losesReleases ? CompletableFuture.failedFuture(new LockBackendException("The release was lost"))
				: this.node.leave(claim, usedToken, wake);
	}

	@Override
	public CompletionStage<Boolean> forget(Ticket ticket) {
		return this.node.forget(ticket);
	}

	@Override
	public CompletionStage<List<Boolean>> renew(List<Extension> extensions) {
		return this.node.renew(extensions);
	}

	@Override
	public CompletionStage<NodeTime> probe() {
		return this.trusted ? this.node.probe().thenApply((time) -> new NodeTime(Duration.ofDays(1), time.nowMicros()))
				: this.node.probe();
	}

}
