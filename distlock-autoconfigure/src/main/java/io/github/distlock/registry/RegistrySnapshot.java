package io.github.distlock.registry;

import java.time.Duration;
import java.util.List;

import io.github.distlock.LockMode;
import io.github.distlock.waiting.KeySnapshot;

/**
 * What a registry holds and waits for. Each lock and each key is read on its own, so the
 * whole is not one moment.
 *
 * @param held the locks that callers of this JVM hold
 * @param keys the keys that callers hold or wait for, or that have unfinished commands
 * @param watchedLeases how many leases are watched, those of minimum hold times included
 * @param timers how many timers are set
 * @param heldByThisThread how many locks the calling thread is remembered to hold
 */
record RegistrySnapshot(List<HeldLockSnapshot> held, List<KeySnapshot> keys, int watchedLeases, int timers,
		int heldByThisThread) {

	/** Return whether no lock is held, waited for, or on its way to the store. */
	boolean isIdle() {
		return this.watchedLeases == 0 && this.keys.isEmpty();
	}

	/**
	 * One held lock.
	 *
	 * @param key the key of the lock
	 * @param name the declared name of the lock
	 * @param mode the mode in which the store has granted it
	 * @param fencingToken the fencing token
	 * @param heldFor how long it has been held
	 * @param remaining what is left of its lease, zero if it is no longer held
	 * @param reentries how many acquisitions are open besides the first
	 */
	record HeldLockSnapshot(String key, String name, LockMode mode, long fencingToken, Duration heldFor,
			Duration remaining, int reentries) {

	}

}
