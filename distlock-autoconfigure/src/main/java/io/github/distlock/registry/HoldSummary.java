package io.github.distlock.registry;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

import io.github.distlock.registry.RegistrySnapshot.LockState;

/**
 * The locks that a registry holds, in figures.
 *
 * @param longest for each name how long its longest lock has been held
 * @param atRisk how many locks are likely to be lost soon, since their last renewal
 * failed and less than half of their lease is left
 * @param kept how many locks are kept in the store, although no caller holds them
 */
public record HoldSummary(Map<String, Duration> longest, int atRisk, int kept) {

	static HoldSummary of(RegistrySnapshot snapshot) {
		Map<String, Duration> longest = new HashMap<>();
		// The lock that is held longest is the first.
		snapshot.held().forEach((lock) -> longest.putIfAbsent(lock.name(), lock.heldFor()));
		long atRisk = snapshot.held().stream().filter((lock) -> lock.state() == LockState.AT_RISK).count();
		return new HoldSummary(longest, (int) atRisk, snapshot.kept().size());
	}

}
