package io.github.distlock.backend.redlock;

import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import io.github.distlock.backend.redlock.NodeAdministration.NodeLock;
import io.github.distlock.backend.redlock.QuorumNode.Claim;
import org.jspecify.annotations.Nullable;

/**
 * A claim that an operator has removed from a node, as a message says. The message may be
 * forged, and one node decides nothing: the claim has ended if too few nodes hold it. The
 * command of the operator may still be on its way to the others, and their messages may
 * be lost: so they are asked once more when it has arrived or failed. Waits on no thread.
 */
final class EndedClaim {

	private final Quorum quorum;

	private final Claim claim;

	private final Runnable onEnded;

	/**
	 * Create a question.
	 * @param onEnded is called if the claim has ended; a second call must have no effect
	 */
	EndedClaim(Quorum quorum, Claim claim, Runnable onEnded) {
		this.quorum = quorum;
		this.claim = claim;
		this.onEnded = onEnded;
	}

	/** Ask all nodes, and once more after a delay if they still hold the claim. */
	void ask(ScheduledExecutorService timers, Duration delay) {
		ask(() -> {
			try {
				timers.schedule(() -> ask(() -> {
					// The next renewal finds out what the nodes say then.
				}), delay.toNanos(), TimeUnit.NANOSECONDS);
			}
			catch (RejectedExecutionException ex) {
				// The store has been closed.
			}
		});
	}

	private void ask(Runnable otherwise) {
		VoteCollector
			.judge(this.quorum.ask((node) -> node.administration().inspect(this.claim.ticket().key())), this::isRefuted)
			.thenAccept((refuted) -> (refuted ? this.onEnded : otherwise).run());
	}

	/**
	 * Whether so many nodes do not hold the claim that the others are no majority;
	 * {@code null} if more answers are needed.
	 */
	private @Nullable Boolean isRefuted(VoteCollector<NodeLock> answers) {
		boolean refuted = this.quorum.prevents(answers.count((lock) -> !isHeld(lock)));
		return (refuted || answers.outstanding() == 0) ? refuted : null;
	}

	private boolean isHeld(NodeLock lock) {
		return lock.claim() != null && lock.claim().claim().equals(this.claim);
	}

}
