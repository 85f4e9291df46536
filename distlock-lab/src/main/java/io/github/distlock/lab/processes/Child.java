package io.github.distlock.lab.processes;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A process that the launcher started.
 *
 * @param name its name for the user
 * @param process the process
 * @param log the file of its output
 */
public record Child(String name, Process process, Path log) {

	/** The exit status of a process that crashed on request. */
	public static final int CRASHED = 86;

	private static final int TAIL = 25;

	/**
	 * Ask the process to end, by closing its standard input. Returns at once.
	 */
	void askToEnd() {
		try {
			this.process.getOutputStream().close();
		}
		catch (IOException ex) {
			// The process has already ended.
		}
	}

	/**
	 * Wait for the end of the process and of those that it started; after the given time
	 * they are killed.
	 * @param seconds how long it may take to end by itself
	 */
	void awaitEnd(long seconds) {
		List<ProcessHandle> family = this.process.descendants().toList();
		try {
			this.process.waitFor(seconds, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		this.process.destroyForcibly();
		family.forEach(ProcessHandle::destroyForcibly);
	}

	/**
	 * Describe its end as a failure.
	 * @return a message with the end of its log
	 */
	String failure() {
		return failure("ended with status " + this.process.exitValue());
	}

	/**
	 * Describe a failure of this process.
	 * @param what what happened to it
	 * @return a message with the end of its log
	 */
	String failure(String what) {
		return "%s %s. The end of its log %s:%n%s".formatted(this.name, what, this.log, tail());
	}

	private String tail() {
		try {
			List<String> lines = new String(Files.readAllBytes(this.log), StandardCharsets.UTF_8).lines().toList();
			return String.join(System.lineSeparator(), lines.subList(Math.max(0, lines.size() - TAIL), lines.size()));
		}
		catch (IOException ex) {
			return "(cannot be read: %s)".formatted(ex);
		}
	}

}
