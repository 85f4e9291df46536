package io.github.distlock.sample.launcher;

import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Starts one Redis and one database, unless the user has them, and the three services,
 * and waits until all of them serve.
 */
final class Services {

	static final int NODES = 2;

	private static final int REDIS_PORT = 6379;

	private static final Duration PATIENCE = Duration.ofMinutes(2);

	private static final Duration LOOK_AGAIN = Duration.ofMillis(200);

	private final HttpClient http = HttpClient.newBuilder()
		.version(HttpClient.Version.HTTP_1_1)
		.connectTimeout(Duration.ofSeconds(2))
		.build();

	private final Children children;

	private final PortPicker ports;

	private final PrintStream out;

	private final int basePort;

	Services(Children children, PortPicker ports, int basePort, PrintStream out) {
		this.children = children;
		this.ports = ports;
		this.basePort = basePort;
		this.out = out;
	}

	/**
	 * Start everything. Blocks until it serves.
	 * @param settings what the services are told; completed with the embedded servers
	 * @return the addresses: the order service, then the inventory nodes
	 */
	List<URI> start(ServiceSettings settings) throws IOException, SQLException, InterruptedException {
		startDatabase(settings);
		startRedis(settings);
		Map<String, String> environment = settings.variables();
		List<Integer> ports = new ArrayList<>();
		for (int service = 0; service <= NODES; service++) {
			ports.add(pick((this.basePort > 0) ? this.basePort + service : 0));
		}
		List<URI> addresses = ports.stream().map((port) -> URI.create("http://127.0.0.1:" + port)).toList();
		List<Child> services = new ArrayList<>();
		for (int node = 1; node <= NODES; node++) {
			// One of them makes the tables: some databases do not like two at a time.
			services.add(this.children.start("inventory-" + node, environment, "inventory",
					"--server.port=" + ports.get(node),
					"--spring.sql.init.mode=" + ((node == 1) ? "always" : "never")));
		}
		services.add(0,
				this.children.start("orders", environment, "orders", "--server.port=" + ports.get(0),
						"--sample.orders.inventory-nodes=" + addresses.subList(1, addresses.size())
							.stream()
							.map(URI::toString)
							.collect(Collectors.joining(","))));
		for (int service = 0; service < services.size(); service++) {
			Child child = services.get(service);
			say(child.name(), "%s (pid %d)".formatted(addresses.get(service), child.process().pid()));
		}
		for (int service = 0; service < services.size(); service++) {
			URI health = addresses.get(service).resolve("/actuator/health");
			await(services.get(service), health.toString(), () -> isUp(health));
		}
		return addresses;
	}

	@SuppressWarnings("resource")
	private void startDatabase(ServiceSettings settings) throws SQLException {
		if (settings.hasDatabase()) {
			say("database", "as spring.datasource.* says");
			return;
		}
		// Lives as long as this JVM.
		EmbeddedDatabase database = new EmbeddedDatabase();
		settings.put("spring.datasource.url", database.url());
		settings.put("spring.datasource.username", database.user());
		settings.put("spring.datasource.password", database.password());
		say("database", database.url() + " (embedded)");
	}

	private void startRedis(ServiceSettings settings) throws IOException, InterruptedException {
		if (settings.hasRedis()) {
			say("redis", "as spring.data.redis.* says");
			return;
		}
		int port = pick((this.basePort > 0) ? REDIS_PORT : 0);
		settings.put("spring.data.redis.host", "127.0.0.1");
		settings.put("spring.data.redis.port", String.valueOf(port));
		Child keeper = this.children.start("redis", Map.of(), "redis", String.valueOf(port));
		await(keeper, "port " + port, () -> accepts(port));
		String server = keeper.process()
			.descendants()
			.map((process) -> "pid " + process.pid())
			.collect(Collectors.joining(", "));
		say("redis", "127.0.0.1:%d (embedded, %s)".formatted(port, server));
	}

	private int pick(int wished) {
		int port = this.ports.pick(wished);
		if (wished > 0 && port != wished) {
			this.out.printf("Port %d is taken: using %d%n", wished, port);
		}
		return port;
	}

	private void say(String name, String what) {
		this.out.printf("%-12s %s%n", name, what);
	}

	private void await(Child child, String what, Probe probe) throws InterruptedException {
		long start = System.nanoTime();
		while (!probe.answers()) {
			if (child.process().waitFor(LOOK_AGAIN.toMillis(), TimeUnit.MILLISECONDS)) {
				throw new IllegalStateException(child.failure("ended with status " + child.process().exitValue()));
			}
			if (System.nanoTime() - start > PATIENCE.toNanos()) {
				throw new IllegalStateException(
						child.failure("did not serve %s within %d s".formatted(what, PATIENCE.toSeconds())));
			}
		}
	}

	private boolean isUp(URI health) throws InterruptedException {
		try {
			HttpRequest request = HttpRequest.newBuilder(health).timeout(Duration.ofSeconds(10)).build();
			return this.http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode() == 200;
		}
		catch (IOException ex) {
			return false;
		}
	}

	private static boolean accepts(int port) {
		try (Socket socket = new Socket(InetAddress.getByName("127.0.0.1"), port)) {
			return socket.isConnected();
		}
		catch (IOException ex) {
			return false;
		}
	}

	/**
	 * Looks whether a server answers.
	 */
	private interface Probe {

		boolean answers() throws InterruptedException;

	}

}
