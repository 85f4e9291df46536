package io.github.distlock.sample.launcher;

import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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

	Services(Children children, Ports ports, Console console) {
		this.children = children;
		this.ports = ports;
		this.console = console;
	}

	/**
	 * Start the services. Blocks until all serve.
	 * @param basePort wished port of the order service, the nodes' follow
	 * @param environment what they are told
	 * @return the addresses: the order service, then the inventory nodes
	 */
	List<URI> start(int basePort, Map<String, String> environment) throws IOException, InterruptedException {
		List<URI> addresses = IntStream.rangeClosed(0, NODES)
			.map((service) -> this.ports.pick(basePort + service))
			.mapToObj((port) -> URI.create("http://127.0.0.1:" + port))
			.toList();
		List<Child> started = new ArrayList<>();
		started.add(startOrders(addresses, environment));
		for (int node = 1; node <= NODES; node++) {
			started.add(startNode(node, addresses.get(node), environment));
		}
		for (int service = 0; service <= NODES; service++) {
			Child child = started.get(service);
			this.console.item(child.name(), "%s (pid %d)".formatted(addresses.get(service), child.process().pid()));
		}
		Readiness readiness = new Readiness();
		for (int service = 0; service <= NODES; service++) {
			readiness.awaitHealth(started.get(service), addresses.get(service));
		}
		return addresses;
	}

	private Child startOrders(List<URI> addresses, Map<String, String> environment) throws IOException {
		String nodes = addresses.stream().skip(1).map(URI::toString).collect(Collectors.joining(","));
		return this.children.start("orders", environment, "orders", "--server.port=" + addresses.get(0).getPort(),
				"--sample.orders.inventory-nodes=" + nodes);
	}

	private Child startNode(int node, URI address, Map<String, String> environment) throws IOException {
		// One of them makes the tables: some databases do not like two at a time.
		String init = (node == 1) ? "always" : "never";
		return this.children.start("inventory-" + node, environment, "inventory", "--server.port=" + address.getPort(),
				"--spring.sql.init.mode=" + init);
	}

}
