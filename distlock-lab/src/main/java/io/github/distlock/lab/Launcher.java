package io.github.distlock.lab;

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

import io.github.distlock.lab.console.Colour;
import io.github.distlock.lab.console.Console;
import io.github.distlock.lab.console.ConsoleProgress;
import io.github.distlock.lab.console.History;
import io.github.distlock.lab.console.Options;
import io.github.distlock.lab.console.Outcome;
import io.github.distlock.lab.console.Report;
import io.github.distlock.lab.console.ReportFile;
import io.github.distlock.lab.page.LabSettings;
import io.github.distlock.lab.page.Publication;
import io.github.distlock.lab.processes.Children;
import io.github.distlock.lab.processes.PortPicker;
import io.github.distlock.lab.processes.Ports;
import io.github.distlock.lab.processes.ProgramHome;
import io.github.distlock.lab.runs.FaultSettings;
import io.github.distlock.lab.runs.Nodes;
import io.github.distlock.lab.runs.RunSettings;
import io.github.distlock.lab.runs.Runs;
import io.github.distlock.lab.runs.Shop;
import io.github.distlock.lab.runs.Strategy;
import io.github.distlock.lab.runs.TrialResult;
import io.github.distlock.lab.servers.Servers;
import io.github.distlock.lab.servers.ServiceSettings;
import io.github.distlock.lab.servers.StockLevel;
import io.github.distlock.lab.servers.StockReader;
import io.github.distlock.lab.servers.Store;

/**
 * Starts everything, places the orders, prints and writes the report, and goes on serving
 * unless told to exit.
 */
final class Launcher {

	private final Console console;

	private final IntConsumer exit;

	private final LabSettings.Starter lab;

	private final Program program;

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
	 * @param program the program that is started again for each process
	 */
	Launcher(PrintStream out, IntConsumer exit, LabSettings.Starter lab, Program program) {
		this.program = program;
		this.console = new Console(out, Colour.isShown(System.getenv(), System.console()));
		this.exit = exit;
		this.lab = lab;
	}

	/**
	 * Carry out what the options say. Blocks until it is over; without {@code --exit}
	 * that is until this process is stopped. What was started ends with this process.
	 * @param args the options
	 * @return the status to exit with: 0 if the lock prevented every oversell and the
	 * other strategies showed the bug, else 1
	 */
	int launch(String... args) {
		if (List.of(args).contains("--help")) {
			this.console.line("%s", Options.usage(this.program.strategies()));
			return 0;
		}
		try {
			Path home = ProgramHome.find(Class.forName(this.program.mainClass()));
			Options options = Options.parse(args, home.resolve("oversell-report.json"), this.program.strategies());
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
					options.usual() ? "three" : options.strategies().size() * options.faults().size(),
					ProcessHandle.current().pid());
		}
		Ports ports = new Ports(new PortPicker(RandomGenerator.getDefault()), options.basePort() > 0, this::print);
		List<URI> addresses = IntStream.rangeClosed(0, Nodes.COUNT)
			.map((service) -> ports.pick(options.basePort() + service))
			.mapToObj((port) -> URI.create("http://127.0.0.1:" + port))
			.toList();
		Runs runs = new Runs(RandomGenerator.getDefault(), (message) -> {
			if (!this.ending) {
				print(message);
			}
		});
		runs.listen(new ConsoleProgress(this.console));
		start(options, home, ports, addresses, runs);
		this.console.line("All serve after %.1f s", (System.nanoTime() - start) / 1e9);
		if (options.writes()) {
			write(options, new Publication(runs, addresses.get(0), this.program.strategies(), this::print));
			return 0;
		}
		RunSettings settings = options.runSettings();
		List<TrialResult> trials = runs.run(settings);
		boolean complete = trials.size() == settings.trials().size();
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
			publication.writePage(page, options.strategies(), options.faults());
		}
	}

	private boolean report(Options options, List<TrialResult> trials) throws IOException {
		Outcome outcome = options.usual() ? new Report(options.orders(), options.stock(), Nodes.COUNT, trials)
				: new History(options.orders(), options.stock(), Nodes.COUNT, trials);
		outcome.write(options.report());
		this.console.line("%n%s%n%n%s%nWritten to %s", outcome.toTable(this.console.isColoured()), outcome.conclusion(),
				options.report());
		return outcome.asExpected();
	}

	/**
	 * Start the servers, the page and the nodes, and open the runs. Blocks until all
	 * serve.
	 */
	private void start(Options options, Path home, Ports ports, List<URI> addresses, Runs runs) throws Exception {
		Path logs = home.resolve("oversell-logs");
		Children children = new Children(this.program.mainClass(), logs, this::fail);
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
		List<URI> inventory = addresses.subList(1, addresses.size());
		Servers servers = new Servers(children, ports, this::print);
		FutureTask<Void> serversStart = new FutureTask<>(() -> {
			servers.start(settings);
			return null;
		});
		new Thread(serversStart, "start-servers").start();
		// Read during trials only: then the servers serve.
		StockReader stock = servers.stockReader(() -> shop.level(StockLevel.ARTICLE));
		this.lab.start(new LabSettings(addresses.get(0).getPort(), inventory, records(logs), home, logs, runs, stock,
				options.settings(), this.program.orderService(), this.program.strategies()));
		this.console.line("Open http://localhost:%d/", addresses.get(0).getPort());
		runs.starts("H2, Redis");
		await(serversStart);
		Nodes nodes = new Nodes(children, servers, this::print, settings, inventory, logs);
		nodes.start(stores, runs::starts);
		runs.open(shop, nodes);
	}

	/**
	 * Name the nodes' files of records, which are empty at first.
	 */
	private static Map<String, Path> records(Path logs) throws IOException {
		Map<String, Path> records = new TreeMap<>();
		for (int node = 1; node <= Nodes.COUNT; node++) {
			Path file = Nodes.records(logs, node);
			Files.deleteIfExists(file);
			records.put(Nodes.name(node), file);
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

	private void print(String line) {
		this.console.line("%s", line);
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
