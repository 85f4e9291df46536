package io.github.distlock.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Properties;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import redis.embedded.RedisServer;

/**
 * A real Redis on a free port, for one test class.
 */
public final class RedisTestServer implements AutoCloseable {

	private final RedisServer server;

	private final int port;

	private RedisTestServer(RedisServer server, int port) {
		this.server = server;
		this.port = port;
	}

	/** Start a server with further lines of configuration. */
	public static RedisTestServer start(String... settings) {
		return start(freePort(), settings);
	}

	public static RedisTestServer start(int port, String... settings) {
		try {
			var builder = RedisServer.newRedisServer()
				.executableProvider(() -> RedisProcess.embedded().toFile())
				.port(port)
				.bind("127.0.0.1")
				.setting("save \"\"")
				.setting("appendonly no");
			for (String setting : settings) {
				builder.setting(setting);
			}
			RedisServer server = builder.build();
			server.start();
			return new RedisTestServer(server, port);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** A free port, which no other test uses. */
	public static int freePort() {
		return FreePorts.next();
	}

	public int port() {
		return this.port;
	}

	/** Connect, as an application does. The started factory is to be destroyed. */
	public LettuceConnectionFactory connectionFactory() {
		return connectionFactory(this.port);
	}

	/**
	 * Return a started factory, to be destroyed. It leaves out the quiet period of a
	 * shutdown, in which the driver waits for further commands.
	 */
	public static LettuceConnectionFactory connectionFactory(int port) {
		LettuceConnectionFactory factory = new LettuceConnectionFactory(
				new RedisStandaloneConfiguration("127.0.0.1", port),
				LettuceClientConfiguration.builder().shutdownQuietPeriod(Duration.ZERO).build());
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

	/**
	 * How often the server ran a command since the statistics were reset, also inside
	 * scripts.
	 */
	public static long calls(RedisConnection connection, String command) {
		Properties stats = connection.serverCommands().info("commandstats");
		String line = (stats != null) ? stats.getProperty("cmdstat_" + command) : null;
		return (line != null) ? Long.parseLong(line.replaceAll("calls=(\\d+),.*", "$1")) : 0;
	}

	@Override
	public void close() {
		try {
			this.server.stop();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
