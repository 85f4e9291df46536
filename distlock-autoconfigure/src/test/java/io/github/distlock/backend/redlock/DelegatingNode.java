package io.github.distlock.backend.redlock;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.distlock.LockBackendException;
import io.github.distlock.LockInstance;
import io.github.distlock.backend.redlock.QuorumNode.NodeRefusedException;

/**
 * A real node whose connection fails as a test requests.
 */
final class DelegatingNode extends QuorumNode {

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

	/** Whether it counts, however short it has been up. */
	volatile boolean trusted = true;

	DelegatingNode(QuorumNode node) {
		this.node = node;
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
	public void stop() {
		this.node.stop();
	}

	@Override
	public boolean isListening() {
		return this.node.isListening();
	}

	@Override
	public CompletionStage<String> run(NodeVerb verb, List<String> keys, String... args) {
		return switch (verb) {
			case CLAIM -> claim(keys, args.clone());
			case LEAVE ->
				this.losesReleases ? CompletableFuture.failedFuture(new LockBackendException("The release was lost"))
						: this.node.run(verb, keys, args);
			case RAISE -> {
				this.raises.incrementAndGet();
				yield this.node.run(verb, keys, args);
			}
			case PROBE -> this.node.run(verb, keys, args)
				.thenApply((answer) -> this.trusted ? answer.replaceFirst("\\d+", "999999") : answer);
			default -> this.node.run(verb, keys, args);
		};
	}

	private CompletionStage<String> claim(List<String> keys, String... args) {
		if (this.unreachable) {
			return CompletableFuture.failedFuture(new NodeRefusedException("Unreachable by order", null));
		}
		args[2] = this.trusted ? "0" : args[2];
		CompletionStage<String> vote = this.node.run(NodeVerb.CLAIM, keys, args);
		if (this.votesLost) {
			return vote
				.thenCompose((lost) -> CompletableFuture.failedFuture(new LockBackendException("The vote was lost")));
		}
		Duration voteDelay = this.delay;
		return voteDelay.isZero() ? vote : vote.thenApplyAsync((cast) -> cast,
				CompletableFuture.delayedExecutor(voteDelay.toMillis(), TimeUnit.MILLISECONDS));
	}

}
