package io.github.distlock.registry;

import java.util.List;
import java.util.concurrent.Callable;

import io.github.distlock.HeldLock;
import io.github.distlock.LockContext;
import io.github.distlock.LockRequest;
import io.github.distlock.observation.LockObservation;
import io.github.distlock.observation.LockObserver;
import io.github.distlock.observation.LockObservers;

/**
 * Runs the work of {@code LockRegistry.execute} under its lock: the lock is the current
 * one, and the work is observed if the application wants that.
 */
final class ObservedWork {

	private ObservedWork() {
	}

	static <T> T call(LockObservers observers, String backend, LockRequest request, HeldLock lock, Callable<T> action)
			throws Exception {
		LockObserver observer = observers.get();
		LockObservation section = (observer != null) ? observer.section(backend, request.mode(), List.of(lock)) : null;
		if (section == null) {
			return call(lock, action);
		}
		T result;
		try (LockObserver.ObservationScope observed = section.openScope()) {
			result = call(lock, action);
		}
		catch (Throwable ex) {
			section.ended(ex);
			throw ex;
		}
		section.ended(null);
		return result;
	}

	private static <T> T call(HeldLock lock, Callable<T> action) throws Exception {
		LockContext.Scope scope = LockContext.open(lock);
		try {
			return action.call();
		}
		finally {
			scope.close();
		}
	}

}
