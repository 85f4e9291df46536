package io.github.distlock.aop;

import java.util.List;
import java.util.function.UnaryOperator;

import io.github.distlock.HeldLock;
import io.github.distlock.LockContext;
import io.github.distlock.observation.LockObserver.ObservationScope;
import io.github.distlock.observation.LockObservers;
import io.micrometer.context.ContextSnapshot;
import io.micrometer.context.ContextSnapshotFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;

/**
 * What surrounds an asynchronous call on the side of its caller.
 *
 * @param locks the locks under which the method was called, innermost first
 * @param observation the observation of the caller, {@code null} without one
 * @param environment opens its scopes
 */
record CallerScope(List<HeldLock> locks, @Nullable Object observation, LockEnvironment environment) {

	private static final boolean PROPAGATION = ClassUtils.isPresent("io.micrometer.context.ContextSnapshotFactory",
			CallerScope.class.getClassLoader());

	/** Return what surrounds a call that the calling thread makes. */
	static CallerScope ofThisThread(LockedCall call) {
		LockEnvironment environment = call.locks().environment();
		return new CallerScope(LockContext.all(), environment.observation(), environment);
	}

	/**
	 * Work for the caller on this thread until the scope is closed. Sets nothing that
	 * belongs to the application.
	 */
	LockContext.Scope open() {
		ObservationScope observed = this.environment.childrenOf(this.observation);
		LockContext.Scope locked = LockContext.openAll(this.locks);
		if (observed == null) {
			return locked;
		}
		return () -> {
			locked.close();
			LockObservers.close(observed);
		};
	}

	/**
	 * Capture the thread-locals of this thread that are registered with Micrometer's
	 * context propagation, if that is on the class path. Nothing else is carried to the
	 * thread that does the work: threads of the library inherit nothing.
	 * @return binds a task to it
	 */
	static UnaryOperator<Runnable> captureContext() {
		return PROPAGATION ? Propagation.capture() : UnaryOperator.identity();
	}

	/**
	 * Loaded only if context propagation is on the class path.
	 */
	private static final class Propagation {

		private static final ContextSnapshotFactory SNAPSHOTS = ContextSnapshotFactory.builder().build();

		static UnaryOperator<Runnable> capture() {
			ContextSnapshot snapshot = SNAPSHOTS.captureAll();
			return snapshot::wrap;
		}

	}

}
