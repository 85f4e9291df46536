package io.github.distlock.benchmarks;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;

import io.github.distlock.benchmarks.contenders.Contender;
import io.github.distlock.benchmarks.contenders.Contenders;
import io.github.distlock.benchmarks.contenders.PreviousVersion;
import io.github.distlock.benchmarks.contenders.RedisAddress;
import io.github.distlock.benchmarks.workloads.Workloads;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.convert.DurationStyle;

/**
 * Reads the command line.
 */
final class OptionsReader {

	private static final String QUICK_WORKLOADS = "annotation,uncontended-1,uncontended-64,expiry-200,hot-1x64,hot-4x4";

	private static final String QUICK_CONTENDERS = "distlock,redisson,redisson-fair,spring-pubsub,lock4j,floor";

	private final Map<String, String> values = new TreeMap<>(
			Map.of("workloads", "quick", "contenders", "quick", "rounds", "10", "slice", "300ms", "warm-up", "1s",
					"redis", "", "pin", "auto", "output", "", "previous", ""));

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
		return new Options(
				list("workloads", QUICK_WORKLOADS, Workloads.all(), Workloads::named,
						(workload) -> workload.chapter().id()),
				contenders(), number("rounds", 1, 1000),
				duration("slice", Duration.ofMillis(50), Duration.ofMinutes(1)),
				duration("warm-up", Duration.ZERO, Duration.ofMinutes(1)), redis(), processor(),
				output.isEmpty() ? this.defaultOutput : Path.of(output).toAbsolutePath(), previous());
	}

	private String value(String name) {
		return this.values.getOrDefault(name, "");
	}

	/** In the order of the whole, which starts few JVMs before many. */
	private <T> List<T> list(String option, String quick, List<T> all, Function<String, T> named,
			Function<T, String> id) {
		if (value(option).equals("full")) {
			return all;
		}
		List<String> wanted = Arrays.stream((value(option).equals("quick") ? quick : value(option)).split(","))
			.map(String::trim)
			.toList();
		wanted.forEach(named::apply);
		return all.stream().filter((each) -> wanted.contains(id.apply(each))).toList();
	}

	private List<Contender> contenders() {
		List<Contender> named = list("contenders", QUICK_CONTENDERS, Contenders.all(), Contenders::named,
				Contender::id);
		if (value("previous").isEmpty()) {
			return named;
		}
		return Stream.concat(named.stream(), Stream.of(PreviousVersion.contender())).toList();
	}

	private int number(String name, int least, int most) {
		try {
			int number = Integer.parseInt(value(name));
			if (number >= least && number <= most) {
				return number;
			}
		}
		catch (NumberFormatException ex) {
			// Told below.
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
			// Told below.
		}
		throw new IllegalArgumentException("--%s=%s: use a duration such as 300ms or 2s, from %d ms to %d s"
			.formatted(name, value(name), least.toMillis(), most.toSeconds()));
	}

	private @Nullable Path previous() {
		if (value("previous").isEmpty()) {
			return null;
		}
		Path previous = Path.of(value("previous")).toAbsolutePath();
		if (!Files.exists(previous)) {
			throw new IllegalArgumentException("--previous=%s: there is no such jar or folder".formatted(previous));
		}
		return previous;
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
			case "off" -> null;
			case "auto" -> -1;
			default -> number("pin", 0, 4095);
		};
	}

}
