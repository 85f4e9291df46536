package io.github.distlock.sample.launcher;

import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The order service and the inventory nodes, each a JVM of its own.
 */
final class Services {

	static final int NODES = 2;

	private final Children children;

	private final Ports ports;

	private final Console console;

	private final ServiceSettings settings;

	private final List<Child> nodes = new ArrayList<>();

	private List<URI> addresses = List.of();

	Services(Children children, Ports ports, Console console, ServiceSettings settings) {
		this.children = children;
		this.ports = ports;
		this.console = console;
		this.settings = settings;
	}

	/**
	 * Start the services. Blocks until all serve.
	 * @param basePort wished port of the order service, the nodes' follow
	 * @param stores the lock stores that the nodes have besides; of two that exclude each
	 * other the first
	 */
	void start(int basePort, Set<Store> stores) throws IOException, InterruptedException {
		this.addresses = IntStream.rangeClosed(0, NODES)
			.map((service) -> this.ports.pick(basePort + service))
			.mapToObj((port) -> URI.create("http://127.0.0.1:" + port))
			.toList();
		List<Child> started = new ArrayList<>();
		started.add(startOrders());
		// The order service has no locks.
		stores.forEach((store) -> store.settings().forEach(this.settings::putIfAbsent));
		for (int node = 1; node <= NODES; node++) {
			this.nodes.add(startNode(node));
		}
		started.addAll(this.nodes);
		for (int service = 0; service <= NODES; service++) {
			Child child = started.get(service);
			this.console.item(child.name(),
					"%s (pid %d)".formatted(this.addresses.get(service), child.process().pid()));
		}
		Readiness readiness = new Readiness();
		for (int service = 0; service <= NODES; service++) {
			readiness.awaitHealth(started.get(service), this.addresses.get(service));
		}
	}

	/**
	 * Say where they serve.
	 * @return the addresses: the order service, then the inventory nodes
	 */
	List<URI> addresses() {
		return this.addresses;
	}

	/**
	 * Start those nodes again that have ended. Blocks until all serve.
	 * @return whether there were any
	 */
	boolean revive() throws IOException, InterruptedException {
		List<Integer> dead = IntStream.rangeClosed(1, NODES)
			.filter((node) -> !this.nodes.get(node - 1).process().isAlive())
			.boxed()
			.toList();
		for (int node : dead) {
			this.nodes.set(node - 1, startNode(node));
		}
		for (int node : dead) {
			new Readiness().awaitHealth(this.nodes.get(node - 1), this.addresses.get(node));
		}
		return !dead.isEmpty();
	}

	/**
	 * Whether the nodes have a store.
	 * @param store the store
	 */
	boolean know(Store store) {
		return this.settings.contain(store.settings());
	}

	/**
	 * Start the nodes again with a store, in place of another one. Blocks until they
	 * serve.
	 * @param store the store
	 */
	void learn(Store store) throws IOException, InterruptedException {
		store.settings().forEach(this.settings::put);
		this.children.end(this.nodes);
		revive();
	}

	private Child startOrders() throws IOException {
		String addresses = this.addresses.stream().skip(1).map(URI::toString).collect(Collectors.joining(","));
		return this.children.start("orders", this.settings.variables(), "orders",
				"--server.port=" + this.addresses.get(0).getPort(), "--sample.orders.inventory-nodes=" + addresses);
	}

	private Child startNode(int node) throws IOException {
		// One of them makes the tables: some databases do not like two at a time.
		String init = (node == 1) ? "always" : "never";
		List<String> arguments = new ArrayList<>(List.of("inventory",
				"--server.port=" + this.addresses.get(node).getPort(), "--spring.sql.init.mode=" + init));
		if (node > 1) {
			arguments.add("--distlock.jdbc.initialize-schema=never");
		}
		return this.children.start("inventory-" + node, this.settings.variables(), arguments.toArray(String[]::new));
	}

}
