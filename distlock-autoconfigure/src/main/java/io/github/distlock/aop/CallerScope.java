package io.github.distlock.aop;

import java.util.List;

import io.github.distlock.HeldLock;
import io.github.distlock.LockContext;
import io.github.distlock.observation.LockObserver.ObservationScope;
import io.github.distlock.observation.LockObservers;
import org.jspecify.annotations.Nullable;

/**
 * What surrounds an asynchronous call on the side of its caller.
 *
 * @param locks the locks under which the method was called, innermost first
 * @param observation the observation of the caller, {@code null} without one
 * @param observations opens its scopes
 */
record CallerScope(List<HeldLock> locks, @Nullable Object observation, CallObservations observations) {

	/** Return what surrounds a call that the calling thread makes. */
	static CallerScope ofThisThread(LockedCall call) {
		CallObservations observations = call.locks().observations();
		return new CallerScope(LockContext.all(), observations.current(), observations);
	}

	/**
	 * Work for the caller on this thread until the scope is closed. Sets nothing that
	 * belongs to the application.
	 */
	LockContext.Scope open() {
		ObservationScope observed = this.observations.childrenOf(this.observation);
		LockContext.Scope locked = LockContext.openAll(this.locks);
		if (observed == null) {
			return locked;
		}
		return () -> {
			locked.close();
			LockObservers.close(observed);
		};
	}

}
