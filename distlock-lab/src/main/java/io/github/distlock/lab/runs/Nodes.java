package io.github.distlock.lab.runs;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.github.distlock.lab.processes.Child;
import io.github.distlock.lab.processes.Children;
import io.github.distlock.lab.processes.Readiness;
import io.github.distlock.lab.servers.Servers;
import io.github.distlock.lab.servers.ServiceSettings;
import io.github.distlock.lab.servers.Store;

/**
 * The inventory nodes, each a JVM of its own, and the lock stores that they have.
 */
public final class Nodes {

	/** How many there are. */
	public static final int COUNT = 2;

	private final Children children;

	private final Servers servers;

	private final Consumer<String> console;

	private final ServiceSettings settings;

	private final List<URI> addresses;

	private final Path logs;

	private final List<Child> nodes = new ArrayList<>();

	/**
	 * Prepare the nodes.
	 * @param children starts processes
	 * @param servers starts the servers of lock stores
	 * @param console gets a line for each node
	 * @param settings settings of the nodes
	 * @param addresses where the nodes are to serve
	 * @param logs folder of the nodes' logs and records
	 */
	public Nodes(Children children, Servers servers, Consumer<String> console, ServiceSettings settings,
			List<URI> addresses, Path logs) {
		this.children = children;
		this.servers = servers;
		this.console = console;
		this.settings = settings;
		this.addresses = List.copyOf(addresses);
		this.logs = logs;
	}

	/**
	 * Return the name of a node.
	 * @param node its number, from 1
	 */
	public static String name(int node) {
		return "inventory-" + node;
	}

	/**
	 * Return the number of a node, from 1.
	 * @param name its name
	 * @throws IllegalArgumentException if there is none of that name
	 */
	static int number(String name) {
		return IntStream.rangeClosed(1, COUNT)
			.filter((node) -> name(node).equals(name))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException("There is no node '%s'".formatted(name)));
	}

	/**
	 * Return the file to which a node writes its records.
	 * @param logs folder of the nodes' logs
	 * @param node its number, from 1
	 */
	public static Path records(Path logs, int node) {
		return logs.resolve(name(node) + ".records.jsonl");
	}

	/**
	 * Return where the nodes serve.
	 */
	List<URI> addresses() {
		return this.addresses;
	}

	/**
	 * Start the nodes. Blocks until they serve.
	 * @param stores the lock stores that they have besides; of two that exclude each
	 * other the first
	 * @param progress gets the name of each node before it is waited for
	 */
	public void start(Collection<Store> stores, Consumer<String> progress) throws IOException, InterruptedException {
		for (Store store : stores) {
			this.servers.start(store, this.settings, this.console);
			store.settings().forEach(this.settings::putIfAbsent);
		}
		for (int node = 1; node <= COUNT; node++) {
			Child child = startNode(node);
			this.nodes.add(child);
			this.console.accept("%-12s %s (pid %d)".formatted(child.name(), address(node), child.process().pid()));
		}
		for (int node = 1; node <= COUNT; node++) {
			progress.accept(name(node));
			new Readiness().awaitHealth(this.nodes.get(node - 1), address(node));
		}
	}

	/**
	 * Return the names of the nodes that have ended.
	 */
	List<String> dead() {
		return deadNodes().stream().map(Nodes::name).toList();
	}

	/**
	 * Start those nodes again that have ended. Blocks until all serve.
	 * @return whether there were any
	 */
	boolean revive() throws IOException, InterruptedException {
		List<Integer> dead = deadNodes();
		for (int node : dead) {
			this.nodes.set(node - 1, startNode(node));
		}
		for (int node : dead) {
			new Readiness().awaitHealth(this.nodes.get(node - 1), address(node));
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
	 * Start the nodes again with more stores. Blocks until they serve.
	 * @param stores the stores; of two that exclude each other the first
	 * @param progress gets a line before something is started
	 */
	void learn(Collection<Store> stores, Consumer<String> progress) throws IOException, InterruptedException {
		Map<String, String> added = new LinkedHashMap<>();
		for (Store store : stores) {
			this.servers.start(store, this.settings, progress);
			store.settings().forEach(added::putIfAbsent);
		}
		added.forEach(this.settings::put);
		progress.accept("restarting "
				+ IntStream.rangeClosed(1, COUNT).mapToObj(Nodes::name).collect(Collectors.joining(" and ")));
		this.children.end(this.nodes);
		revive();
	}

	private List<Integer> deadNodes() {
		return IntStream.rangeClosed(1, COUNT)
			.filter((node) -> !this.nodes.get(node - 1).process().isAlive())
			.boxed()
			.toList();
	}

	private URI address(int node) {
		return this.addresses.get(node - 1);
	}

	private Child startNode(int node) throws IOException {
		// One of them makes the tables: some databases do not like two at a time.
		String init = (node == 1) ? "always" : "never";
		List<String> arguments = new ArrayList<>(List.of("inventory", "--server.port=" + address(node).getPort(),
				"--spring.sql.init.mode=" + init, "--sample.node.records=" + records(this.logs, node)));
		if (node > 1) {
			arguments.add("--distlock.jdbc.initialize-schema=never");
		}
		return this.children.start(name(node), this.settings.variables(), arguments.toArray(String[]::new));
	}

}
