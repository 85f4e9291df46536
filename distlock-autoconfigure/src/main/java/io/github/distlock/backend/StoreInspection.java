package io.github.distlock.backend;

import io.github.distlock.LockBackendException;

/**
 * What an open store can tell operators about a lock, and do for them: an optional
 * ability of a {@link LockStore}. No command of a lock depends on it. Each method sends
 * commands, blocks until they are answered or have timed out, and throws
 * {@link LockBackendException} if the store does not answer. Thread-safe.
 */
public interface StoreInspection {

	/**
	 * Return what the store says about a lock.
	 * @param key the key of the lock
	 * @return the lock; without holders and waiting tickets if the store does not know it
	 * @throws UnsupportedOperationException if the store cannot do this; the message says
	 * what the operator can do instead
	 */
	StoredLock inspect(String key);

	/**
	 * End one grant, whichever local caller is inside: as if its holder had released it,
	 * except that the next fencing token is higher than all tokens of the grant. Of
	 * readers only this one ends. The next waiting ticket is granted the lock. The former
	 * holder finds its grant gone when it renews or releases. A store that knows more
	 * sends it {@link LockSignals#ended}, before it answers that.
	 * @param key the key of the lock
	 * @param grantToken the first fencing token of the grant
	 * @return whether that grant was ended
	 * @throws UnsupportedOperationException if the store cannot do this; the message says
	 * what the operator can do instead
	 */
	EndResult end(String key, long grantToken);

	/**
	 * The result of ending a grant.
	 */
	enum EndResult {

		/** The grant was ended. */
		ENDED,

		/** Another grant holds the lock. Nothing was changed. */
		CHANGED,

		/** The lock is not held. Nothing was changed. */
		NOT_HELD

	}

}
