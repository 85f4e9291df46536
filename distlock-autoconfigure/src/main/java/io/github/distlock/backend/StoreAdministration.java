package io.github.distlock.backend;

import java.time.Duration;
import java.util.List;

import io.github.distlock.LockBackendException;
import org.jspecify.annotations.Nullable;

/**
 * What operators and messages need of an open store: which instances use it, which ticket
 * holds a lock, and how a lock is ended by hand. No command of a lock depends on it. Each
 * method except {@link #location()} and {@link #channel()} sends commands, blocks until
 * they are answered or have timed out, and throws {@link LockBackendException} if the
 * store does not answer. Thread-safe.
 */
public interface StoreAdministration {

	/** How long an entry lives that is not refreshed. */
	Duration ENTRY_TTL = Duration.ofSeconds(30);

	/**
	 * Describe where the locks are, without credentials. Sends nothing.
	 * @return such as {@code Redis at db1:6379, prefix 'shop:'}
	 */
	String location();

	/**
	 * Describe the channel on which this JVM receives its grants. Sends nothing.
	 * @return {@code subscribed} or {@code polling}; {@code null} if the store has no
	 * such channel
	 */
	default @Nullable String channel() {
		return null;
	}

	/** Send the cheapest command that shows that the store works. */
	void ping();

	/**
	 * Write or refresh the entry of this instance, in one command. The store removes the
	 * entry {@link #ENTRY_TTL} later, or when its session ends.
	 */
	void announce();

	/** Remove the entry of this instance. */
	void withdraw();

	/**
	 * Return the entries of all instances.
	 * @return the entries that have not expired
	 */
	List<InstanceEntry> instances();

	/**
	 * Return what the store says about a lock.
	 * @param key the key of the lock
	 * @return the lock; without holders and waiting tickets if the store does not know it
	 */
	StoredLock inspect(String key);

	/**
	 * End one grant, whichever local caller is inside: as if its holder had released it,
	 * except that the next fencing token is higher than all tokens of the grant. Of
	 * readers only this one ends. The next waiting ticket is granted the lock. The former
	 * holder receives {@link LockSignals#ended}, at once where the store can signal,
	 * otherwise when it renews or releases.
	 * @param key the key of the lock
	 * @param grantToken the first fencing token of the grant
	 * @return whether that grant was ended
	 * @throws UnsupportedStoreOperationException if the store cannot do this
	 */
	EndResult end(String key, long grantToken);

	/**
	 * End everything that an instance holds, if the instance is dead. Limited in time and
	 * commands: call it again if the result is not complete.
	 * @param instance the id of the instance
	 * @return what was done
	 * @throws UnsupportedStoreOperationException if the store cannot do this
	 */
	SweepResult endAll(String instance);

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

	/**
	 * The result of ending everything that an instance holds.
	 *
	 * @param alive whether the instance is alive, or may be; then nothing was changed
	 * @param released how many grants were ended
	 * @param complete whether all locks of the store were searched
	 */
	record SweepResult(boolean alive, int released, boolean complete) {

		/** Nothing was changed, since the instance may be alive. */
		public static final SweepResult ALIVE = new SweepResult(true, 0, false);

	}

}
