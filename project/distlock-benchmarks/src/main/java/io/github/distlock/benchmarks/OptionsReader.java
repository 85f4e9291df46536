package io.github.distlock.benchmarks;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.distlock.benchmarks.catalogue.Contenders;
import io.github.distlock.benchmarks.catalogue.PreviousVersion;
import io.github.distlock.benchmarks.contenders.Contender;
import io.github.distlock.benchmarks.contenders.RedisAddress;
import io.github.distlock.benchmarks.servers.ServerOptions;
import io.github.distlock.benchmarks.workloads.WarmUp;
import io.github.distlock.benchmarks.workloads.Workload;
import io.github.distlock.benchmarks.workloads.Workloads;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.convert.DurationStyle;

/**
 * Reads the command line.
 */
final class OptionsReader {

	private static final String QUICK_WORKLOADS = "annotation,uncontended-1,uncontended-64,expiry-200,hot-1x64,hot-4x4";

	private static final String QUICK_CONTENDERS = "distlock,redisson,redisson-fair,spring-pubsub,lock4j,floor"
			+ ",redisson-multi,spring-jdbc,shedlock-jdbc,curator,spring-zookeeper";

	private static final String OFF = "off";

	private static final Map<String, String> DEFAULTS = Map.ofEntries(Map.entry("workloads", "quick"),
			Map.entry("contenders", "quick"), Map.entry("rounds", "10"), Map.entry("slice", "300ms"),
			Map.entry("warm-up", "1s"), Map.entry("cold", OFF), Map.entry("redis", ""), Map.entry("server", ""),
			Map.entry("pin", "auto"), Map.entry("output", ""), Map.entry("previous", ""));

	private final Map<String, String> values = new TreeMap<>(DEFAULTS);

	private final Path defaultOutput;

	OptionsReader(Path defaultOutput) {
		this.defaultOutput = defaultOutput;
	}

	/**
	 * Read the command line.
	 * @param arguments its words
	 * @return the options
	 * @throws IllegalArgumentException if a word is unknown or has no sense
	 */
	Options read(String... arguments) {
		for (String argument : arguments) {
			int equals = argument.indexOf('=');
			String name = (equals > 2 && argument.startsWith("--")) ? argument.substring(2, equals) : "";
			if (!this.values.containsKey(name)) {
				throw new IllegalArgumentException(
						"Argument '" + argument + "' is unknown: --help shows what there is");
			}
			this.values.put(name, argument.substring(equals + 1));
		}
		String output = value("output");
		return new Options(workloads(), contenders(), number("rounds", 1, 1000),
				duration("slice", Duration.ofMillis(50), Duration.ofMinutes(1)), warmUps(),
				new ServerOptions(redis(), program()), processor(),
				output.isEmpty() ? this.defaultOutput : Path.of(output).toAbsolutePath(),
				path("previous", "jar or folder"));
	}

	private String value(String name) {
		return this.values.getOrDefault(name, "");
	}

	private List<Workload> workloads() {
		if (value("workloads").equals("full")) {
			return Workloads.all();
		}
		Set<Workload> wanted = words("workloads", QUICK_WORKLOADS).map(Workloads::named)
			.flatMap(List::stream)
			.collect(Collectors.toSet());
		return Workloads.all().stream().filter(wanted::contains).toList();
	}

	private List<Contender> contenders() {
		Set<Contender> wanted = value("contenders").equals("full") ? Set.copyOf(Contenders.all())
				: words("contenders", QUICK_CONTENDERS).map(Contenders::named).collect(Collectors.toSet());
		return Contenders.all()
			.stream()
			.filter(wanted::contains)
			.flatMap((contender) -> value("previous").isEmpty() ? Stream.of(contender)
					: PreviousVersion.beside(contender))
			.toList();
	}

	private Stream<String> words(String option, String quick) {
		return Arrays.stream((value(option).equals("quick") ? quick : value(option)).split(",")).map(String::trim);
	}

	private List<WarmUp> warmUps() {
		List<WarmUp> warmUps = new ArrayList<>();
		if (!value("warm-up").equals(OFF)) {
			warmUps.add(new WarmUp(duration("warm-up", Duration.ZERO, Duration.ofMinutes(1)), false));
		}
		if (!value("cold").equals(OFF)) {
			warmUps.add(new WarmUp(duration("cold", Duration.ZERO, Duration.ofMinutes(1)), true));
		}
		if (warmUps.isEmpty()) {
			throw new IllegalArgumentException("--warm-up=off: give --cold=200ms, or nothing would be measured");
		}
		return warmUps;
	}

	private int number(String name, int least, int most) {
		try {
			int number = Integer.parseInt(value(name));
			if (number >= least && number <= most) {
				return number;
			}
		}
		catch (NumberFormatException ex) {
			// The message follows.
		}
		throw new IllegalArgumentException(
				"--%s=%s: use a number from %d to %d".formatted(name, value(name), least, most));
	}

	private Duration duration(String name, Duration least, Duration most) {
		try {
			Duration duration = DurationStyle.detectAndParse(value(name));
			if (duration.compareTo(least) >= 0 && duration.compareTo(most) <= 0) {
				return duration;
			}
		}
		catch (IllegalArgumentException ex) {
			// The message follows.
		}
		throw new IllegalArgumentException("--%s=%s: use a duration such as 300ms or 2s, from %d ms to %d s"
			.formatted(name, value(name), least.toMillis(), most.toSeconds()));
	}

	private @Nullable Path path(String option, String what) {
		if (value(option).isEmpty()) {
			return null;
		}
		Path path = Path.of(value(option)).toAbsolutePath();
		if (!Files.exists(path)) {
			throw new IllegalArgumentException("--%s=%s: there is no such %s".formatted(option, path, what));
		}
		return path;
	}

	/** A program by its path, or by its name as a shell finds it. */
	private @Nullable Path program() {
		String program = value("server");
		if (!program.isEmpty() && !Files.exists(Path.of(program))) {
			for (String folder : System.getenv("PATH").split(File.pathSeparator)) {
				Path found = Path.of(folder, program);
				if (Files.isExecutable(found)) {
					return found.toAbsolutePath();
				}
			}
		}
		return path("server", "program");
	}

	private @Nullable RedisAddress redis() {
		try {
			return value("redis").isEmpty() ? null : RedisAddress.parse(value("redis"));
		}
		catch (IllegalArgumentException ex) {
			throw new IllegalArgumentException("--redis: " + ex.getMessage(), ex);
		}
	}

	private @Nullable Integer processor() {
		return switch (value("pin")) {
			case OFF -> null;
			case "auto" -> -1;
			default -> number("pin", 0, 4095);
		};
	}

}
