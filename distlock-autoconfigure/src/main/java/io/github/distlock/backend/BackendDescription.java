package io.github.distlock.backend;

import java.time.Duration;
import java.util.Set;

import io.github.distlock.LockMode;

/**
 * A store and its abilities.
 *
 * @param name short name, used as a metric tag
 * @param modes the modes that the store supports; READ and WRITE only together
 * @param fair whether the store keeps the order of arrival across all JVMs, with one
 * ticket for each thread
 * @param expires whether a lock that is not renewed ends by itself in the store;
 * otherwise it lasts as long as the session of its holder
 * @param tokensPerGrant number of fencing tokens of one grant; the grant of a reader may
 * have only one
 * @param commandTimeout how long a command whose answer was lost may still take to
 * arrive; zero if that cannot happen
 * @param batchSize maximum number of leases in one renewal
 * @param permits whether the store limits the number of readers, see
 * {@link Ticket#permits()}; only with the mode READ
 */
public record BackendDescription(String name, Set<LockMode> modes, boolean fair, boolean expires, int tokensPerGrant,
		Duration commandTimeout, int batchSize, boolean permits) {

	/**
	 * Describe a store that does not limit the number of readers: requests with permits
	 * are refused.
	 * @param name short name, used as a metric tag
	 * @param modes the modes that the store supports; READ and WRITE only together
	 * @param fair whether the store keeps the order of arrival across all JVMs
	 * @param expires whether a lock that is not renewed ends by itself in the store
	 * @param tokensPerGrant number of fencing tokens of one grant
	 * @param commandTimeout how long a command whose answer was lost may still take to
	 * arrive
	 * @param batchSize maximum number of leases in one renewal
	 */
	public BackendDescription(String name, Set<LockMode> modes, boolean fair, boolean expires, int tokensPerGrant,
			Duration commandTimeout, int batchSize) {
		this(name, modes, fair, expires, tokensPerGrant, commandTimeout, batchSize, false);
	}

}
