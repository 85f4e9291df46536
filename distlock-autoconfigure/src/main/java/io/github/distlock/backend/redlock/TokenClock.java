package io.github.distlock.backend.redlock;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReferenceArray;

import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.redlock.LockRound.Result;
import io.github.distlock.backend.redlock.QuorumNode.Vote;
import org.jspecify.annotations.Nullable;

/**
 * Knows the clocks of the nodes well enough to propose a token that none of them has
 * passed when a claim arrives. Then all nodes vote for this token, and each of them can
 * tell an operator the first token of the grant. Nothing else depends on it: a node whose
 * clock or floor is higher votes for a higher token.
 */
final class TokenClock {

	/** How long a claim may be in transit, at most an eighth of its lease. */
	private static final Duration TRANSIT = Duration.ofMillis(250);

	/** A node that has been silent for longer than others does not count. */
	private static final long SILENT_NANOS = Duration.ofMinutes(1).toNanos();

	/**
	 * By node: its last answer. Without a lock, since any answer will do: an old one only
	 * makes the proposal worse.
	 */
	private final AtomicReferenceArray<@Nullable Observation> last;

	private final TimeSource clock;

	TokenClock(int nodes, TimeSource clock) {
		this.last = new AtomicReferenceArray<>(nodes);
		this.clock = clock;
	}

	/** Learn from the votes that have won a round. */
	void observe(LockRound round, Result.Won won) {
		for (int node = 0; node < won.votes().length; node++) {
			Vote.Locked vote = won.votes()[node];
			if (vote != null) {
				observe(node, round.sent().nanos(), vote.nowMicros());
			}
		}
	}

	/**
	 * Learn from an answer.
	 * @param sentNanos a moment before the command was sent
	 * @param nowMicros the clock of the node when the command arrived
	 */
	void observe(int node, long sentNanos, long nowMicros) {
		this.last.set(node, new Observation(sentNanos, nowMicros - sentNanos / 1000));
	}

	/** Propose a token for a claim that is sent now; 0 if no clock is known. */
	long propose(Duration lease) {
		Observation newest = null;
		for (int i = 0; i < this.last.length(); i++) {
			Observation each = this.last.get(i);
			if (each != null && (newest == null || each.sentNanos() - newest.sentNanos() > 0)) {
				newest = each;
			}
		}
		if (newest == null) {
			return 0;
		}
		long ahead = newest.aheadMicros();
		for (int i = 0; i < this.last.length(); i++) {
			Observation each = this.last.get(i);
			if (each != null && newest.sentNanos() - each.sentNanos() < SILENT_NANOS) {
				ahead = Math.max(ahead, each.aheadMicros());
			}
		}
		long transit = Math.min(TRANSIT.toNanos(), lease.toNanos() / 8);
		return ahead + (this.clock.nanoTime() + transit) / 1000;
	}

	/**
	 * The clock of a node, compared with the one of this JVM.
	 *
	 * @param sentNanos when the command was sent
	 * @param aheadMicros how far the clock of the node is ahead, and not less
	 */
	private record Observation(long sentNanos, long aheadMicros) {
	}

}
