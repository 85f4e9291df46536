package io.github.distlock.waiting;

import java.time.Duration;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;
import io.github.distlock.waiting.Holder.ReleaseObserver;
import io.github.distlock.waiting.Holder.ReleaseOutcome;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of the grant when its holder leaves: it stays in the store for a moment
 * for the next caller of this JVM, passes to a waiter of this JVM, or goes back to the
 * store, with or without a caller that waits for the answer. Also handles the messages
 * between the JVM that keeps a lock and those that want it. The {@link KeyQueue} of each
 * key decides. Thread-safe.
 */
public final class LockReleaser {

	/** The release of an unwanted lock is repeated for at least this time. */
	private static final long MINIMUM_RETRY_NANOS = Duration.ofSeconds(5).toNanos();

	private static final Log logger = LogFactory.getLog(LockReleaser.class);

	private final LockStore store;

	private final KeyQueues queues;

	private final CommandSender sender;

	private final TimeSource clock;

	private final BackgroundRelease.Limit unanswered;

	private volatile boolean closed;

	LockReleaser(LockStore store, KeyQueues queues, CommandSender sender, TimeSource clock) {
		this.store = store;
		this.queues = queues;
		this.sender = sender;
		this.clock = clock;
		this.unanswered = new BackgroundRelease.Limit(clock);
	}

	/**
	 * Release a lock. Blocks until the store has answered one command, unless there is
	 * none or no caller is to wait for it. A kept lock is released in the background if
	 * no caller enters in time, or when another JVM asks for it.
	 * @param holder the holder that leaves
	 * @param validity the current validity of the grant
	 * @param leaseEnd how long the store may keep the lease if it cannot be reached
	 * @param keep whether this JVM may keep the lock in the store, if its request and its
	 * grant allow that
	 * @param background whether not to wait for the answer of a release, unless too many
	 * are unanswered
	 * @param observer receives what becomes of a release that no caller waits for;
	 * {@code null} if there can be none
	 * @return the outcome
	 */
	public ReleaseOutcome release(Holder holder, Validity validity, Duration leaseEnd, boolean keep, boolean background,
			@Nullable ReleaseObserver observer) {
		KeyQueue queue = this.queues.find(holder.ticket());
		if (queue == null) {
			return ReleaseOutcome.GONE;
		}
		if (keep && observer != null && !this.closed && keep(queue, holder, validity, observer)) {
			return ReleaseOutcome.KEPT;
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

	private boolean keep(KeyQueue queue, Holder holder, Validity validity, ReleaseObserver observer) {
		BackgroundRelease release = this.unanswered.prepare(observer, validity);
		if (release == null) {
			return false;
		}
		Effects effects = null;
		try {
			effects = queue.keep(holder, validity, release);
		}
		finally {
			if (effects == null) {
				release.end();
			}
		}
		if (effects == null) {
			return false;
		}
		this.sender.run(queue, effects);
		if (this.closed) {
			// close() may have looked at the queue before the lock was kept.
			this.sender.run(queue, queue.giveBackKept());
		}
		return true;
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

	// Messages about kept locks

	/**
	 * Handle the request of another JVM for a lock, or the end of its grant by an
	 * operator. If the lock is kept, it goes back to the store. Otherwise it is not kept
	 * any more. Does not block.
	 * @param held the ticket that was granted the lock
	 * @param requester the ticket that wants an answer; {@code null} if none does
	 */
	public void asked(Ticket held, @Nullable Ticket requester) {
		this.queues.onEvent(held, (queue) -> {
			Effects effects = queue.asked(held);
			if (effects == null && requester != null) {
				this.sender.tasks().execute(() -> refuse(requester));
			}
			return effects;
		});
	}

	private void refuse(Ticket requester) {
		try {
			this.store.refuse(requester);
		}
		catch (LockBackendException ex) {
			logger.debug("A caller of another instance waits in vain for the answer to its request", ex);
		}
	}

	/**
	 * Handle the answer of another JVM which does not give a lock back at once. Does not
	 * block.
	 * @param requester the ticket that wanted an answer
	 */
	public void refused(Ticket requester) {
		this.queues.onEvent(requester, (queue) -> queue.refused(requester));
	}

	/**
	 * Keep no lock whose requests may have been lost, or may be lost from now on. Does
	 * not block.
	 */
	public void requestsMayBeLost() {
		this.queues.forEach(KeyQueue::requestsMayBeLost);
	}

	/** Give all kept locks back to the store. Does not block. */
	public void giveBackAll() {
		this.queues.forEach(KeyQueue::giveBackKept);
	}

	/** Keep no more locks. */
	void close() {
		this.closed = true;
		giveBackAll();
	}

}
