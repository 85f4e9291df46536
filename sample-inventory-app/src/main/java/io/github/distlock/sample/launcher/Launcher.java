package io.github.distlock.sample.launcher;

import java.io.PrintStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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
		this.console.line("%d orders for %d tickets, three times; pid %d", options.orders(), options.stock(),
				ProcessHandle.current().pid());
		List<URI> addresses = start(options, home);
		this.console.line("All serve after %.1f s", (System.nanoTime() - start) / 1e9);
		Shop shop = new Shop(addresses.get(0), addresses.get(1));
		Report report = new Demonstration(shop, this.console).play(options, Services.NODES);
		report.write(options.report());
		boolean proved = report.provesTheLock();
		this.console.line("%n%s%n%n%s%nWritten to %s", ReportTable.of(report), verdict(proved), options.report());
		if (!options.exit()) {
			goOnServing(addresses);
		}
		return proved ? 0 : 1;
	}

	private List<URI> start(Options options, Path home) throws Exception {
		Children children = new Children(home.resolve("oversell-logs"), this::fail);
		Runtime.getRuntime().addShutdownHook(new Thread(children::end, "end-children"));
		Ports ports = new Ports(new PortPicker(RandomGenerator.getDefault()), options.basePort() > 0, this.console);
		ServiceSettings settings = new ServiceSettings(options.settings(), System.getProperties(), System.getenv());
		new Servers(children, ports, this.console).start(settings);
		return new Services(children, ports, this.console).start(options.basePort(), settings.variables());
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

	private static String verdict(boolean proved) {
		return proved ? "The distributed lock sold every ticket once; the two others sold tickets twice."
				: "NOT as expected: the lock must sell every ticket once, and the two others must show the bug.";
	}

}
