package io.github.distlock.observation;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;

import io.github.distlock.HeldLock;
import io.github.distlock.LockContext;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockMode;
import io.github.distlock.LockRegistry;
import io.github.distlock.observation.LockObserver.ObservationScope;
import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;

/**
 * Runs work under locks, and observes it.
 */
public final class LockedWork {

	private static final String PUBLISHER = "org.reactivestreams.Publisher";

	/** Results whose work begins or continues after the action has returned. */
	private static final List<Class<?>> UNFINISHED = ClassUtils.isPresent(PUBLISHER, LockedWork.class.getClassLoader())
			? List.of(CompletionStage.class, Flow.Publisher.class,
					ClassUtils.resolveClassName(PUBLISHER, LockedWork.class.getClassLoader()))
			: List.of(CompletionStage.class, Flow.Publisher.class);

	private LockedWork() {
	}

	/**
	 * Run the work of {@link LockRegistry#execute} under its lock, and release the lock:
	 * it is the current one, and the work is observed if the application wants that.
	 * @param <T> type of the result
	 * @param lock the lock, which has just been acquired
	 * @param observers finds the observer
	 * @param backend the name of its backend
	 * @param mode the mode in which it was requested
	 * @param action the work
	 * @return the result of the work
	 * @throws Exception what {@link LockRegistry#execute} throws
	 */
	public static <T extends @Nullable Object> T run(HeldLock lock, LockObservers observers, String backend,
			LockMode mode, Callable<T> action) throws Exception {
		try (lock) {
			LockObserver observer = observers.get();
			LockObservation section = (observer != null) ? observer.section(backend, mode, List.of(lock)) : null;
			return (section != null) ? observe(section, () -> call(lock, action)) : call(lock, action);
		}
	}

	private static <T extends @Nullable Object> T call(HeldLock lock, Callable<T> action) throws Exception {
		T result;
		try (LockContext.Scope scope = LockContext.open(lock)) {
			result = action.call();
		}
		if (result != null && isUnfinished(result)) {
			throw new LockDefinitionException("The action under lock '" + lock.key() + "' returned a "
					+ result.getClass().getSimpleName() + " whose work continues after the lock was released: use"
					+ " acquireAsync, and close the lock when the work is done");
		}
		return result;
	}

	private static boolean isUnfinished(Object result) {
		return (result instanceof Future<?> future) ? !future.isDone()
				: UNFINISHED.stream().anyMatch((type) -> type.isInstance(result));
	}

	/**
	 * Run work, and end its observation when its result is complete.
	 * @param <T> type of the result
	 * @param <X> what the work throws
	 * @param section the observation
	 * @param work the work
	 * @return the result of the work
	 * @throws X the exception of the work
	 */
	public static <T extends @Nullable Object, X extends Throwable> T observe(LockObservation section,
			ObservedWork<T, X> work) throws X {
		T result;
		try (ObservationScope scope = section.openScope()) {
			result = work.run();
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

	/**
	 * Return the failure that a stage reports, without the exception of the stage.
	 * @param failure what the stage completes with
	 * @return its cause, or the failure itself
	 */
	public static @Nullable Throwable ownFailure(@Nullable Throwable failure) {
		return (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause() : failure;
	}

	/**
	 * Work under locks.
	 *
	 * @param <T> type of the result
	 * @param <X> what the work throws
	 */
	public interface ObservedWork<T extends @Nullable Object, X extends Throwable> {

		/**
		 * Run the work.
		 * @return the result
		 * @throws X the failure of the work
		 */
		T run() throws X;

	}

}
