package io.github.distlock.sample.lab.launcher;

import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.IntConsumer;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;

/**
 * Starts everything, places the orders, prints and writes the report, and goes on serving
 * unless told to exit.
 */
public final class Launcher {

	private final Console console;

	private final IntConsumer exit;

	private final LabSettings.Starter lab;

	/**
	 * Whether this process is ending. A run that is in progress then fails, which is no
	 * news.
	 */
	private volatile boolean ending;

	/**
	 * Prepare a launch.
	 * @param out where the user reads
	 * @param exit ends this process with a status, when a started process fails
	 * @param lab starts the page and the order service
	 */
	public Launcher(PrintStream out, IntConsumer exit, LabSettings.Starter lab) {
		this.console = new Console(out, Colour.isShown(System.getenv(), System.console()));
		this.exit = exit;
		this.lab = lab;
	}

	/**
	 * Run the demonstration. Blocks until it is over; without {@code --exit} that is
	 * until this process is stopped. What was started ends with this process.
	 * @param args the options
	 * @return the status to exit with: 0 if the lock prevented every oversell and the
	 * other strategies showed the bug, else 1
	 */
	public int launch(String... args) {
		if (List.of(args).contains("--help")) {
			this.console.line("%s", Options.USAGE);
			return 0;
		}
		try {
			Path home = ProgramHome.find();
			Options options = Options.parse(args, home.resolve("oversell-report.json"));
			return launch(options, home);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return 1;
		}
		catch (Exception ex) {
			if (!this.ending) {
				this.console.failure(messageOf(ex));
			}
			return 1;
		}
	}

	private int launch(Options options, Path home) throws Exception {
		long start = System.nanoTime();
		ReportFile.prepare(options.report());
		if (!options.writes()) {
			this.console.line("%d orders for %d tickets, %s times; pid %d", options.orders(), options.stock(),
					options.tellsHistory() ? options.strategies().size() * options.faults().size() : "three",
					ProcessHandle.current().pid());
		}
		Ports ports = new Ports(new PortPicker(RandomGenerator.getDefault()), options.basePort() > 0, this.console);
		List<URI> addresses = IntStream.rangeClosed(0, Services.NODES)
			.map((service) -> ports.pick(options.basePort() + service))
			.mapToObj((port) -> URI.create("http://127.0.0.1:" + port))
			.toList();
		RunControl runs = new RunControl(RandomGenerator.getDefault(), (message) -> {
			if (!this.ending) {
				this.console.line("%s", message);
			}
		});
		runs.listen(new ConsoleProgress(this.console));
		start(options, home, ports, addresses, runs);
		this.console.line("All serve after %.1f s", (System.nanoTime() - start) / 1e9);
		if (options.writes()) {
			write(options, new Publication(runs, addresses.get(0), this.console));
			return 0;
		}
		RunRequest request = options.request();
		List<TrialResult> trials = runs.run(request);
		boolean complete = trials.size() == request.trials().size();
		boolean asExpected = complete && report(options, trials);
		if (!complete) {
			this.console.line("The run was stopped on the page: there is no report.");
		}
		if (!options.exit()) {
			goOnServing(addresses);
		}
		return asExpected ? 0 : 1;
	}

	private static void write(Options options, Publication publication) throws IOException, InterruptedException {
		Path story = options.story();
		if (story != null) {
			publication.writeStory(story);
		}
		Path page = options.page();
		if (page != null) {
			publication.writePage(page, options.request().strategies(), options.faults());
		}
	}

	private boolean report(Options options, List<TrialResult> trials) throws IOException {
		Outcome outcome = options.tellsHistory()
				? new History(options.orders(), options.stock(), Services.NODES, trials) : new Report(options.orders(),
						options.stock(), Services.NODES, trials.stream().map(TrialResult::figures).toList());
		outcome.write(options.report());
		this.console.line("%n%s%n%n%s%nWritten to %s", outcome.toTable(this.console.isColoured()), outcome.conclusion(),
				options.report());
		return outcome.asExpected();
	}

	/**
	 * Start the servers, the page and the nodes, and open the runs. Blocks until all
	 * serve.
	 */
	private void start(Options options, Path home, Ports ports, List<URI> addresses, RunControl runs) throws Exception {
		Path logs = home.resolve("oversell-logs");
		Children children = new Children(logs, this::fail);
		Runtime.getRuntime().addShutdownHook(new Thread(() -> {
			this.ending = true;
			children.end();
		}, "end-children"));
		ServiceSettings settings = new ServiceSettings(options.settings(), System.getProperties(), System.getenv());
		Set<Store> stores = new LinkedHashSet<>(options.strategies().stream().map(Strategy::store).toList());
		// A user can choose a fault on the page until this process ends.
		if (options.hasFaults() || options.writes() || !options.exit()) {
			new FaultSettings().addTo(settings);
		}
		Shop shop = new Shop(addresses.get(0), addresses.get(1));
		List<URI> nodes = addresses.subList(1, addresses.size());
		Servers servers = new Servers(children, ports, this.console);
		FutureTask<Void> serversStart = new FutureTask<>(() -> {
			servers.start(settings);
			return null;
		});
		new Thread(serversStart, "start-servers").start();
		// Read during trials only: then the servers serve.
		StockReader stock = servers.stockReader(() -> shop.level(Shop.ARTICLE));
		this.lab.start(new LabSettings(addresses.get(0).getPort(), nodes, records(logs), home, logs, runs, stock,
				options.settings()));
		this.console.line("Open http://localhost:%d/", addresses.get(0).getPort());
		runs.starts("H2, Redis");
		await(serversStart);
		Services services = new Services(children, servers, this.console, settings, nodes, logs);
		services.start(stores, runs::starts);
		List<FaultyNode> faulty = nodes.stream().map((node) -> new FaultyNode(node, services)).toList();
		runs.open(new Demonstration(shop, services, faulty, runs.listeners()));
	}

	/**
	 * Name the nodes' files of records, which are empty at first.
	 */
	private static Map<String, Path> records(Path logs) throws IOException {
		Map<String, Path> records = new TreeMap<>();
		for (int node = 1; node <= Services.NODES; node++) {
			Path file = Services.records(logs, node);
			Files.deleteIfExists(file);
			records.put(Services.name(node), file);
		}
		return records;
	}

	private static void await(FutureTask<Void> task) throws Exception {
		try {
			task.get();
		}
		catch (ExecutionException ex) {
			throw (ex.getCause() instanceof Exception cause) ? cause : ex;
		}
	}

	private void goOnServing(List<URI> addresses) throws InterruptedException {
		this.console.line("""

				Serving until stopped (Ctrl-C). The page: http://localhost:%4$d/. Try:
				  curl -X PUT  '%2$s/stock/ticket?quantity=10'
				  curl -X POST '%1$s/orders?sku=ticket&strategy=distributed-lock'
				  curl %2$s/stock/ticket
				  curl %2$s/actuator/health
				  curl %3$s/actuator/prometheus""", addresses.get(0), addresses.get(1), addresses.get(2),
				addresses.get(0).getPort());
		new CountDownLatch(1).await();
	}

	private void fail(String message) {
		this.console.failure(message);
		this.exit.accept(1);
	}

	private static String messageOf(Exception ex) {
		boolean worded = ex instanceof IllegalArgumentException || ex instanceof IllegalStateException;
		String message = ex.getMessage();
		return (worded && message != null) ? message : ex.toString();
	}

}
