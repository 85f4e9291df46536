package io.github.distlock.registry;

import java.time.Duration;

import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockRequest;
import io.github.distlock.engine.HandOffLimits;
import org.jspecify.annotations.Nullable;

/**
 * The defaults and limits of a registry.
 *
 * @param waitTime how long a request without a wait time waits; negative means without
 * limit
 * @param leaseTime the lease that the watchdog renews, 100 ms to 365 days
 * @param maxHoldTime when the watchdog stops renewing; {@code null} means never
 * @param handOff how long a lock may be handed off within this JVM
 * @param backendTimeout how long a store may fail to answer before waiting callers fail
 * @param interruptOnLost whether the thread that owns a lost lock is interrupted
 * @param shutdownGrace how long a shutdown waits for held locks
 * @param application the name of the application in tickets; {@code null} if other JVMs
 * see no more of this one than an id
 * @param slowWait after which time a waiting caller is logged; zero for never
 * @param release when the release of a lock returns
 * @param maxWaiting how many callers may wait for a key if the request does not say it
 * @param recordKeys whether the events of the flight recorder have the text of keys
 */
public record RegistrySettings(Duration waitTime, Duration leaseTime, @Nullable Duration maxHoldTime,
		HandOffLimits handOff, Duration backendTimeout, boolean interruptOnLost, Duration shutdownGrace,
		@Nullable String application, Duration slowWait, ReleaseMode release, int maxWaiting, boolean recordKeys) {

	/**
	 * Longer durations behave the same, and could overflow the arithmetic of nanoseconds.
	 */
	private static final Duration LONGEST = Duration.ofDays(3650);

	/**
	 * Validate the lease time, and limit the other durations.
	 * @throws LockDefinitionException if the lease time is too short or too long
	 */
	public RegistrySettings {
		if (leaseTime.compareTo(LockRequest.MINIMUM_LEASE) < 0 || leaseTime.compareTo(LockRequest.MAXIMUM_LEASE) > 0) {
			throw new LockDefinitionException(
					"The lease time of the watchdog (distlock.lease-time) is " + leaseTime + ": use 100ms to 365 days");
		}
		maxHoldTime = (maxHoldTime != null) ? bounded(maxHoldTime) : null;
		backendTimeout = bounded(backendTimeout);
		shutdownGrace = bounded(shutdownGrace);
		slowWait = bounded(slowWait);
	}

	private static Duration bounded(Duration duration) {
		return (duration.compareTo(LONGEST) > 0) ? LONGEST : duration;
	}

	/**
	 * When the release of a lock returns.
	 */
	public enum ReleaseMode {

		/** When the store has answered. */
		CONFIRMED,

		/** When it is certain that the lease has not passed; the store answers later. */
		BACKGROUND

	}

}
