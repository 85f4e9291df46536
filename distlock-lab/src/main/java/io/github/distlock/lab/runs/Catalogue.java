package io.github.distlock.lab.runs;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The strategies that a program offers, in the order in which they are tried and shown.
 *
 * @param all the strategies
 * @param usual what is tried if the user does not choose
 */
public record Catalogue(List<Strategy> all, List<Strategy> usual) {

	public Catalogue {
		all = List.copyOf(all);
		usual = List.copyOf(usual);
	}

	/**
	 * Describe strategies.
	 * @param all the strategies
	 * @param usual names of those that are tried if the user does not choose
	 * @return the catalogue
	 */
	public static Catalogue of(List<Strategy> all, String... usual) {
		Catalogue catalogue = new Catalogue(all, List.of());
		return new Catalogue(all, Stream.of(usual).map(catalogue::strategy).toList());
	}

	/**
	 * Read the value of {@code --strategies=}.
	 * @param value names with commas between them, or {@code all}
	 * @return the strategies in the order given
	 * @throws IllegalArgumentException if one is unknown
	 */
	public List<Strategy> parse(String value) {
		return value.equals("all") ? this.all
				: Stream.of(value.split(",")).map(String::strip).map(this::strategy).distinct().toList();
	}

	/**
	 * Return the strategy of a name.
	 * @param name its name
	 * @return the strategy
	 * @throws IllegalArgumentException if it is unknown
	 */
	public Strategy strategy(String name) {
		return find(name).orElseThrow(() -> new IllegalArgumentException(
				"--strategies=%s is unknown: use all, or some of %s".formatted(name, String.join(", ", names()))));
	}

	/**
	 * Find the strategy of a name.
	 * @param name a name
	 * @return the strategy, if there is one
	 */
	public Optional<Strategy> find(String name) {
		return this.all.stream().filter((strategy) -> strategy.name().equals(name)).findFirst();
	}

	/**
	 * Return the names of all strategies.
	 */
	public List<String> names() {
		return this.all.stream().map(Strategy::name).toList();
	}

}
