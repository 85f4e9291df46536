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

	/**
	 * Start a server.
	 * @param settings further lines of its configuration
	 * @return the server
	 */
	public static RedisTestServer start(String... settings) {
		return start(freePort(), settings);
	}

	/**
	 * Start a server on a port.
	 * @param port the port
	 * @param settings further lines of its configuration
	 * @return the server
	 */
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

	/**
	 * Find a free port, which no other test uses.
	 * @return the port
	 */
	public static int freePort() {
		return FreePorts.next();
	}

	public int port() {
		return this.port;
	}

	/**
	 * Connect, as an application does.
	 * @return a started factory, to be destroyed
	 */
	public LettuceConnectionFactory connectionFactory() {
		return connectionFactory(this.port);
	}

	/**
	 * Connect to a port, as an application does. Only the quiet period at a shutdown is
	 * left out, in which the driver waits for further commands.
	 * @param port the port
	 * @return a started factory, to be destroyed
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
	 * How often the server ran a command, also inside scripts.
	 * @param connection any connection
	 * @param command the name of the command
	 * @return the count since the statistics were reset
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
