package io.github.distlock.waiting;

import java.time.Duration;

import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;
import io.github.distlock.waiting.Holder.ReleaseObserver;
import io.github.distlock.waiting.Holder.ReleaseOutcome;
import org.jspecify.annotations.Nullable;

/**
 * Decides what becomes of a grant when its holder leaves: it passes to the next waiter of
 * this JVM, or goes back to the store, with or without a caller that waits for the
 * answer. Thread-safe.
 */
public final class LockReleaser {

	/** The release of an unwanted lock is repeated for at least this time. */
	private static final long MINIMUM_RETRY_NANOS = Duration.ofSeconds(5).toNanos();

	private final KeyQueues queues;

	private final CommandSender sender;

	private final TimeSource clock;

	private final BackgroundRelease.Limit unanswered = new BackgroundRelease.Limit();

	LockReleaser(KeyQueues queues, CommandSender sender, TimeSource clock) {
		this.queues = queues;
		this.sender = sender;
		this.clock = clock;
	}

	/**
	 * Release a lock. Blocks until the store has answered one command, unless there is
	 * none or no caller is to wait for it.
	 * @param holder the holder that leaves
	 * @param validity the current validity of the grant
	 * @param leaseEnd how long the store may keep the lease if it cannot be reached
	 * @param background whether not to wait for the answer of a release, unless too many
	 * are unanswered
	 * @param observer receives what becomes of a release that no caller waits for;
	 * {@code null} if there can be none
	 * @return the outcome
	 */
	public ReleaseOutcome release(Holder holder, Validity validity, Duration leaseEnd, boolean background,
			@Nullable ReleaseObserver observer) {
		KeyQueue queue = this.queues.find(holder.ticket());
		if (queue == null) {
			return ReleaseOutcome.GONE;
		}
		Effects handOff = queue.tryHandOff(holder, validity);
		if (handOff != null) {
			this.sender.run(queue, handOff);
			return ReleaseOutcome.HANDED_OFF;
		}
		long now = this.clock.nanoTime();
		long leftNanos = validity.sessionBound() ? 0 : validity.remainingNanosAt(now);
		long giveUpNanos = now + retryNanos(holder, Math.max(leaseEnd.toNanos(), leftNanos));
		BackgroundRelease unawaited = (background && observer != null) ? this.unanswered.begin(observer) : null;
		Effects effects = null;
		try {
			effects = queue.release(holder, giveUpNanos, unawaited);
		}
		finally {
			if (effects == null && unawaited != null) {
				unawaited.end();
			}
		}
		if (effects == null) {
			return ReleaseOutcome.GONE;
		}
		return (unawaited != null) ? this.sender.runInBackground(queue, effects) : this.sender.runHere(queue, effects);
	}

	/**
	 * How long a release is repeated: until the lease has passed in the store. That may
	 * be longer than what is known of it here, since a renewal without an answer may have
	 * given it its whole length again.
	 * @param leftNanos what is known of the lease: more than that of the holder if an
	 * earlier caller, whose attempt was not answered, asked for the same ticket
	 */
	private static long retryNanos(Holder holder, long leftNanos) {
		return Math.max(leftNanos, holder.lease().toNanos());
	}

	/**
	 * Return whether the answer of a release in the background is still to come.
	 * @return whether there is one
	 */
	public boolean isAnyUnanswered() {
		return this.unanswered.isAny();
	}

	/**
	 * Release a lock in the background, since the caller does not want it. Has no effect
	 * if the holder has left. If an error interrupts this, the sweep repeats it.
	 * @param holder the holder that leaves
	 */
	public void releaseAsync(Holder holder) {
		holder.leave();
		releaseAsync(holder, holder.remainingNanos(this.clock));
	}

	/**
	 * Release a lock in the background, since it was lost or is no longer retained.
	 * @param holder the holder that leaves
	 * @param validity the current validity of the grant
	 */
	public void releaseAsync(Holder holder, Validity validity) {
		holder.leave();
		// Not as the wall clock says: the store has another one.
		releaseAsync(holder, validity.remainingNanosAt(this.clock.nanoTime()));
	}

	private void releaseAsync(Holder holder, long remainingNanos) {
		// The store's lease ends a little later than its validity here.
		long leftNanos = Math.max(remainingNanos, MINIMUM_RETRY_NANOS);
		this.queues.onEvent(holder.ticket(),
				(queue) -> queue.release(holder, this.clock.nanoTime() + retryNanos(holder, leftNanos), null));
	}

}
