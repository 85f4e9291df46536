package io.github.distlock.registry;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

import io.github.distlock.LossCause;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;
import io.github.distlock.renewal.Lease;
import io.github.distlock.renewal.LeaseRenewer;
import io.github.distlock.renewal.LeaseTerms;
import io.github.distlock.waiting.Holder;
import io.github.distlock.waiting.LockAcquirer;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The locks that were closed before their minimum hold time had passed, and are retained
 * until then. The thread that removes a lock from {@link #locks} releases it, so it is
 * released once. Thread-safe.
 */
final class MinimumHoldTimes {

	private static final Log logger = LogFactory.getLog(MinimumHoldTimes.class);

	/** By the number of their tickets. */
	private final Map<Long, RetainedLock> locks = new ConcurrentHashMap<>();

	private final LockAcquirer acquirer;

	private final LeaseRenewer renewer;

	private final TimeSource clock;

	/** Whether leases end locks in the store. */
	private final boolean expiring;

	MinimumHoldTimes(LockAcquirer acquirer, LeaseRenewer renewer, TimeSource clock, boolean expiring) {
		this.acquirer = acquirer;
		this.renewer = renewer;
		this.clock = clock;
		this.expiring = expiring;
	}

	List<Ticket> tickets() {
		return this.locks.values().stream().map((lock) -> lock.holder().ticket()).toList();
	}

	/**
	 * Retain a lock that was closed.
	 * @return whether it is retained; otherwise nothing would end it, and the caller
	 * releases it
	 */
	boolean retain(Hold hold, Duration remainingMinHold) {
		RetainedLock lock = new RetainedLock(hold.holder(), hold.validity(), remainingMinHold, this.clock,
				this::release);
		this.locks.put(lock.ticket().number(), lock);
		this.renewer.watch(lock);
		// After the lock was added: either this thread or releaseUnlessExpiring() finds
		// it.
		if (this.expiring || !this.renewer.isStopped() || !this.locks.remove(lock.ticket().number(), lock)) {
			return true;
		}
		this.renewer.forget(lock);
		return false;
	}

	/**
	 * After the last scan of the leases: if no lease ends these locks in the store,
	 * release them in the background before their minimum hold time has passed.
	 * @return whether there were any
	 */
	boolean releaseUnlessExpiring() {
		if (this.expiring || this.locks.isEmpty()) {
			return false;
		}
		this.locks.values().forEach(this::release);
		return true;
	}

	private void release(RetainedLock lock) {
		this.renewer.forget(lock);
		if (this.locks.remove(lock.ticket().number(), lock)) {
			this.acquirer.releases().releaseAsync(lock.holder(), lock.validity());
		}
	}

	/**
	 * A lock in its minimum hold time. No caller works under it, so its end is not a
	 * loss.
	 */
	private static final class RetainedLock extends Lease {

		private final Holder holder;

		private final TimeSource clock;

		private final Consumer<RetainedLock> end;

		/**
		 * Create the lease.
		 * @param holder the holder that has closed the lock
		 * @param validity until when the grant counts; if that is too short the lease is
		 * renewed
		 * @param rest for how long the lock is retained
		 * @param clock the time source
		 * @param end called when the lock is to be released
		 */
		RetainedLock(Holder holder, Validity validity, Duration rest, TimeSource clock, Consumer<RetainedLock> end) {
			super(validity, new LeaseTerms(rest, LeaseTerms.lasting(rest), false, null, rest), clock);
			this.holder = holder;
			this.clock = clock;
			this.end = end;
		}

		Holder holder() {
			return this.holder;
		}

		@Override
		protected TimeSource clock() {
			return this.clock;
		}

		@Override
		protected Ticket ticket() {
			return this.holder.ticket();
		}

		@Override
		protected long lastToken() {
			return this.holder.lastToken();
		}

		@Override
		protected boolean isKeepable() {
			return this.holder.isKeepable();
		}

		@Override
		protected boolean countsFromConfirmation() {
			return false;
		}

		@Override
		protected @Nullable Thread owningThread() {
			return null;
		}

		@Override
		protected void lost(LossCause cause, String reason) {
			this.end.accept(this);
		}

	}

}
