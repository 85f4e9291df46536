package io.github.distlock.lab.console;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.github.distlock.lab.runs.Catalogue;
import io.github.distlock.lab.runs.Fault;
import io.github.distlock.lab.runs.RunSettings;
import io.github.distlock.lab.runs.Strategy;
import io.github.distlock.lab.servers.ServiceSettings;
import org.jspecify.annotations.Nullable;

/**
 * The options of the command line.
 *
 * @param orders orders of each strategy
 * @param stock units for sale in each strategy
 * @param buyers buyers that order at the same time
 * @param basePort port of the page; the nodes have the next ports; 0 for free ports
 * everywhere
 * @param report the JSON file to write
 * @param exit whether to end after the report
 * @param strategies what to try
 * @param usual whether the user chose neither strategies nor faults: the report is that
 * of the usual strategies
 * @param faults the faults: one trial of each strategy with each
 * @param page folder to which the page is written, with records of these strategies and
 * faults, or {@code null}
 * @param story folder to which the records of the page's story are written, or
 * {@code null}
 * @param settings Spring properties to pass on to the services
 */
public record Options(int orders, int stock, int buyers, int basePort, Path report, boolean exit,
		List<Strategy> strategies, boolean usual, List<Fault> faults, @Nullable Path page, @Nullable Path story,
		Map<String, String> settings) {

	private static final String USAGE = """
			Options:
			  --exit              end after the report: status 0 if the lock prevented every oversell and
			                      the two others showed the bug, else 1 (default: continue to serve)
			  --strategies=…      all, or names with commas between them: prints the verdict of each strategy
			                      and its reason; status 0 if every verdict is the expected one. The names:
			                      %s
			  --fault=none        crash, slow, pause, clock, several with commas, or all: the fault of one
			                      node during a trial of a strategy
			  --orders=800        orders of each strategy
			  --stock=500         units for sale
			  --buyers=64         buyers that order at the same time
			  --base-port=8000    port of the page; the nodes have the next ports; 0: free ports everywhere
			  --report=FILE       the JSON file to write (default: oversell-report.json in target)
			  --write-page=FOLDER write the page for any file server, with records of the strategies and
			                      faults (default: all), and end
			  --write-story=FOLDER  run the scenes of the page's story, write their records, and end
			  --spring.data.redis.host=… and all other --spring.*, --distlock.*, --management.*, --logging.*,
			                      --sample.* and --shop.* are passed on to the services; a Redis or a
			                      database named this way (or by -D or environment) replaces the embedded one
			""";

	private static final int NAMES_IN_A_LINE = 6;

	private static final int ORDERS_OF_A_RUN = 200_000;

	public Options {
		require(orders > 0, "orders", orders, "1 or more");
		require(stock > 0, "stock", stock, "1 or more");
		require(buyers > 0 && buyers <= 1000, "buyers", buyers, "1 to 1000");
		int trials = strategies.size() * faults.size();
		require((long) orders * trials <= ORDERS_OF_A_RUN, "orders", orders,
				"%d or less: the page keeps the records of all %d trials".formatted(ORDERS_OF_A_RUN / trials, trials));
		require(basePort >= 0 && basePort <= 65_000, "base-port", basePort, "0 to 65000");
		strategies = List.copyOf(strategies);
		faults = List.copyOf(faults);
		settings = Map.copyOf(settings);
	}

	/**
	 * Return what the user can write.
	 * @param catalogue the strategies that there are
	 */
	public static String usage(Catalogue catalogue) {
		List<String> names = catalogue.names();
		return USAGE.formatted(IntStream.iterate(0, (first) -> first < names.size(), (first) -> first + NAMES_IN_A_LINE)
			.mapToObj(
					(first) -> String.join(", ", names.subList(first, Math.min(first + NAMES_IN_A_LINE, names.size()))))
			.collect(Collectors.joining(",\n" + " ".repeat(22))));
	}

	/**
	 * Return what is to be tried at the start.
	 */
	public RunSettings runSettings() {
		return new RunSettings(this.strategies, this.faults, this.orders, this.stock, this.buyers);
	}

	/**
	 * Return whether there is a trial with a fault.
	 */
	public boolean hasFaults() {
		return !this.faults.equals(List.of(Fault.NONE));
	}

	/**
	 * Read the command line.
	 * @param args the launcher's arguments
	 * @param report the report file unless the arguments name one
	 * @param catalogue the strategies that there are
	 * @return the options
	 * @throws IllegalArgumentException if an argument is unknown or invalid
	 */
	public static Options parse(String[] args, Path report, Catalogue catalogue) {
		Map<String, String> known = new TreeMap<>(Map.of("orders", String.valueOf(RunSettings.USUAL_ORDERS), "stock",
				String.valueOf(RunSettings.USUAL_STOCK), "buyers", String.valueOf(RunSettings.USUAL_BUYERS),
				"base-port", "8000", "report", report.toString(), "exit", "false", "strategies", "", "fault", ""));
		known.put("write-page", "");
		known.put("write-story", "");
		Map<String, String> settings = new TreeMap<>();
		for (String arg : args) {
			int equals = arg.indexOf('=');
			String name = arg.startsWith("--") ? arg.substring(2, (equals < 0) ? arg.length() : equals) : "";
			String value = (equals < 0) ? "true" : arg.substring(equals + 1);
			if (known.containsKey(name)) {
				known.put(name, value);
			}
			else if (ServiceSettings.isPassedOn(name)) {
				settings.put(name, value);
			}
			else {
				throw new IllegalArgumentException("Argument '%s' is unknown.%n%s".formatted(arg, usage(catalogue)));
			}
		}
		boolean writes = !value(known, "write-page", "").isEmpty();
		if (writes && value(known, "strategies", "").isEmpty()) {
			known.put("strategies", "all");
		}
		boolean usual = value(known, "strategies", "").isEmpty() && value(known, "fault", "").isEmpty();
		return new Options(number(known, "orders"), number(known, "stock"), number(known, "buyers"),
				number(known, "base-port"), Path.of(known.getOrDefault("report", "")).toAbsolutePath(),
				Boolean.parseBoolean(known.get("exit")),
				usual ? catalogue.usual() : catalogue.parse(value(known, "strategies", "all")), usual,
				Fault.parse(value(known, "fault", writes ? "all" : "none")), folder(known, "write-page"),
				folder(known, "write-story"), settings);
	}

	private static @Nullable Path folder(Map<String, String> known, String name) {
		String value = value(known, name, "");
		return value.isEmpty() ? null : Path.of(value).toAbsolutePath();
	}

	/**
	 * Return whether the page or its story is written, and nothing is reported.
	 */
	public boolean writes() {
		return this.page != null || this.story != null;
	}

	private static String value(Map<String, String> known, String name, String usual) {
		String value = known.getOrDefault(name, "");
		return value.isEmpty() ? usual : value;
	}

	private static int number(Map<String, String> known, String name) {
		String value = known.getOrDefault(name, "");
		try {
			return Integer.parseInt(value);
		}
		catch (NumberFormatException ex) {
			throw new IllegalArgumentException("--%s=%s is no number: write --%s=100".formatted(name, value, name), ex);
		}
	}

	private static void require(boolean condition, String name, int value, String remedy) {
		if (!condition) {
			throw new IllegalArgumentException("--%s=%d is out of range: use %s".formatted(name, value, remedy));
		}
	}

}
