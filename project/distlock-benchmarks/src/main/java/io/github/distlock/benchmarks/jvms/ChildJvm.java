package io.github.distlock.benchmarks.jvms;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.github.distlock.benchmarks.catalogue.PreviousVersion;

/**
 * A JVM that this one started: it is told lines and answers with lines, and ends with its
 * standard input.
 */
public final class ChildJvm implements AutoCloseable {

	private static final String END = "(the end)";

	private final Process process;

	private final String name;

	private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

	private ChildJvm(Process process, String name) {
		this.process = process;
		this.name = name;
		Thread reader = new Thread(this::read, name + "-output");
		reader.setDaemon(true);
		reader.start();
	}

	/**
	 * Start a JVM with the class path of this one.
	 * @param main what it runs
	 * @param log where its standard error goes
	 * @param options of the JVM
	 * @param arguments of the program
	 * @return the child, not ready yet
	 */
	public static ChildJvm start(Class<?> main, ProcessBuilder.Redirect log, List<String> options,
			String... arguments) {
		List<String> command = new ArrayList<>();
		command.add(Path.of(System.getProperty("java.home", ""), "bin", "java").toString());
		command.add("-XX:+UseSerialGC");
		command.add("-Djava.io.tmpdir=" + System.getProperty("java.io.tmpdir", "."));
		String previous = System.getProperty(PreviousVersion.PROPERTY);
		if (previous != null) {
			command.add("-D" + PreviousVersion.PROPERTY + "=" + previous);
			// An event class of the flight recorder cannot be loaded by two class
			// loaders.
			command.add("-Dio.lettuce.core.jfr=false");
		}
		command.addAll(options);
		command.addAll(List.of("-cp", System.getProperty("java.class.path", ""), main.getName()));
		command.addAll(List.of(arguments));
		try {
			return new ChildJvm(new ProcessBuilder(command).redirectError(log).start(), main.getSimpleName());
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
			// The child is gone.
		}
		this.lines.add(END);
	}

	/**
	 * Tell the child something.
	 * @param line what
	 */
	public void tell(String line) {
		try {
			this.process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
			this.process.getOutputStream().flush();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Wait for the next line of the child.
	 * @param patience how long to wait
	 * @return the line
	 * @throws IllegalStateException if it ended or said nothing in time
	 */
	public String answer(Duration patience) {
		try {
			String line = this.lines.poll(patience.toMillis(), TimeUnit.MILLISECONDS);
			if (line == null || line.equals(END)) {
				throw new IllegalStateException("%s (pid %d) %s".formatted(this.name, this.process.pid(),
						(line == null) ? "said nothing within " + patience : "ended"));
			}
			return line;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted while waiting for " + this.name, ex);
		}
	}

	/**
	 * Return its process number.
	 * @return the number
	 */
	public long pid() {
		return this.process.pid();
	}

	/** End it, and wait until it is gone. */
	@Override
	public void close() {
		try {
			this.process.getOutputStream().close();
			if (!this.process.waitFor(5, TimeUnit.SECONDS)) {
				this.process.destroyForcibly().waitFor(5, TimeUnit.SECONDS);
			}
		}
		catch (IOException ex) {
			this.process.destroyForcibly();
		}
		catch (InterruptedException ex) {
			this.process.destroyForcibly();
			Thread.currentThread().interrupt();
		}
	}

}
