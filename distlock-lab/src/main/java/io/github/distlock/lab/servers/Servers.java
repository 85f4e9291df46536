package io.github.distlock.lab.servers;

import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.github.distlock.lab.processes.Child;
import io.github.distlock.lab.processes.Children;
import io.github.distlock.lab.processes.Ports;
import io.github.distlock.lab.processes.Readiness;
import org.jspecify.annotations.Nullable;

/**
 * One database and one Redis for all services: those that the settings name, else
 * embedded ones. And the servers of other lock stores, when they are needed.
 */
public final class Servers {

	private static final String HOST = "127.0.0.1";

	private static final int REDIS_PORT = 6379;

	private static final int REDLOCK_PORT = 6380;

	private static final int REDLOCK_NODES = 5;

	private static final int ZOOKEEPER_PORT = 2181;

	private final Children children;

	private final Ports ports;

	private final Consumer<String> console;

	private final Set<Store> started = EnumSet.noneOf(Store.class);

	private volatile @Nullable StockReader embedded;

	/**
	 * Begin without servers.
	 * @param children starts processes
	 * @param ports chooses the ports
	 * @param console gets a line for each server
	 */
	public Servers(Children children, Ports ports, Consumer<String> console) {
		this.children = children;
		this.ports = ports;
		this.console = console;
	}

	/**
	 * Start a database and a Redis, unless the settings name them. Blocks until they
	 * serve.
	 * @param settings settings of the services; completed with the embedded servers
	 */
	public void start(ServiceSettings settings) throws IOException, SQLException, InterruptedException {
		if (settings.hasDatabase()) {
			item("database", "as spring.datasource.* says");
		}
		else {
			startDatabase(settings);
		}
		if (settings.hasRedis()) {
			item("redis", "as spring.data.redis.* says");
		}
		else {
			startRedis(settings);
		}
	}

	/**
	 * Start the servers of a lock store, unless they serve already. Blocks until they
	 * serve.
	 * @param store the store
	 * @param settings settings of the services; completed with the servers
	 * @param progress gets a line before something is started
	 */
	public void start(Store store, ServiceSettings settings, Consumer<String> progress)
			throws IOException, InterruptedException {
		if (!this.started.add(store)) {
			return;
		}
		if (store == Store.REDLOCK) {
			progress.accept("starting %d Redis masters".formatted(REDLOCK_NODES));
			startRedlock(settings);
		}
		if (store == Store.ZOOKEEPER) {
			progress.accept("starting a ZooKeeper");
			startZooKeeper(settings);
		}
	}

	/**
	 * Return what reads the stock.
	 * @param other what reads it if the database is not embedded
	 * @return a reader that works when the servers serve
	 */
	public StockReader stockReader(StockReader other) {
		return () -> {
			StockReader reader = this.embedded;
			return ((reader != null) ? reader : other).read();
		};
	}

	private void item(String name, String what) {
		this.console.accept("%-12s %s".formatted(name, what));
	}

	private void startDatabase(ServiceSettings settings) throws SQLException {
		EmbeddedDatabase database = EmbeddedDatabase.start();
		this.embedded = new EmbeddedStockReader(database);
		settings.put("spring.datasource.url", database.url());
		settings.put("spring.datasource.username", database.user());
		settings.put("spring.datasource.password", database.password());
		item("database", database.url() + " (embedded)");
	}

	private void startRedis(ServiceSettings settings) throws IOException, InterruptedException {
		int port = this.ports.pick(REDIS_PORT);
		settings.put("spring.data.redis.host", HOST);
		settings.put("spring.data.redis.port", String.valueOf(port));
		startRedis("redis", List.of(port));
	}

	private void startZooKeeper(ServiceSettings settings) throws IOException, InterruptedException {
		int port = this.ports.pick(ZOOKEEPER_PORT);
		Child child = this.children.startServer("zookeeper", List.of("zookeeper", String.valueOf(port)));
		new Readiness().awaitPort(child, port);
		String where = HOST + ":" + port;
		settings.put("distlock.zookeeper.connect-string", where);
		item("zookeeper", "%s (embedded, pid %d)".formatted(where, child.process().pid()));
	}

	private void startRedlock(ServiceSettings settings) throws IOException, InterruptedException {
		List<Integer> masters = IntStream.range(0, REDLOCK_NODES)
			.map((node) -> this.ports.pick(REDLOCK_PORT + node))
			.boxed()
			.toList();
		for (int node = 0; node < REDLOCK_NODES; node++) {
			settings.put("distlock.redlock.nodes[%d].host".formatted(node), HOST);
			settings.put("distlock.redlock.nodes[%d].port".formatted(node), String.valueOf(masters.get(node)));
		}
		startRedis("redlock", masters);
	}

	private void startRedis(String name, List<Integer> masters) throws IOException, InterruptedException {
		List<String> arguments = new ArrayList<>(List.of("redis"));
		masters.forEach((port) -> arguments.add(String.valueOf(port)));
		Child child = this.children.startServer(name, arguments);
		for (int port : masters) {
			new Readiness().awaitPort(child, port);
		}
		String server = child.process()
			.descendants()
			.map((process) -> "pid " + process.pid())
			.collect(Collectors.joining(", "));
		String where = masters.stream().map((port) -> HOST + ":" + port).collect(Collectors.joining(", "));
		item(name, "%s (embedded, %s)".formatted(where, server));
	}

}
