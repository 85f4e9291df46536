package io.github.distlock;

/**
 * Why a lock was lost. As precise as this JVM can know it: the store may not tell why it
 * has refused a renewal or a release.
 */
public enum LossCause {

	/**
	 * The lease time of the lock has passed: {@link LockRequest#leaseTime},
	 * {@link DistributedLock#leaseTime()} or {@link HeldLock#expireAfter}. Such a lock is
	 * not renewed.
	 */
	LEASE_EXPIRED("its lease has passed",
			"Use a longer leaseTime, or none to have the watchdog renew the lease until the lock is released"),

	/**
	 * The store has refused a renewal because another holder has the lock. Normally a
	 * lock is found to be lost before another one can get it, so the lock was deleted in
	 * the store, or the store had lost it.
	 */
	TAKEN_OVER("another holder has it in the store",
			"Check whether the lock was deleted in the store, by hand or by an application with the same key prefix, "
					+ "and whether the store has lost data"),

	/**
	 * The store has refused a renewal or a release because it no longer knows the lock as
	 * held by this holder: it was deleted, evicted, flushed, or lost by a restart or a
	 * failover. A store that cannot tell whether another holder has the lock answers the
	 * same.
	 */
	FORGOTTEN("the store no longer knows it",
			"Check whether the lock was deleted in the store, and whether the store was flushed, evicts keys, or has "
					+ "lost data by a restart or a failover"),

	/**
	 * The session with the store on which the lock depends has ended, or can no longer be
	 * relied on: a ZooKeeper session, or the database transaction of a lock in the JDBC
	 * mode {@code row}. Such a lock has no lease.
	 */
	SESSION_LOST("the session with the store on which it depends has ended or is in doubt",
			"Check the connection to the store, and who ended the session; for ZooKeeper, a longer session timeout "
					+ "survives longer interruptions"),

	/**
	 * The store has not answered the watchdog's renewals until the lease had passed.
	 */
	STORE_SILENT("its lease has passed, since the store confirmed no renewal in time",
			"Check that the store is reachable and answers in time. A longer distlock.lease-time survives longer "
					+ "interruptions"),

	/**
	 * The maximum hold time, after which the watchdog no longer renews, has passed:
	 * {@code distlock.max-hold-time}.
	 */
	MAX_HOLD_TIME("its maximum hold time (distlock.max-hold-time) has passed",
			"Hold the lock for a shorter time, or raise distlock.max-hold-time"),

	/**
	 * The thread that held a {@link java.util.concurrent.locks.Lock} view has died
	 * without unlocking it.
	 */
	OWNER_DIED("the thread that held it has died without releasing it", "Release the lock in a finally block"),

	/**
	 * This process, or its machine, was paused for so long that the watchdog did not
	 * renew the lease in time: a suspended machine, a frozen container, a long garbage
	 * collection, or no processor time.
	 */
	PROCESS_SUSPENDED("this process was paused until its lease had passed",
			"Check for pauses of the machine, of its container and of the garbage collector. A lease time longer than "
					+ "the longest pause survives it");

	private final String description;

	private final String remedy;

	LossCause(String description, String remedy) {
		this.description = description;
		this.remedy = remedy;
	}

	/**
	 * Return the cause in words, as messages and events contain it.
	 * @return a clause without a full stop, such as {@code its lease has passed}
	 */
	public String description() {
		return this.description;
	}

	/**
	 * Return what prevents such a loss, as messages contain it.
	 * @return a sentence without a full stop
	 */
	public String remedy() {
		return this.remedy;
	}

}
