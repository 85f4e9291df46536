package io.github.distlock.registry;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

import io.github.distlock.LockListener;
import io.github.distlock.LockLostException;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.renewal.Lease;
import io.github.distlock.renewal.LeaseEvents;
import io.github.distlock.renewal.LeaseRenewer;
import io.github.distlock.renewal.LeaseTerms;
import io.github.distlock.waiting.Admission;
import io.github.distlock.waiting.Departure;
import io.github.distlock.waiting.WaitingRoom;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The locks that this JVM holds: which thread has which, how they end, and who is told.
 * Thread-safe.
 */
final class Holding implements LeaseEvents {

	private static final Log logger = LogFactory.getLog(Holding.class);

	/** More keys than this are seldom held at once by one thread. */
	private static final int CROWDED = 16;

	/**
	 * What each thread holds, or has lost without having left yet. Only its own thread
	 * touches a map; an empty one is removed.
	 */
	private final ThreadLocal<@Nullable Map<String, Hold>> owned = new ThreadLocal<>();

	/**
	 * All holds that were neither released nor lost. Whoever removes one tells its end.
	 */
	private final ConcurrentMap<Lease, Hold> open = new ConcurrentHashMap<>();

	private final String backend;

	private final WaitingRoom room;

	private final LeaseRenewer renewer;

	private final LockListener listeners;

	private final TimeSource clock;

	private final Executor executor;

	private final boolean interruptOnLost;

	Holding(String backend, WaitingRoom room, RenewerFactory renewerFactory, LockListener listeners, TimeSource clock,
			Executor executor, boolean interruptOnLost) {
		this.backend = backend;
		this.room = room;
		this.renewer = renewerFactory.create(this);
		this.listeners = listeners;
		this.clock = clock;
		this.executor = executor;
		this.interruptOnLost = interruptOnLost;
	}

	LeaseRenewer renewer() {
		return this.renewer;
	}

	boolean isEmpty() {
		return this.open.isEmpty();
	}

	/** Return what this thread has of a key. */
	@Nullable Hold ofThisThread(String key) {
		Map<String, Hold> mine = this.owned.get();
		return (mine != null) ? mine.get(key) : null;
	}

	int ofThisThread() {
		Map<String, Hold> mine = this.owned.get();
		return (mine != null) ? mine.size() : 0;
	}

	/** A new stay begins, of this thread or of nobody. */
	Hold begin(String key, String name, Admission admission, LeaseTerms terms, @Nullable Thread thread) {
		Lease lease = this.renewer.watch(admission.ticket(), admission.grant(), terms);
		Hold hold = new Hold(key, name, admission, lease, thread, this.clock.nanoTime());
		this.open.put(lease, hold);
		if (thread != null) {
			Map<String, Hold> mine = this.owned.get();
			if (mine == null) {
				mine = new HashMap<>(4);
				this.owned.set(mine);
			}
			else if (mine.size() >= CROWDED) {
				// Other threads may have closed some for this one.
				mine.values().removeIf(Hold::isOver);
			}
			mine.put(key, hold);
		}
		if (lease.isLost()) {
			// It may have been lost before it was in the map.
			lost(lease, "its lease has passed");
		}
		return hold;
	}

	/**
	 * Leave one level.
	 * @throws LockLostException if the lock was lost
	 */
	void leave(Hold hold) {
		if (!hold.leave()) {
			if (!hold.lease().isValid()) {
				throw lostException(hold);
			}
			return;
		}
		if (hold.thread() == Thread.currentThread()) {
			disown(hold);
		}
		Duration rest = Duration.ofNanos(hold.lease().remainingNanos());
		if (!hold.lease().close()) {
			this.renewer.forget(hold.lease());
			throw lostException(hold);
		}
		this.renewer.forget(hold.lease());
		this.open.remove(hold.lease());
		Departure departure = this.room.leave(hold.admission(), rest);
		if (departure == Departure.GONE) {
			tellLost(hold, "the store no longer knew it at the release");
			throw lostException(hold);
		}
		if (departure == Departure.PENDING) {
			logger.warn("The release of lock '" + hold.key()
					+ "' has not been acknowledged yet and goes on in the background");
		}
		this.listeners.onReleased(new LockListener.Released(this.backend, hold.name(), hold.key(),
				hold.admission().fencingToken(), heldSince(hold)));
	}

	/** Forget that this thread has a hold. */
	void disown(Hold hold) {
		Map<String, Hold> mine = this.owned.get();
		if (mine != null && mine.remove(hold.key(), hold) && mine.isEmpty()) {
			this.owned.remove();
		}
	}

	static LockLostException lostException(Hold hold) {
		return new LockLostException("Lock '" + hold.key() + "' (token " + hold.admission().fencingToken()
				+ ") was lost while it was held: another holder may have been inside meanwhile. Undo what was done"
				+ " under it, and use a longer leaseTime, or none to have the watchdog renew the lease");
	}

	@Override
	public void lost(Lease lease, String reason) {
		Hold hold = this.open.remove(lease);
		if (hold == null) {
			return;
		}
		this.renewer.forget(lease);
		this.room.abandon(hold.admission());
		Thread thread = hold.thread();
		if (this.interruptOnLost && thread != null && !hold.isOver()) {
			thread.interrupt();
		}
		tellLost(hold, reason);
	}

	@Override
	public void renewed(int renewed, int gone, int failed, Duration lateness) {
		this.listeners.onRenewed(new LockListener.Renewed(this.backend, renewed, gone, failed, lateness));
	}

	private void tellLost(Hold hold, String reason) {
		logger.warn("Lost lock '" + hold.key() + "' (" + hold.name() + ", token " + hold.admission().fencingToken()
				+ "): " + reason);
		this.listeners.onLost(new LockListener.Lost(this.backend, hold.name(), hold.key(),
				hold.admission().fencingToken(), heldSince(hold), reason));
		for (Runnable callback : hold.takeCallbacks()) {
			Runnable safe = () -> {
				try {
					callback.run();
				}
				catch (RuntimeException ex) {
					logger.error("A callback for the loss of lock '" + hold.key() + "' failed", ex);
				}
			};
			try {
				this.executor.execute(safe);
			}
			catch (RejectedExecutionException ex) {
				// The registry has been shut down: there is no other thread left.
				safe.run();
			}
		}
	}

	private Duration heldSince(Hold hold) {
		return Duration.ofNanos(this.clock.nanoTime() - hold.startNanos());
	}

	/** Makes the renewer, which needs to know whom to tell. */
	interface RenewerFactory {

		LeaseRenewer create(LeaseEvents events);

	}

}
