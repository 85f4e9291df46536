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

}
