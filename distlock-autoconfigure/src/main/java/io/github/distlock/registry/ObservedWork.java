package io.github.distlock.registry;

import java.util.List;
import java.util.concurrent.Callable;

import io.github.distlock.HeldLock;
import io.github.distlock.LockContext;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.observation.LockObservation;
import io.github.distlock.observation.LockObserver;
import io.github.distlock.observation.LockObservers;

/**
 * Runs the work of {@link LockRegistry#execute} under its lock: the lock is the current
 * one, and the work is observed if the application wants that.
 */
final class ObservedWork {

	private ObservedWork() {
	}

	static <T> T execute(LockRegistry registry, LockObservers observers, String backend, LockRequest request,
			Callable<T> action) throws Exception {
		try (HeldLock lock = registry.acquire(request)) {
			LockObserver observer = observers.get();
			LockObservation section = (observer != null) ? observer.section(backend, request.mode(), List.of(lock))
					: null;
			return (section != null) ? callObserved(section, lock, action) : call(lock, action);
		}
	}

	private static <T> T callObserved(LockObservation section, HeldLock lock, Callable<T> action) throws Exception {
		try (LockObserver.ObservationScope observed = section.openScope()) {
			return call(lock, action);
		}
		catch (Throwable ex) {
			section.ended(ex);
			throw ex;
		}
		finally {
			section.ended(null);
		}
	}

	private static <T> T call(HeldLock lock, Callable<T> action) throws Exception {
		try (LockContext.Scope scope = LockContext.open(lock)) {
			return action.call();
		}
	}

}
