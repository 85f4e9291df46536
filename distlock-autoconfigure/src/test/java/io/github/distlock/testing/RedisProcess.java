package io.github.distlock.testing;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import redis.embedded.core.ExecutableProvider;

/**
 * One {@code redis-server} process of the test's own, of which a whole topology can be
 * made, and which can be paused and killed. Ends with the JVM at the latest.
 */
public final class RedisProcess implements AutoCloseable {

	private static final Duration START = Duration.ofSeconds(10);

	private final Process process;

	private final int port;

	private final Path folder;

	private final Thread atExit = new Thread(this::kill);

	private RedisProcess(Process process, int port, Path folder) {
		this.process = process;
		this.port = port;
		this.folder = folder;
		Runtime.getRuntime().addShutdownHook(this.atExit);
	}

	/**
	 * Start the Redis that comes with the build.
	 * @param port its port
	 * @param configuration lines of its configuration, without what all have
	 * @return the server, answering
	 */
	public static RedisProcess start(int port, String... configuration) {
		return start(Executables.EMBEDDED, port, List.of(), configuration);
	}

	/**
	 * Start a Redis.
	 * @param executable which
	 * @param port its port
	 * @param options options behind the configuration, such as {@code --sentinel}
	 * @param configuration lines of its configuration, without what all have
	 * @return the server, answering
	 */
	public static RedisProcess start(Path executable, int port, List<String> options, String... configuration) {
		return start(executable, Map.of(), port, options, configuration);
	}

	/**
	 * Start a Redis.
	 * @param executable which
	 * @param environment variables that are added to those of this JVM
	 * @param port its port
	 * @param options options behind the configuration, such as {@code --sentinel}
	 * @param configuration lines of its configuration, without what all have
	 * @return the server, answering
	 */
	static RedisProcess start(Path executable, Map<String, String> environment, int port, List<String> options,
			String... configuration) {
		try {
			Path folder = Files.createTempDirectory("redis-" + port + "-");
			List<String> lines = new ArrayList<>(List.of("port " + port, "bind 127.0.0.1", "dir " + folder));
			if (!options.contains("--sentinel")) {
				lines.addAll(
						List.of("save \"\"", "appendonly no", "repl-diskless-sync yes", "repl-diskless-sync-delay 0"));
			}
			lines.addAll(Arrays.asList(configuration));
			Path file = Files.write(folder.resolve("redis.conf"), lines);
			List<String> command = new ArrayList<>(List.of(executable.toString(), file.toString()));
			command.addAll(options);
			Path log = folder.resolve("redis.log");
			ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
			builder.environment().putAll(environment);
			Process process = builder.start();
			RedisProcess redis = new RedisProcess(process, port, folder);
			redis.awaitStart(log);
			return redis;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Find the Redis that is installed on this machine; without one the test is skipped.
	 * @return its executable
	 */
	public static Path assumeInstalled() {
		Optional<Path> found = Arrays.stream(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
			.map((folder) -> Path.of(folder, "redis-server"))
			.filter(Files::isExecutable)
			.findFirst();
		Assumptions.assumeTrue(found.isPresent(), "No redis-server is installed on this machine");
		return found.orElseThrow();
	}

	/**
	 * Return the Redis that comes with the build.
	 * @return its executable
	 */
	public static Path embedded() {
		return Executables.EMBEDDED;
	}

	private void awaitStart(Path log) throws IOException {
		try {
			Awaitility.await().atMost(START).ignoreExceptions().until(() -> !this.process.isAlive() || answers());
		}
		finally {
			if (!this.process.isAlive() || !answers()) {
				String said = Files.readString(log);
				close();
				throw new IllegalStateException("No Redis on port " + this.port + ": " + said);
			}
		}
	}

	private boolean answers() {
		try {
			return "PONG".equals(ask("PING"));
		}
		catch (IllegalStateException ex) {
			// It wants a password first, or loads.
			return String.valueOf(ex.getMessage()).startsWith("NOAUTH");
		}
		catch (UncheckedIOException ex) {
			return false;
		}
	}

	/**
	 * Send one command on a connection of its own.
	 * @param words the command
	 * @return the answer
	 */
	public @Nullable Object ask(String... words) {
		try (RespConnection connection = new RespConnection(this.port)) {
			return connection.ask(words);
		}
	}

	/**
	 * Return a line of {@code INFO}.
	 * @param name the field
	 * @return its value, or an empty text
	 */
	public String info(String name) {
		String all = String.valueOf(ask("INFO", "all"));
		return all.lines()
			.filter((line) -> line.startsWith(name + ":"))
			.map((line) -> line.substring(name.length() + 1))
			.findFirst()
			.orElse("");
	}

	public int port() {
		return this.port;
	}

	/** Stop the process: the kernel still accepts what is sent. */
	public void stall() {
		ChildJvm.signal(this.process.pid(), "STOP");
	}

	/** Let the process go on. */
	public void goOn() {
		ChildJvm.signal(this.process.pid(), "CONT");
	}

	/** Kill it, as a power failure does. */
	public void kill() {
		this.process.destroyForcibly();
		this.process.onExit().join();
	}

	@Override
	public void close() {
		kill();
		try {
			Runtime.getRuntime().removeShutdownHook(this.atExit);
		}
		catch (IllegalStateException ex) {
			// The JVM ends already.
		}
		for (String file : List.of("redis.conf", "redis.log", "nodes.conf", "dump.rdb")) {
			this.folder.resolve(file).toFile().delete();
		}
		this.folder.toFile().delete();
	}

	/** Unpacked once a JVM. */
	private static final class Executables {

		static final Path EMBEDDED = embedded();

		private static Path embedded() {
			try {
				File file = ExecutableProvider.newJarResourceProvider().get();
				file.deleteOnExit();
				return file.toPath();
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

	}

}
