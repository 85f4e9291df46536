package io.github.distlock.testing;

import java.io.File;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

import io.github.distlock.installed.Installed;
import org.jspecify.annotations.Nullable;
import redis.embedded.core.ExecutableProvider;

import org.springframework.util.function.ThrowingSupplier;

/**
 * A {@code redis-server} process of a test. Several of them can form a topology, and each
 * can be paused and killed.
 */
public final class RedisProcess extends ChildProcess {

	private final int port;

	private final Path folder;

	private RedisProcess(ProcessBuilder builder, int port, Path folder) {
		super(builder);
		this.port = port;
		this.folder = folder;
	}

	/** Run commands, such as those of {@link DocumentedRights}. */
	@SafeVarargs
	public final RedisProcess with(List<String>... commands) {
		for (List<String> command : commands) {
			ask(command.toArray(String[]::new));
		}
		return this;
	}

	/** Start the Redis of the build with more lines of configuration. */
	public static RedisProcess start(int port, String... configuration) {
		return start(Executables.EMBEDDED, port, List.of(), configuration);
	}

	/**
	 * Start a Redis with options after its configuration, such as {@code --sentinel}, and
	 * with more lines of configuration.
	 */
	public static RedisProcess start(Path executable, int port, List<String> options, String... configuration) {
		return start(executable, Map.of(), port, options, configuration);
	}

	static RedisProcess start(Path executable, Map<String, String> environment, int port, List<String> options,
			String... configuration) {
		return ThrowingSupplier.of(() -> {
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
			RedisProcess redis = new RedisProcess(builder, port, folder);
			redis.awaitStart("Redis on port " + port, log, redis::answers);
			return redis;
		}).get();
	}

	/** The Redis of the build, or with {@code -Dredis.server} another server. */
	public static Path embedded() {
		return Executables.EMBEDDED;
	}

	private boolean answers() {
		try {
			return "PONG".equals(ask("PING"));
		}
		catch (IllegalStateException ex) {
			// The server requires a password, or is still loading.
			return String.valueOf(ex.getMessage()).startsWith("NOAUTH");
		}
		catch (UncheckedIOException ex) {
			return false;
		}
	}

	/** Send a command on a connection of its own. */
	public @Nullable Object ask(String... words) {
		try (RespConnection connection = new RespConnection(this.port)) {
			return connection.ask(words);
		}
	}

	/** A field of {@code INFO}, or an empty text. */
	public String info(String name) {
		String all = String.valueOf(ask("INFO", "all"));
		return all.lines()
			.filter((line) -> line.startsWith(name + ":"))
			.map((line) -> line.substring(name.length() + 1))
			.findFirst()
			.orElse("");
	}

	/**
	 * How often the server ran a command since the statistics were reset, also inside
	 * scripts.
	 */
	public long calls(String command) {
		String stats = info("cmdstat_" + command);
		return stats.isEmpty() ? 0 : Long.parseLong(stats.replaceAll("calls=(\\d+),.*", "$1"));
	}

	public int port() {
		return this.port;
	}

	@Override
	public void close() {
		super.close();
		for (String file : List.of("redis.conf", "redis.log", "nodes.conf", "dump.rdb")) {
			this.folder.resolve(file).toFile().delete();
		}
		this.folder.toFile().delete();
	}

	/** Unpacked once for each JVM. */
	private static final class Executables {

		static final Path EMBEDDED = embedded();

		private static Path embedded() {
			String other = System.getProperty("redis.server");
			if (other != null) {
				return Installed.named(other).orElse(Path.of(other));
			}
			File file = ThrowingSupplier.of(() -> ExecutableProvider.newJarResourceProvider().get()).get();
			file.deleteOnExit();
			return file.toPath();
		}

	}

}
