package io.github.distlock.waiting;

import java.time.Duration;
import java.util.function.Function;

import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.Validity;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The locks that stay in the store for a moment although their last holder has left, so
 * that the next caller of this JVM enters without a command: keeping them, and the
 * messages between the JVM that keeps a lock and those that want it. The {@link KeyQueue}
 * of each key decides. Thread-safe.
 */
public final class KeptLocks {

	private static final Log logger = LogFactory.getLog(KeptLocks.class);

	private final LockStore store;

	private final KeyQueues queues;

	private final CommandSender sender;

	private final LockReleaser releases;

	private volatile boolean closed;

	KeptLocks(LockStore store, KeyQueues queues, CommandSender sender, LockReleaser releases) {
		this.store = store;
		this.queues = queues;
		this.sender = sender;
		this.releases = releases;
	}

	/**
	 * Release a lock, or keep it in the store, without a command, if its request and its
	 * grant allow that. A kept lock is released in the background if no caller enters in
	 * time, or when another JVM asks for it.
	 * @param holder the holder that leaves
	 * @param validity the current validity of the grant
	 * @param leaseEnd how long the store may keep the lease if it cannot be reached
	 * @param background whether not to wait for the answer of a release
	 * @param observer receives what becomes of a release that no caller waits for
	 * @return the outcome, {@link ReleaseOutcome#KEPT} if the lock is kept
	 */
	public ReleaseOutcome keepOrRelease(Holder holder, Validity validity, Duration leaseEnd, boolean background,
			ReleaseObserver observer) {
		KeyQueue queue = (holder.keepNanos() > 0 && !this.closed) ? this.queues.find(holder.ticket()) : null;
		if (queue != null && keep(queue, holder, validity, observer)) {
			return ReleaseOutcome.KEPT;
		}
		return this.releases.release(holder, validity, leaseEnd, background ? observer : null);
	}

	private boolean keep(KeyQueue queue, Holder holder, Validity validity, ReleaseObserver observer) {
		BackgroundRelease release = this.releases.prepare(observer, validity);
		if (release == null) {
			return false;
		}
		try {
			Effects effects = queue.keep(holder, validity, release);
			if (effects == null) {
				release.drop();
				return false;
			}
			this.sender.run(queue, effects);
			if (this.closed) {
				// close() may have looked at the queue before the lock was kept.
				report(queue, KeyQueue::giveBackKept);
			}
			return true;
		}
		catch (RuntimeException | Error ex) {
			// It is unknown whether the lock is kept, and whether a timer will end that.
			this.sender.tasks().scheduleRecovery(() -> report(queue, (interrupted) -> {
				Effects effects = interrupted.giveBackKept();
				release.drop();
				return effects;
			}));
			throw ex;
		}
	}

	/** Report an event to a queue, again and again until no error interrupts it. */
	private void report(KeyQueue queue, Function<KeyQueue, Effects> event) {
		try {
			this.sender.run(queue, event.apply(queue));
		}
		catch (RuntimeException | Error ex) {
			this.sender.tasks().scheduleRecovery(() -> report(queue, event));
			logger.error("An event of the kept lock '" + queue.key() + "' failed and is handled again", ex);
		}
	}

	/**
	 * Handle the request of another JVM for a lock, or the end of its grant by an
	 * operator. If the lock is kept, it goes back to the store. Otherwise it is not kept
	 * any more. Does not block.
	 * @param held the ticket that was granted the lock
	 * @param grantToken the first token of that grant
	 * @param requester the ticket that wants an answer; {@code null} if none does
	 */
	public void asked(Ticket held, long grantToken, @Nullable Ticket requester) {
		KeyQueue queue = this.queues.find(held);
		if (queue == null) {
			return;
		}
		try {
			Effects effects = queue.asked(held);
			if (effects != null) {
				this.sender.run(queue, effects);
			}
			else if (requester != null) {
				refuse(requester);
			}
		}
		catch (RuntimeException | Error ex) {
			this.sender.tasks().scheduleRecovery(() -> asked(held, grantToken, requester));
			logger.error("A request of another instance for lock '" + held.key() + "' failed and is handled again", ex);
		}
	}

	private void refuse(Ticket requester) {
		this.sender.tasks().execute(() -> {
			try {
				this.store.refuse(requester);
			}
			catch (Throwable ex) {
				logger.debug("A caller of another instance waits in vain for the answer to its request", ex);
			}
		});
	}

	/**
	 * Handle the answer of another JVM which does not give a lock back at once. Does not
	 * block.
	 * @param requester the ticket that wanted an answer
	 */
	public void refused(Ticket requester) {
		KeyQueue queue = this.queues.find(requester);
		if (queue != null) {
			report(queue, (asking) -> asking.refused(requester));
		}
	}

	/**
	 * Keep no lock whose requests may have been lost, or may be lost from now on. Does
	 * not block.
	 */
	public void requestsMayBeLost() {
		this.queues.forEach((queue) -> report(queue, KeyQueue::requestsMayBeLost));
	}

	/** Give all kept locks back to the store. Does not block. */
	public void giveBackAll() {
		this.queues.forEach((queue) -> report(queue, KeyQueue::giveBackKept));
	}

	/** Keep no more locks. */
	void close() {
		this.closed = true;
		giveBackAll();
	}

}
