package io.github.distlock.backend;

import java.time.Duration;
import java.util.Set;

import io.github.distlock.LockMode;

/**
 * What a store is and can do.
 *
 * @param name short name, a metric tag
 * @param modes the modes it offers; READ and WRITE only together
 * @param fair whether it keeps the order of arrival over all JVMs, one ticket a thread
 * @param expires whether a lock that nobody renews ends by itself in the store; otherwise
 * it lasts as long as the session of its holder
 * @param tokensPerGrant how many fencing tokens one grant covers; a reader's may be one
 * @param strayDelay how long a command whose answer was lost may still be on its way;
 * zero if that cannot happen
 * @param batchSize how many leases one renewal may hold
 */
public record BackendDescription(String name, Set<LockMode> modes, boolean fair, boolean expires, int tokensPerGrant,
		Duration strayDelay, int batchSize) {
}
