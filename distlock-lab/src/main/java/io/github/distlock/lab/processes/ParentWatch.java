package io.github.distlock.lab.processes;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * Ends this process when the process that started it has ended, for any reason.
 * <p>
 * A process started by the launcher reads its standard input, a pipe that the operating
 * system closes even if the launcher is killed. The launcher itself shares the terminal
 * with Maven and so watches Maven's process instead.
 */
public final class ParentWatch {

	/** Set to {@code input} or {@code process} by the program that starts this one. */
	public static final String PROPERTY = "sample.end-with-parent";

	private static final Duration SHUTDOWN = Duration.ofSeconds(10);

	private ParentWatch() {
	}

	/**
	 * Start to watch, if the system property {@value #PROPERTY} says how. Returns at
	 * once.
	 */
	public static void startIfAsked() {
		String how = System.getProperty(PROPERTY, "");
		if (how.equals("input")) {
			startDaemon("parent-watch", () -> {
				awaitEnd(System.in);
				exit();
			});
		}
		else if (how.equals("process")) {
			ProcessHandle.current().parent().ifPresent((parent) -> parent.onExit().thenRun(ParentWatch::exit));
		}
	}

	/**
	 * Block until the stream ends or fails.
	 * @param input what a parent holds open
	 */
	public static void awaitEnd(InputStream input) {
		byte[] buffer = new byte[64];
		try {
			while (input.read(buffer) >= 0) {
				// The parent writes nothing.
			}
		}
		catch (IOException ex) {
			// The end of the parent can also break the pipe.
		}
	}

	private static void exit() {
		startDaemon("parent-watch-halt", () -> {
			long end = System.nanoTime() + SHUTDOWN.toNanos();
			while (System.nanoTime() - end < 0) {
				LockSupport.parkNanos(end - System.nanoTime());
			}
			Runtime.getRuntime().halt(1);
		});
		System.exit(1);
	}

	private static void startDaemon(String name, Runnable body) {
		Thread thread = new Thread(body, name);
		thread.setDaemon(true);
		thread.start();
	}

}
