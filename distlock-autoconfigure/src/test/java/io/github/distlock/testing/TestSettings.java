package io.github.distlock.testing;

import java.time.Duration;

import io.github.distlock.engine.HandOffLimits;
import io.github.distlock.registry.RegistrySettings;
import io.github.distlock.registry.RegistrySettings.ReleaseMode;
import org.jspecify.annotations.Nullable;

/** Settings of a registry for tests, and those that differ in one or two values. */
public final class TestSettings {

	/** No local hand-off: each release is sent to the store. */
	public static final HandOffLimits NO_HAND_OFF = new HandOffLimits(0, Duration.ZERO);

	private TestSettings() {
	}

	/**
	 * Return the settings of a registry without the name of an application, which logs
	 * waits of ten seconds, confirms releases, and lets any number of callers wait.
	 */
	public static RegistrySettings of(Duration waitTime, Duration leaseTime, @Nullable Duration maxHoldTime,
			HandOffLimits handOff, Duration backendTimeout, boolean interruptOnLost, Duration shutdownGrace) {
		return new RegistrySettings(waitTime, leaseTime, maxHoldTime, handOff, backendTimeout, interruptOnLost,
				shutdownGrace, null, Duration.ofSeconds(10), ReleaseMode.CONFIRMED, Integer.MAX_VALUE, false);
	}

	public static RegistrySettings reporting(RegistrySettings base, @Nullable String application, Duration slowWait) {
		return with(base, application, slowWait, base.release());
	}

	public static RegistrySettings releasing(RegistrySettings base, ReleaseMode release) {
		return with(base, base.application(), base.slowWait(), release);
	}

	private static RegistrySettings with(RegistrySettings base, @Nullable String application, Duration slowWait,
			ReleaseMode release) {
		return new RegistrySettings(base.waitTime(), base.leaseTime(), base.maxHoldTime(), base.handOff(),
				base.backendTimeout(), base.interruptOnLost(), base.shutdownGrace(), application, slowWait, release,
				base.maxWaiting(), base.recordKeys());
	}

}
