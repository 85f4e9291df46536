package io.github.distlock.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * Creates the folder for temporary files before the first test: the build names one below
 * its own folder, and libraries such as Mockito expect it to exist.
 */
public final class TemporaryFolder implements LauncherSessionListener {

	@Override
	public void launcherSessionOpened(LauncherSession session) {
		try {
			Files.createDirectories(Path.of(System.getProperty("java.io.tmpdir", "")));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
