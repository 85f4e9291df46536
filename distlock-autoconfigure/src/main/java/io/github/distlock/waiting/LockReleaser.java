package io.github.distlock.waiting;

import java.time.Duration;
import java.util.function.LongSupplier;

import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Lets holders leave: the lock passes to the next waiter of this JVM, or back to the
 * store. Thread-safe.
 */
final class LockReleaser {

	/** The release of an unwanted lock is repeated for at least this time. */
	private static final long MINIMUM_RETRY_NANOS = Duration.ofSeconds(5).toNanos();

	private static final Log logger = LogFactory.getLog(LockReleaser.class);

	private final KeyQueues queues;

	private final CommandSender sender;

	private final TimeSource clock;

	private final BackgroundRelease.Limit unanswered;

	LockReleaser(KeyQueues queues, CommandSender sender, TimeSource clock) {
		this.queues = queues;
		this.sender = sender;
		this.clock = clock;
		this.unanswered = new BackgroundRelease.Limit(clock);
	}

	/**
	 * Release a lock.
	 * @param leaseEnd how long the store may keep the lease if it cannot be reached
	 * @param observer receives what becomes of the release; {@code null} to wait for the
	 * answer
	 */
	ReleaseOutcome release(Holder holder, Validity validity, Duration leaseEnd, @Nullable ReleaseObserver observer) {
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
		BackgroundRelease background = (observer != null) ? this.unanswered.begin(observer) : null;
		if (background != null) {
			return releaseInBackground(queue, holder, giveUpNanos, background);
		}
		Effects effects = queue.release(holder, giveUpNanos);
		return (effects != null) ? this.sender.runHere(queue, effects) : ReleaseOutcome.GONE;
	}

	/**
	 * Prepare the release of a lock that is kept.
	 * @return the release, or {@code null} if too many locks are kept
	 */
	@Nullable BackgroundRelease prepare(ReleaseObserver observer, Validity validity) {
		return this.unanswered.prepare(observer, validity);
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

	private ReleaseOutcome releaseInBackground(KeyQueue queue, Holder holder, long giveUpNanos,
			BackgroundRelease background) {
		Effects effects = null;
		try {
			effects = queue.release(holder, giveUpNanos, background);
		}
		finally {
			if (effects == null) {
				// Not sent: the holder had left, or an error was thrown.
				background.end();
			}
		}
		return (effects != null) ? this.sender.runInBackground(queue, effects) : ReleaseOutcome.GONE;
	}

	/** Whether the answer of a release in the background is still to come. */
	boolean isAnyUnanswered() {
		return this.unanswered.isAny();
	}

	/** Release a lock that no caller wants. */
	void releaseAsync(Holder holder) {
		releaseAsync(holder, () -> holder.remainingNanos(this.clock));
	}

	/** Release a lock that was lost, or that is no longer retained. */
	void releaseAsync(Holder holder, Validity validity) {
		// Not as the wall clock says: the store has another one.
		releaseAsync(holder, () -> validity.remainingNanosAt(this.clock.nanoTime()));
	}

	/** Release a lock again and again until no error interrupts that. */
	private void releaseAsync(Holder holder, LongSupplier remainingNanos) {
		KeyQueue queue = this.queues.find(holder.ticket());
		if (queue == null) {
			return;
		}
		try {
			// The store's lease ends a little later than its validity here.
			long leftNanos = Math.max(remainingNanos.getAsLong(), MINIMUM_RETRY_NANOS);
			Effects effects = queue.release(holder, this.clock.nanoTime() + retryNanos(holder, leftNanos));
			// An error may have interrupted an earlier release of this holder.
			this.sender.run(queue, (effects != null) ? effects : queue.proceed());
		}
		catch (RuntimeException | Error ex) {
			// First: logging may fail for the same reason.
			this.sender.tasks().scheduleRecovery(() -> releaseAsync(holder, remainingNanos));
			logger.error("The release of lock '" + queue.key() + "' failed and is repeated", ex);
		}
	}

}
