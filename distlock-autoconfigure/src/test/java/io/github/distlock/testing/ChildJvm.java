package io.github.distlock.testing;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import static org.awaitility.Awaitility.await;

/**
 * A program in a JVM of its own, which can be killed and paused. It prints a line when it
 * has started, and answers the lines that it reads.
 */
public final class ChildJvm implements AutoCloseable {

	/**
	 * A child without any output for so long hangs. Nothing else is limited: on a busy
	 * machine a line can take minutes, and the end of a child is seen at once.
	 */
	private static final long HANG_SECONDS = 900;

	/** After the last line. A line of a child has no such character. */
	private static final String END = "\0";

	private final Process process;

	private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

	private ChildJvm(Process process) {
		this.process = process;
		Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
		Thread reader = new Thread(this::read, "child-output");
		reader.setDaemon(true);
		reader.start();
	}

	/** Start a child that runs a program. */
	public static ChildJvm start(Class<?> program, String... arguments) {
		return start(List.of(), program, arguments);
	}

	/**
	 * Start a child in a JVM with given options. Without a class path it gets the one of
	 * this JVM.
	 */
	public static ChildJvm start(List<String> options, Class<?> program, String... arguments) {
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
						"-XX:+UseSerialGC", "-Xmx128m"));
		command.addAll(options);
		if (!options.contains("-cp")) {
			command.addAll(List.of("-cp", System.getProperty("java.class.path")));
		}
		command.add(program.getName());
		command.addAll(List.of(arguments));
		try {
			ChildJvm child = new ChildJvm(
					new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
			child.expect("started");
			return child;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private void read() {
		try (BufferedReader reader = this.process.inputReader(StandardCharsets.UTF_8)) {
			for (String line; (line = reader.readLine()) != null;) {
				this.lines.add(line);
			}
		}
		catch (IOException ex) {
			// The child was killed.
		}
		finally {
			this.lines.add(END);
		}
	}

	/** Send a line to the child. */
	public ChildJvm send(String line) {
		try {
			this.process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
			this.process.getOutputStream().flush();
			return this;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
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
		try {
			String line = this.lines.poll(HANG_SECONDS, TimeUnit.SECONDS);
			if (line == null) {
				throw new IllegalStateException(
						"The child printed nothing for " + HANG_SECONDS + " s, and not '" + expected + "'");
			}
			if (line.equals(END)) {
				// For the next call.
				this.lines.add(END);
				throw new IllegalStateException(
						"The child ended before it printed '" + expected + "', with status " + this.process.waitFor());
			}
			return line;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	/** Kill the child, as a power failure does. */
	public void kill() {
		this.process.destroyForcibly();
		this.process.onExit().join();
	}

	/**
	 * Pause the child, as a long garbage collection does. Returns when all its threads
	 * have stopped: on a busy machine some of them still run after the signal.
	 */
	public void pause() {
		signal(this.process.pid(), "STOP");
		Path threads = Path.of("/proc", Long.toString(this.process.pid()), "task");
		if (Files.isDirectory(threads)) {
			await().ignoreExceptionsInstanceOf(IOException.class)
				.pollInterval(Duration.ofMillis(1))
				.until(() -> areStopped(threads));
		}
	}

	private static boolean areStopped(Path threads) throws IOException {
		try (Stream<Path> folders = Files.list(threads)) {
			for (Path folder : folders.toList()) {
				String state = Files.readString(folder.resolve("stat"));
				if (!state.substring(state.lastIndexOf(')') + 1).trim().startsWith("T")) {
					return false;
				}
			}
			return true;
		}
	}

	/** Resume the child. */
	public void resume() {
		signal(this.process.pid(), "CONT");
	}

	/** Send a signal to a process. */
	public static void signal(long pid, String signal) {
		try {
			int status = new ProcessBuilder("kill", "-" + signal, Long.toString(pid)).inheritIO().start().waitFor();
			if (status != 0) {
				throw new IllegalStateException("kill -" + signal + " ended with " + status);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public void close() {
		this.process.destroyForcibly();
	}

}
