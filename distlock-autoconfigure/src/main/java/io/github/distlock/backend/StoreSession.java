package io.github.distlock.backend;

/**
 * A session between this JVM and a store, on which grants depend: when it ends, the store
 * grants the locks of the session to other tickets.
 */
@FunctionalInterface
public interface StoreSession {

	/**
	 * Return how long the session is certain to stay alive if no further answer arrives
	 * from the store. Sends nothing and does not block: it is called for each question
	 * whether a lock is held. If the store has not answered for too long, the result is
	 * zero or less before the session can have ended in the store. Each answer of the
	 * store may extend the time, also after that, if the session turns out not to have
	 * ended.
	 * @return nanoseconds, zero or less if the session is not certain to be alive;
	 * {@link Long#MAX_VALUE} if there is no such limit, as when the session lasts as long
	 * as a connection
	 */
	long remainingNanos();

	/**
	 * Return whether the session may end earlier, for example because an administrator
	 * ends it. Then only the store knows whether a lock is held, and one that it does not
	 * confirm is lost.
	 * @return by default, whether no time is known
	 */
	default boolean mayEndEarlier() {
		return remainingNanos() == Long.MAX_VALUE;
	}

}
