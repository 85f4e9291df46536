package io.github.distlock.testing;

import java.time.Duration;

import io.github.distlock.waiting.HandOffLimits;

/**
 * Limits of the local hand-off for tests.
 */
public final class TestHandOff {

	/** No local hand-off: each release is sent to the store. */
	public static final HandOffLimits NONE = new HandOffLimits(0, Duration.ZERO);

	private TestHandOff() {
	}

}
