package io.github.distlock.waiting;

import java.time.Duration;
import java.util.function.LongSupplier;

import io.github.distlock.backend.DirectCommands;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Lets holders leave: the lock passes to the next waiter of this JVM, or back to the
 * store. Thread-safe.
 */
final class Releases {

	/** The release of an unwanted lock is repeated for at least this time. */
	private static final long MINIMUM_RETRY_NANOS = Duration.ofSeconds(5).toNanos();

	private static final Log logger = LogFactory.getLog(Releases.class);

	private final @Nullable DirectCommands direct;

	private final KeyQueues queues;

	private final CommandSender sender;

	private final TimeSource clock;

	private final BackgroundRelease.Limit unanswered;

	Releases(@Nullable DirectCommands direct, KeyQueues queues, CommandSender sender, TimeSource clock) {
		this.direct = direct;
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
		ReleaseOutcome left = (this.direct != null) ? leaveDirectly(queue, holder, validity, this.direct) : null;
		if (left != null) {
			return left;
		}
		Effects handOff = queue.tryHandOff(holder, validity);
		if (handOff != null) {
			this.sender.runAsync(queue, handOff);
			return ReleaseOutcome.HANDED_OFF;
		}
		long leftNanos = validity.sessionBound() ? 0 : validity.remainingNanosAt(this.clock.nanoTime());
		long retryNanos = retryNanos(holder, Math.max(leaseEnd.toNanos(), leftNanos));
		BackgroundRelease background = (observer != null) ? this.unanswered.begin(observer) : null;
		return (background != null) ? releaseInBackground(queue, holder, retryNanos, background)
				: releaseHere(queue, holder, retryNanos);
	}

	/**
	 * Release a lock that no caller wants, on this thread if that takes no command: the
	 * executor may run nothing any more.
	 */
	void releaseUnwanted(KeyQueue queue, Holder holder, DirectCommands store) {
		if (leaveDirectly(queue, holder, holder.takeValidity(), store) == null) {
			releaseAsync(holder);
		}
	}

	/**
	 * Release a lock without a command.
	 * @return the outcome, or {@code null} if that takes a command; then nothing has
	 * changed
	 */
	private @Nullable ReleaseOutcome leaveDirectly(KeyQueue queue, Holder holder, Validity validity,
			DirectCommands store) {
		try {
			Effects effects = queue.leaveDirectly(holder, store);
			if (effects == null) {
				return null;
			}
			this.sender.runAsync(queue, effects);
			return ReleaseOutcome.RELEASED;
		}
		catch (RuntimeException | Error ex) {
			// The lock may still be held: it is released again, if it has not left. It
			// may be free, too: so it is never handed off, and to be gone is no loss.
			releaseAsync(holder, validity);
			if (ex instanceof Error) {
				throw ex;
			}
			logger.debug("Lock '" + queue.key() + "' could not be released without a command", ex);
			return ReleaseOutcome.UNANSWERED;
		}
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

	private ReleaseOutcome releaseHere(KeyQueue queue, Holder holder, long retryNanos) {
		Effects effects = queue.release(holder, this.clock.nanoTime() + retryNanos);
		return (effects != null) ? this.sender.runHere(queue, effects) : ReleaseOutcome.GONE;
	}

	private ReleaseOutcome releaseInBackground(KeyQueue queue, Holder holder, long retryNanos,
			BackgroundRelease background) {
		Effects effects = null;
		try {
			effects = queue.release(holder, this.clock.nanoTime() + retryNanos, background);
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
			this.sender.runAsync(queue, (effects != null) ? effects : queue.proceed());
		}
		catch (RuntimeException | Error ex) {
			// First: logging may fail for the same reason.
			this.sender.tasks().scheduleRecovery(() -> releaseAsync(holder, remainingNanos));
			logger.error("The release of lock '" + queue.key() + "' failed and is repeated", ex);
		}
	}

}
