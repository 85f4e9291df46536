package io.github.distlock.registry;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * The defaults and limits of a registry.
 *
 * @param waitTime how long a request waits that does not say; negative means for ever
 * @param leaseTime the lease that the watchdog keeps alive, at least 100 ms
 * @param maxHoldTime when the watchdog stops renewing; {@code null} means never
 * @param backendTimeout how long a store may be silent before waiting ends
 * @param interruptOnLost whether the thread that owns a lost lock is interrupted
 * @param shutdownGrace how long shutdown waits for held locks
 */
public record RegistrySettings(Duration waitTime, Duration leaseTime, @Nullable Duration maxHoldTime,
		Duration backendTimeout, boolean interruptOnLost, Duration shutdownGrace) {
}
