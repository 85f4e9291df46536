package io.github.distlock.testing;

import java.time.Duration;

import org.awaitility.Awaitility;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * Sets how long a test waits for a condition that names no limit. Limits are there for
 * hanging only, and a busy machine may need some seconds. Shorter than the leases of 30 s
 * with which tests show that nothing waits for the end of a lease.
 */
public final class LimitsOfTime implements LauncherSessionListener {

	@Override
	public void launcherSessionOpened(LauncherSession session) {
		Awaitility.setDefaultTimeout(Duration.ofSeconds(25));
	}

}
