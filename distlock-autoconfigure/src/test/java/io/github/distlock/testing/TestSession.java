package io.github.distlock.testing;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

import org.awaitility.Awaitility;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

import org.springframework.util.function.ThrowingSupplier;

/** Prepares a JVM that runs tests. */
public final class TestSession implements LauncherSessionListener {

	/**
	 * How long a test waits for a condition that names no limit. Limits are there for
	 * hanging only, and a busy machine may need some seconds. Shorter than the leases of
	 * 30 s with which tests show that nothing waits for the end of a lease.
	 */
	private static final Duration LIMIT = Duration.ofSeconds(25);

	@Override
	public void launcherSessionOpened(LauncherSession session) {
		Awaitility.setDefaultTimeout(LIMIT);
		// The build names a folder below its own, and libraries such as Mockito expect it
		// to exist.
		ThrowingSupplier.of(() -> Files.createDirectories(Path.of(System.getProperty("java.io.tmpdir", "")))).get();
	}

}
