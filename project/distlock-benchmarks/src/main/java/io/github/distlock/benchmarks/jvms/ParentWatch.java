package io.github.distlock.benchmarks.jvms;

import java.io.IOException;
import java.io.InputStream;

/**
 * Ends this process when the one that started it is gone, whatever ended that one.
 */
public final class ParentWatch {

	/** Set to {@code process} for the launcher, which shares the terminal with Maven. */
	private static final String PROPERTY = "benchmarks.end-with-parent";

	private ParentWatch() {
	}

	/** Watch the parent process, if the system property says so. Returns at once. */
	public static void startIfAsked() {
		if (System.getProperty(PROPERTY, "").equals("process")) {
			ProcessHandle.current()
				.parent()
				.ifPresent((parent) -> parent.onExit().thenRun(() -> Runtime.getRuntime().halt(1)));
		}
	}

	/**
	 * Block until a stream ends, which the operating system sees to when the process at
	 * its other end is gone.
	 * @param input what a parent holds open
	 */
	public static void awaitEnd(InputStream input) {
		byte[] buffer = new byte[64];
		try {
			while (input.read(buffer) >= 0) {
				// A parent has nothing to say.
			}
		}
		catch (IOException ex) {
			// A broken pipe is an end, too.
		}
	}

}
