package io.github.distlock.backend;

/**
 * A session between this JVM and a store, on which grants depend: when it ends the store
 * gives the locks of the session to others.
 */
@FunctionalInterface
public interface StoreSession {

	/**
	 * Return whether the session lives for certain. Sends nothing and does not block: it
	 * is asked each time somebody asks whether a lock is held. A store that does not know
	 * says no in time, before the session can have ended there. It may say yes again when
	 * it has learned that the session has never ended.
	 * @return whether it lives
	 */
	boolean isAlive();

	/**
	 * Return for how long the session is certain to live if no further answer arrives
	 * from the store. Sends nothing and does not block. Each answer of the store may
	 * extend it.
	 * @return nanoseconds, zero or less exactly when the session is not alive for
	 * certain; {@link Long#MAX_VALUE} if the store knows no such time, as when the
	 * session lasts as long as a connection
	 */
	default long remainingNanos() {
		return isAlive() ? Long.MAX_VALUE : 0;
	}

}
