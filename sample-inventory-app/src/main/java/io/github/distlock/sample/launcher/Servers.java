package io.github.distlock.sample.launcher;

import java.io.IOException;
import java.sql.SQLException;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * One database and one Redis for all services: those that the settings name, else
 * embedded ones.
 */
final class Servers {

	private static final int REDIS_PORT = 6379;

	private final Children children;

	private final Ports ports;

	private final Console console;

	Servers(Children children, Ports ports, Console console) {
		this.children = children;
		this.ports = ports;
		this.console = console;
	}

	/**
	 * Start what the user has not. Blocks until it serves.
	 * @param settings what the services are told; completed with the embedded servers
	 */
	void start(ServiceSettings settings) throws IOException, SQLException, InterruptedException {
		if (settings.hasDatabase()) {
			this.console.item("database", "as spring.datasource.* says");
		}
		else {
			startDatabase(settings);
		}
		if (settings.hasRedis()) {
			this.console.item("redis", "as spring.data.redis.* says");
		}
		else {
			startRedis(settings);
		}
	}

	private void startDatabase(ServiceSettings settings) throws SQLException {
		EmbeddedDatabase database = EmbeddedDatabase.start();
		settings.put("spring.datasource.url", database.url());
		settings.put("spring.datasource.username", database.user());
		settings.put("spring.datasource.password", database.password());
		this.console.item("database", database.url() + " (embedded)");
	}

	private void startRedis(ServiceSettings settings) throws IOException, InterruptedException {
		int port = this.ports.pick(REDIS_PORT);
		settings.put("spring.data.redis.host", "127.0.0.1");
		settings.put("spring.data.redis.port", String.valueOf(port));
		Child keeper = this.children.start(Children.REDIS, Map.of(), "redis", String.valueOf(port));
		new Readiness().awaitPort(keeper, port);
		String server = keeper.process()
			.descendants()
			.map((process) -> "pid " + process.pid())
			.collect(Collectors.joining(", "));
		this.console.item("redis", "127.0.0.1:%d (embedded, %s)".formatted(port, server));
	}

}
