package io.github.distlock.aop;

import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import io.github.distlock.HeldLock;
import io.github.distlock.LockRegistry;
import io.github.distlock.observation.LockObservation;
import io.github.distlock.observation.LockObserver;
import io.github.distlock.observation.LockObserver.ObservationScope;
import io.github.distlock.observation.LockObservers;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * Observes the work of locked calls, if the application wants that.
 *
 * @param observers finds the observer
 * @param stores describes the store of a registry
 */
record CallObservations(LockObservers observers, Function<LockRegistry, StoreFacts> stores) {

	/** Return the observation of the calling code. */
	@Nullable Object current() {
		LockObserver observer = this.observers.get();
		return (observer != null) ? observer.current() : null;
	}

	/** Make an observation of another thread the parent of those of this thread. */
	@Nullable ObservationScope childrenOf(@Nullable Object parent) {
		LockObserver observer = (parent != null) ? this.observers.get() : null;
		return (observer != null) ? observer.childrenOf(parent) : null;
	}

	/**
	 * Begin to observe the work of a call under its locks.
	 * @return the observation, {@code null} if it is not wanted
	 */
	@Nullable LockObservation section(LockedCall call, List<HeldLock> acquired) {
		LockObserver observer = this.observers.get();
		if (observer == null || !observer.observesSections()) {
			return null;
		}
		LockTarget first = call.targets().get(0);
		return observer.section(this.stores.apply(first.registry()).name(), first.request().mode(), acquired);
	}

	/**
	 * Run a call and end its observation when its result is complete.
	 * @param section the observation
	 * @param call returns the result, or a stage that completes with it
	 * @return what the call returned
	 * @throws Throwable the exception of the call
	 */
	static @Nullable Object observed(LockObservation section, MethodCall call) throws Throwable {
		Object result;
		try (ObservationScope scope = section.openScope()) {
			result = call.proceed();
			if (result instanceof CompletionStage<?> stage) {
				stage.whenComplete((value, failure) -> section.ended(ownFailure(failure)));
				return result;
			}
		}
		catch (Throwable ex) {
			section.ended(ex);
			throw ex;
		}
		section.ended(null);
		return result;
	}

	/** Return the failure that a stage reports, without the exception of the stage. */
	static @Nullable Throwable ownFailure(@Nullable Throwable failure) {
		return (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause() : failure;
	}

	/**
	 * The call of a method, such as {@link MethodInvocation#proceed()}.
	 */
	@FunctionalInterface
	interface MethodCall {

		@Nullable Object proceed() throws Throwable;

	}

}
