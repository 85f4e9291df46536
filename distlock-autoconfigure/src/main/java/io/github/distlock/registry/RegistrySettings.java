package io.github.distlock.registry;

import java.time.Duration;

import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockRequest;
import io.github.distlock.waiting.HandOffLimits;
import org.jspecify.annotations.Nullable;

/**
 * The defaults and limits of a registry.
 *
 * @param waitTime how long a request waits that does not say; negative means for ever
 * @param leaseTime the lease that the watchdog keeps alive, 100 ms to 365 days
 * @param maxHoldTime when the watchdog stops renewing; {@code null} means never
 * @param handOff how long a lock may be passed on inside this JVM
 * @param backendTimeout how long a store may be silent before waiting ends
 * @param interruptOnLost whether the thread that owns a lost lock is interrupted
 * @param shutdownGrace how long shutdown waits for held locks
 */
public record RegistrySettings(Duration waitTime, Duration leaseTime, @Nullable Duration maxHoldTime,
		HandOffLimits handOff, Duration backendTimeout, boolean interruptOnLost, Duration shutdownGrace) {

	/**
	 * Longer is no different, and keeps the arithmetic of nanoseconds from overflowing.
	 */
	private static final Duration LONGEST = Duration.ofDays(3650);

	/**
	 * Check the lease and bound the rest.
	 * @throws LockDefinitionException if the lease is too short or too long
	 */
	public RegistrySettings {
		if (leaseTime.compareTo(LockRequest.MINIMUM_LEASE) < 0 || leaseTime.compareTo(LockRequest.MAXIMUM_LEASE) > 0) {
			throw new LockDefinitionException(
					"The lease time of the watchdog (distlock.lease-time) is " + leaseTime + ": use 100ms to 365 days");
		}
		maxHoldTime = (maxHoldTime != null) ? bounded(maxHoldTime) : null;
		backendTimeout = bounded(backendTimeout);
		shutdownGrace = bounded(shutdownGrace);
	}

	private static Duration bounded(Duration duration) {
		return (duration.compareTo(LONGEST) > 0) ? LONGEST : duration;
	}

}
