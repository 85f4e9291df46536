package io.github.distlock.sample.launcher;

import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.function.IntConsumer;
import java.util.random.RandomGenerator;

/**
 * Starts everything, plays the orders, prints and writes the report, and goes on serving
 * unless told to exit.
 */
public final class Launcher {

	private final Console console;

	private final IntConsumer exit;

	/**
	 * Prepare a launch.
	 * @param out where the user reads
	 * @param exit ends this process with a status, when a started process fails
	 */
	public Launcher(PrintStream out, IntConsumer exit) {
		this.console = new Console(out);
		this.exit = exit;
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
			this.console.failure(messageOf(ex));
			return 1;
		}
	}

	private int launch(Options options, Path home) throws Exception {
		long start = System.nanoTime();
		// An older report must not pass for the one of a launch that failed.
		Files.deleteIfExists(options.report());
		this.console.line("%d orders for %d tickets, %s times; pid %d", options.orders(), options.stock(),
				options.tellsHistory() ? options.strategies().size() * options.faults().size() : "three",
				ProcessHandle.current().pid());
		Services services = start(options, home);
		this.console.line("All serve after %.1f s", (System.nanoTime() - start) / 1e9);
		Outcome outcome = play(options, services);
		outcome.write(options.report());
		this.console.line("%n%s%n%n%s%nWritten to %s", outcome.toTable(), outcome.conclusion(), options.report());
		if (!options.exit()) {
			goOnServing(services.addresses());
		}
		return outcome.asExpected() ? 0 : 1;
	}

	private Outcome play(Options options, Services services) throws IOException, InterruptedException {
		List<URI> addresses = services.addresses();
		FaultyNode node = new FaultyNode(addresses.get(Services.NODES), services);
		Shop shop = new Shop(addresses.get(0), addresses.get(1));
		Demonstration demonstration = new Demonstration(shop, services, node, this.console);
		if (options.tellsHistory()) {
			return new History(options.orders(), options.stock(), Services.NODES,
					demonstration.play(options.strategies(), options.faults(), options));
		}
		List<Play> plays = demonstration.play(Strategies.DEFAULT, List.of(Fault.NONE), options);
		return new Report(options.orders(), options.stock(), Services.NODES, plays.stream().map(Play::run).toList());
	}

	private Services start(Options options, Path home) throws Exception {
		Children children = new Children(home.resolve("oversell-logs"), this::fail);
		Runtime.getRuntime().addShutdownHook(new Thread(children::end, "end-children"));
		Ports ports = new Ports(new PortPicker(RandomGenerator.getDefault()), options.basePort() > 0, this.console);
		ServiceSettings settings = new ServiceSettings(options.settings(), System.getProperties(), System.getenv());
		Set<Store> stores = new LinkedHashSet<>(options.strategies().stream().map(Strategy::store).toList());
		new Servers(children, ports, this.console).start(settings, stores);
		if (options.hasFaults()) {
			new FaultSettings().addTo(settings);
		}
		Services services = new Services(children, ports, this.console, settings);
		services.start(options.basePort(), stores);
		return services;
	}

	private void goOnServing(List<URI> addresses) throws InterruptedException {
		this.console.line("""

				Serving until stopped (Ctrl-C). Try:
				  curl -X PUT  '%2$s/stock/ticket?quantity=10'
				  curl -X POST '%1$s/orders?sku=ticket&strategy=distributed-lock'
				  curl %2$s/stock/ticket
				  curl %2$s/actuator/health
				  curl %3$s/actuator/prometheus""", addresses.get(0), addresses.get(1), addresses.get(2));
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
