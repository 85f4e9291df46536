package io.github.distlock.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

import org.springframework.util.function.ThrowingSupplier;

import static org.awaitility.Awaitility.await;

/**
 * A process of a test, which can be killed and paused. Ends with this JVM at the latest.
 */
public abstract class ChildProcess implements AutoCloseable {

	private static final Duration START = Duration.ofMinutes(2);

	private final Thread atExit = new Thread(this::kill);

	private volatile Process process;

	protected ChildProcess(ProcessBuilder builder) {
		this.process = ThrowingSupplier.of(builder::start).get();
		Runtime.getRuntime().addShutdownHook(this.atExit);
	}

	/**
	 * The command that runs a program in a JVM with given options. Without a class path
	 * it gets the one of this JVM.
	 */
	protected static ProcessBuilder java(List<String> options, Class<?> program, List<String> arguments) {
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
						"-XX:+UseSerialGC", "-Xmx128m"));
		command.addAll(options);
		if (!options.contains("-cp")) {
			command.addAll(List.of("-cp", System.getProperty("java.class.path")));
		}
		command.add(program.getName());
		command.addAll(arguments);
		return new ProcessBuilder(command);
	}

	/** The configuration of the log of a child, which writes errors from a level on. */
	public static String logging(String level) {
		return """
				<configuration>
				  <statusListener class="ch.qos.logback.core.status.NopStatusListener"/>
				  <appender name="ERR" class="ch.qos.logback.core.ConsoleAppender">
				    <target>System.err</target>
				    <encoder><pattern>%d{HH:mm:ss.SSS} [%thread] %-5level %logger{0} %msg%n%nopex</pattern></encoder>
				  </appender>
				  <root level="LEVEL"><appender-ref ref="ERR"/></root>
				</configuration>
				""".replace("LEVEL", level);
	}

	/**
	 * Wait until it serves. If it does not, it is closed, and its log is in the message.
	 */
	protected final void awaitStart(String name, Path log, BooleanSupplier serves) {
		try {
			await().atMost(START)
				.pollDelay(Duration.ZERO)
				.pollInterval(Duration.ofMillis(5))
				.ignoreExceptions()
				.until(() -> !isAlive() || serves.getAsBoolean());
		}
		finally {
			if (!isAlive() || !serves.getAsBoolean()) {
				String said = ThrowingSupplier.of(() -> Files.readString(log)).get();
				close();
				throw new IllegalStateException("No " + name + ": " + said);
			}
		}
	}

	/** Start it once more, after it was killed. */
	protected final void restart(ProcessBuilder builder) {
		this.process = ThrowingSupplier.of(builder::start).get();
	}

	protected final Process process() {
		return this.process;
	}

	public final long pid() {
		return this.process.pid();
	}

	public final boolean isAlive() {
		return this.process.isAlive();
	}

	/** Kill it, as a power failure does. */
	public final void kill() {
		this.process.destroyForcibly();
		this.process.onExit().join();
	}

	/**
	 * Pause it, as a long garbage collection does. The kernel still accepts data for it.
	 * Returns when all its threads have stopped: on a busy machine some of them still run
	 * after the signal.
	 */
	public final void pause() {
		signal("STOP");
		Path threads = Path.of("/proc", Long.toString(pid()), "task");
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

	public final void resume() {
		signal("CONT");
	}

	private void signal(String signal) {
		if (!Signals.send(pid(), signal)) {
			throw new IllegalStateException("No process " + pid() + " for the signal " + signal);
		}
	}

	@Override
	public void close() {
		kill();
		try {
			Runtime.getRuntime().removeShutdownHook(this.atExit);
		}
		catch (IllegalStateException ex) {
			// The JVM is shutting down.
		}
	}

}
