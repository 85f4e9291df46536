package io.github.distlock.observation;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Supplier;

import io.github.distlock.HeldLock;
import io.github.distlock.LockContext;
import io.github.distlock.LockMode;
import io.github.distlock.LockRegistry;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The {@link LockObserver} of an application, if it has one. It is looked up at the first
 * acquisition, so that it may depend on beans that need a registry. Thread-safe.
 */
public final class LockObservers {

	/** For an application without observations. */
	public static final LockObservers NONE = new LockObservers(() -> null);

	private static final Log logger = LogFactory.getLog(LockObservers.class);

	private final Supplier<@Nullable LockObserver> source;

	/**
	 * Written without a lock, after {@link #observer}: concurrent threads find the same
	 * bean, and a thread must never wait for a bean that another thread creates.
	 */
	private volatile boolean known;

	private @Nullable LockObserver observer;

	/**
	 * Create an object that finds the observer later.
	 * @param source called at the first acquisition, and again at the next one if it
	 * fails
	 */
	public LockObservers(Supplier<@Nullable LockObserver> source) {
		this.source = source;
	}

	/**
	 * Return the observer.
	 * @return the observer, {@code null} if there is none
	 */
	public @Nullable LockObserver get() {
		return this.known ? this.observer : find();
	}

	/**
	 * Close a scope that may not exist.
	 * @param scope the scope, {@code null} without one
	 */
	public static void close(LockObserver.@Nullable ObservationScope scope) {
		if (scope != null) {
			scope.close();
		}
	}

	/**
	 * Run the work of {@link LockRegistry#execute} under its lock, and release the lock:
	 * it is the current one, and the work is observed if the application wants that.
	 * @param <T> type of the result
	 * @param lock the lock, which has just been acquired
	 * @param backend the name of its backend
	 * @param mode the mode in which it was requested
	 * @param action the work
	 * @return the result of the work
	 * @throws Exception what {@link LockRegistry#execute} throws
	 */
	public <T extends @Nullable Object> T execute(HeldLock lock, String backend, LockMode mode, Callable<T> action)
			throws Exception {
		try (lock) {
			LockObserver observer = get();
			LockObservation section = (observer != null) ? observer.section(backend, mode, List.of(lock)) : null;
			return (section != null) ? callObserved(section, lock, action) : call(lock, action);
		}
	}

	private static <T extends @Nullable Object> T callObserved(LockObservation section, HeldLock lock,
			Callable<T> action) throws Exception {
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

	private static <T extends @Nullable Object> T call(HeldLock lock, Callable<T> action) throws Exception {
		try (LockContext.Scope scope = LockContext.open(lock)) {
			return action.call();
		}
	}

	private @Nullable LockObserver find() {
		try {
			this.observer = this.source.get();
			this.known = true;
			return this.observer;
		}
		catch (RuntimeException | Error ex) {
			logger.debug("The observations of locks cannot be created yet, so no acquisition is observed", ex);
			return null;
		}
	}

}
