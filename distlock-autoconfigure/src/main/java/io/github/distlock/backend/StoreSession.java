package io.github.distlock.backend;

/**
 * A session between this JVM and a store, on which grants depend: when it ends, the store
 * grants the locks of the session to other tickets.
 */
@FunctionalInterface
public interface StoreSession {

	/**
	 * Return whether the session is certain to be alive. Sends nothing and does not
	 * block: it is called for each question whether a lock is held. If the store has not
	 * answered for too long, the result is {@code false} before the session can have
	 * ended in the store. It becomes {@code true} again if the session turns out not to
	 * have ended.
	 * @return whether it is alive
	 */
	boolean isAlive();

	/**
	 * Return how long the session is certain to stay alive if no further answer arrives
	 * from the store. Sends nothing and does not block. Each answer of the store may
	 * extend it.
	 * @return nanoseconds, zero or less exactly if {@link #isAlive()} is {@code false};
	 * {@link Long#MAX_VALUE} if there is no such limit, as when the session lasts as long
	 * as a connection
	 */
	default long remainingNanos() {
		return isAlive() ? Long.MAX_VALUE : 0;
	}

}
