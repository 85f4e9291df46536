package io.github.distlock;

/**
 * Why a lock was lost. The cause is as precise as this JVM can know it: a store may not
 * say why it refused a renewal or a release.
 */
public enum LossCause {

	/**
	 * The lease time of the lock has passed before its release arrived in the store:
	 * {@link LockRequest#leaseTime} or {@link DistributedLock#leaseTime()}. A lock with
	 * such a lease time is not renewed.
	 */
	LEASE_EXPIRED("its lease has expired",
			"Use a longer leaseTime, or none to have the watchdog renew the lease until the lock is released"),

	/**
	 * The store refused a renewal because another holder has the lock. Normally a loss is
	 * detected before another holder can acquire the lock. So the lock was deleted in the
	 * store, or the store has lost it.
	 */
	TAKEN_OVER("another holder has it in the store",
			"Check whether an application or a user deleted the lock in the store, and whether the store has lost data"),

	/**
	 * The store refused a renewal or a release because it no longer knows that this
	 * holder has the lock: the lock was deleted, evicted or flushed, or was lost by a
	 * restart or a failover. This is also the cause if the store cannot tell whether
	 * another holder has the lock, or whether an operator ended the grant.
	 */
	FORGOTTEN("the store no longer knows it",
			"Check whether the lock was deleted, and whether the store was flushed, evicts keys, or has lost data"),

	/**
	 * The session with the store on which the lock depends has ended, or can no longer be
	 * relied on: a ZooKeeper session, or the database transaction of a lock in JDBC mode
	 * {@code connection}. Such a lock has no lease.
	 */
	SESSION_LOST("the session with the store on which it depends has ended or is in doubt",
			"Check the connection to the store, and what ends its sessions: a time-out, a pooler or an administrator"),

	/**
	 * The store did not answer the renewals of the watchdog, or did not receive the
	 * release, before the lease expired.
	 */
	STORE_SILENT("its lease has expired, since the store confirmed no renewal in time",
			"Check that the store answers in time. A longer distlock.lease-time survives longer interruptions"),

	/**
	 * The maximum hold time {@code distlock.max-hold-time} has passed. After it the
	 * watchdog does not renew the lease.
	 */
	MAX_HOLD_TIME("its maximum hold time (distlock.max-hold-time) has passed",
			"Hold the lock for a shorter time, or raise distlock.max-hold-time"),

	/**
	 * The thread that held a {@link java.util.concurrent.locks.Lock} view has ended
	 * without unlocking it.
	 */
	OWNER_DIED("the thread that held it has died without releasing it", "Release the lock in a finally block"),

	/**
	 * This process, or its machine, was paused for so long that the watchdog did not
	 * renew the lease in time: a suspended machine, a frozen container, a long garbage
	 * collection, or no processor time. A wall clock that is set forward looks the same.
	 */
	PROCESS_SUSPENDED("this process was paused until the lease had expired",
			"Check for pauses of the machine and of the garbage collector, and for a clock that was set forward"),

	/**
	 * An operator ended the grant in the store, for example through the actuator endpoint
	 * {@code distlocks}. ZooKeeper and Redlock cannot tell it.
	 */
	RELEASED_BY_OPERATOR("an operator has released it",
			"Find out why: the audit events and the log of the actuator endpoint name the user"),

	/**
	 * The application context was paused and started again while the lock was held for
	 * longer than the grace period {@code distlock.shutdown-grace-period}. Concerns
	 * stores in which leases end locks: the lock stays there until its lease ends.
	 */
	REGISTRY_RESTARTED("its lock registry was stopped and started again while it was held",
			"Release locks before the application context is paused, or raise distlock.shutdown-grace-period");

	private final String description;

	private final String remedy;

	LossCause(String description, String remedy) {
		this.description = description;
		this.remedy = remedy;
	}

	/**
	 * Return the cause in words, as used in messages and events.
	 * @return a clause without a full stop, such as {@code its lease has expired}
	 */
	public String description() {
		return this.description;
	}

	/**
	 * Return how to prevent such a loss, as used in messages.
	 * @return a sentence without a full stop
	 */
	public String remedy() {
		return this.remedy;
	}

}
