package io.github.distlock.lab.runs;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * The fault of one node while orders are placed.
 */
public enum Fault {

	/** No fault. */
	NONE("none"),

	/**
	 * A node crashes while it holds the lock, and is started again after the last answer.
	 */
	CRASH("crash"),

	/** The work of one holder takes one and a half leases. */
	SLOW("slow"),

	/**
	 * The process of a holder stands still for one and a half leases, and then continues.
	 */
	PAUSE("pause"),

	/** The wall clock of a node is three hours ahead. */
	CLOCK("clock");

	private final String option;

	Fault(String option) {
		this.option = option;
	}

	/**
	 * Return the name that users know.
	 */
	public String option() {
		return this.option;
	}

	/**
	 * Read the value of {@code --fault=}.
	 * @param value names with commas between them, or {@code all}
	 * @return the faults in the order given
	 * @throws IllegalArgumentException if one is unknown
	 */
	public static List<Fault> parse(String value) {
		return value.equals("all") ? List.of(values())
				: Stream.of(value.split(",")).map(String::strip).map(Fault::of).distinct().toList();
	}

	private static Fault of(String name) {
		return Arrays.stream(values())
			.filter((fault) -> fault.option.equals(name.toLowerCase(Locale.ROOT)))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException("--fault=%s is unknown: use %s, several with commas, or all"
				.formatted(name, String.join(", ", Arrays.stream(values()).map(Fault::option).toList()))));
	}

}
