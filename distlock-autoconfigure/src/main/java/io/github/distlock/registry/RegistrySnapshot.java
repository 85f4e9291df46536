package io.github.distlock.registry;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.github.distlock.LockInstance;
import io.github.distlock.LockMode;
import io.github.distlock.engine.Hold;
import io.github.distlock.thread.LockThreads;
import io.github.distlock.engine.KeySnapshot;
import org.jspecify.annotations.Nullable;

/**
 * What a registry holds and waits for. Each lock and each key is read on its own, so the
 * whole is not one moment.
 *
 * @param instance the identity of the registry in the store
 * @param held the locks that callers of this JVM hold, the one that is held longest first
 * @param waiting the callers of this JVM that wait, the one that waits longest first
 * @param renewalLateness the time from the planned moment of the last batch of renewals
 * to its answer, zero without one
 * @param keys the keys that callers hold or wait for, or that have unfinished commands
 * @param watchedLeases how many leases are watched, those of minimum hold times included
 * @param timers how many timers are set
 * @param heldByThisThread how many locks the calling thread is remembered to hold
 */
public record RegistrySnapshot(LockInstance instance, List<HeldLockSnapshot> held, List<WaitingSnapshot> waiting,
		Duration renewalLateness, List<KeySnapshot> keys, int watchedLeases, int timers, int heldByThisThread) {

	/**
	 * Return whether no lock is held, waited for, or on its way to the store.
	 * @return whether the registry is idle
	 */
	public boolean isIdle() {
		return this.watchedLeases == 0 && this.keys.isEmpty();
	}

	/**
	 * One held lock.
	 *
	 * @param key the key of the lock
	 * @param name the declared name of the lock
	 * @param mode the mode in which the store has granted it
	 * @param permits its permits, 0 without a limit
	 * @param state whether the lock is held
	 * @param caller the name of the thread that holds the lock; {@code null} for
	 * asynchronous work
	 * @param since when the caller acquired the lock, by the clock of this JVM
	 * @param heldFor how long it has been held
	 * @param remaining what is left of its lease, zero if it is no longer held
	 * @param renewals how often its lease was renewed
	 * @param reentries how many acquisitions are open besides the first
	 * @param fencingToken the fencing token
	 * @param grantToken the first fencing token of the grant of the store
	 * @param waiting how many callers of this JVM wait for the key
	 */
	public record HeldLockSnapshot(String key, String name, LockMode mode, int permits, LockState state,
			@Nullable String caller, Instant since, Duration heldFor, Duration remaining, int renewals, int reentries,
			long fencingToken, long grantToken, int waiting) {

		static HeldLockSnapshot of(Hold hold, long wallMillis, int waiting) {
			Duration heldFor = Duration.ofNanos(hold.heldNanos());
			Duration remaining = Duration.ofNanos(hold.remainingNanos());
			LockState held = hold.isAtRisk() ? LockState.AT_RISK : LockState.HELD;
			Thread thread = hold.thread();
			return new HeldLockSnapshot(hold.key(), hold.label(), hold.mode(), hold.permits(),
					remaining.isZero() ? LockState.LOST : held, (thread != null) ? LockThreads.describe(thread) : null,
					Instant.ofEpochMilli(wallMillis - heldFor.toMillis()), heldFor, remaining, hold.renewals(),
					Math.max(0, hold.levels() - 1), hold.fencingToken(), hold.grantToken(), waiting);
		}

	}

	/**
	 * One waiting caller.
	 *
	 * @param key the key of the lock
	 * @param name the declared name of the lock
	 * @param mode the requested mode
	 * @param caller the name of the thread that waits
	 * @param since when the wait began, by the clock of this JVM
	 */
	public record WaitingSnapshot(String key, String name, LockMode mode, String caller, Instant since) {
	}

	/**
	 * The state of a lock that a caller holds.
	 */
	public enum LockState {

		/** The lock is held. */
		HELD,

		/**
		 * The lock is held, its renewal failed, and less than half of its lease is left.
		 */
		AT_RISK,

		/** The lock is lost, and its caller has not left yet. */
		LOST

	}

	/**
	 * The locks that a registry holds, in figures.
	 *
	 * @param longest for each name how long its longest lock has been held
	 * @param atRisk how many locks are likely to be lost soon, since their last renewal
	 * failed and less than half of their lease is left
	 */
	public record HoldSummary(Map<String, Duration> longest, int atRisk) {

		static HoldSummary of(RegistrySnapshot snapshot) {
			Map<String, Duration> longest = new HashMap<>();
			// The lock that is held longest is the first.
			snapshot.held().forEach((lock) -> longest.putIfAbsent(lock.name(), lock.heldFor()));
			long atRisk = snapshot.held().stream().filter((lock) -> lock.state() == LockState.AT_RISK).count();
			return new HoldSummary(longest, (int) atRisk);
		}

	}

}
