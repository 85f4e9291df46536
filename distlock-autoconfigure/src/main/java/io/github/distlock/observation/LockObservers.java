package io.github.distlock.observation;

import java.util.function.Supplier;

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
