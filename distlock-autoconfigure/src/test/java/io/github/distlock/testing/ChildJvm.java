package io.github.distlock.testing;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import org.springframework.util.function.ThrowingSupplier;

/**
 * A program in a JVM of its own, which can be killed and paused. It prints a line when it
 * has started, and answers the lines that it reads.
 */
public class ChildJvm extends ChildProcess {

	/**
	 * A child without any output for so long hangs. Nothing else is limited: on a busy
	 * machine a line can take minutes, and the end of a child is seen at once.
	 */
	private static final long HANG_SECONDS = 900;

	/** After the last line. A line of a child has no such character. */
	private static final String END = "\0";

	private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

	/** Start a child, whose lines are not read yet. */
	protected ChildJvm(List<String> options, ProcessBuilder.Redirect errors, Class<?> program, List<String> arguments) {
		super(java(options, program, arguments).redirectError(errors));
	}

	public static ChildJvm start(Class<?> program, String... arguments) {
		return start(List.of(), program, arguments);
	}

	/**
	 * Start a child in a JVM with given options. Without a class path it gets the one of
	 * this JVM.
	 */
	public static ChildJvm start(List<String> options, Class<?> program, String... arguments) {
		ChildJvm child = new ChildJvm(options, ProcessBuilder.Redirect.INHERIT, program, List.of(arguments));
		child.read();
		child.expect("started");
		return child;
	}

	/** Read the lines of the child on a thread of their own. */
	protected final void read() {
		Thread reader = new Thread(() -> {
			try (BufferedReader in = process().inputReader(StandardCharsets.UTF_8)) {
				for (String line; (line = in.readLine()) != null;) {
					received(line);
				}
			}
			catch (IOException ex) {
				// The child was killed.
			}
			finally {
				this.lines.add(END);
			}
		}, "child-output");
		reader.setDaemon(true);
		reader.start();
	}

	/** Keep a line until it is expected. */
	protected void received(String line) {
		this.lines.add(line);
	}

	public ChildJvm send(String line) {
		return ThrowingSupplier.of(() -> {
			process().getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
			process().getOutputStream().flush();
			return this;
		}).get();
	}

	/** Wait for a line of the child, and collect the lines before it. */
	public List<String> linesBefore(String start) {
		List<String> before = new ArrayList<>();
		try {
			for (String line = next(start); !line.startsWith(start); line = next(start)) {
				before.add(line);
			}
			return before;
		}
		catch (IllegalStateException ex) {
			throw new IllegalStateException(ex.getMessage() + ", but:\n" + String.join("\n", before), ex);
		}
	}

	/**
	 * Wait for a line of the child, and return the rest of it. Other lines, such as those
	 * of a log, are skipped.
	 */
	public String expect(String start) {
		while (true) {
			String line = next(start);
			if (line.startsWith(start)) {
				return line.substring(start.length()).trim();
			}
		}
	}

	private String next(String expected) {
		return ThrowingSupplier.of(() -> {
			String line = this.lines.poll(HANG_SECONDS, TimeUnit.SECONDS);
			if (line == null) {
				throw new IllegalStateException(
						"The child printed nothing for " + HANG_SECONDS + " s, and not '" + expected + "'");
			}
			if (line.equals(END)) {
				// For the next call.
				this.lines.add(END);
				throw new IllegalStateException(
						"The child ended before it printed '" + expected + "', with status " + process().waitFor());
			}
			return line;
		}).get();
	}

}
