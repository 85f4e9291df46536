package io.github.distlock.lab.page;

import java.net.URI;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.github.distlock.lab.runs.Catalogue;
import io.github.distlock.lab.runs.Fault;
import io.github.distlock.lab.runs.RunSettings;
import io.github.distlock.lab.runs.Runs;
import io.github.distlock.lab.runs.Strategy;
import io.github.distlock.lab.runs.Verdict;
import org.jspecify.annotations.Nullable;

/**
 * What a user can choose on the page.
 *
 * @param strategies the strategies
 * @param faults names of the faults
 * @param limits limits of the numbers
 * @param nodes names of the inventory nodes
 * @param lockPages where each node shows its locks, in the order of the names
 * @param ready whether a run can start
 * @param starting how far the start is
 */
record Setup(List<Choice> strategies, List<String> faults, Limits limits, List<String> nodes, List<URI> lockPages,
		boolean ready, Runs.Starting starting) {

	private static final List<String> FAULTS = Arrays.stream(Fault.values()).map(Fault::option).toList();

	static Setup of(List<Choice> strategies, List<String> nodes, List<URI> addresses, Runs runs) {
		List<URI> lockPages = addresses.stream().map((address) -> address.resolve("/actuator/distlocks")).toList();
		return new Setup(strategies, FAULTS, Limits.USUAL, nodes, lockPages, runs.isReady(), runs.starting());
	}

	static List<Choice> choices(Catalogue catalogue) {
		return catalogue.all().stream().map(Setup::choice).toList();
	}

	private static Choice choice(Strategy strategy) {
		Map<String, String> expected = new LinkedHashMap<>();
		for (Fault fault : Fault.values()) {
			expected.put(fault.option(), strategy.expected(fault).verdict().name());
		}
		Verdict unharmed = strategy.expected(Fault.NONE).verdict();
		List<String> brokenBy = Arrays.stream(Fault.values())
			.filter((fault) -> strategy.expected(fault).verdict() != unharmed)
			.map(Fault::option)
			.toList();
		return new Choice(strategy.name(), strategy.group(), expected, brokenBy, strategy.fixedBy(),
				strategy.source().fileName(), SourceCode.of(strategy.source()));
	}

	/**
	 * A strategy.
	 */
	record Choice(String name, String group, Map<String, String> expected, List<String> brokenBy,
			@Nullable String fixedBy, String file, String code) {
	}

	/**
	 * The limits of a run that the page starts.
	 */
	record Limits(Limit orders, Limit stock, Limit buyers) {

		static final Limits USUAL = new Limits(new Limit(1, 5000, RunSettings.USUAL_ORDERS),
				new Limit(1, 5000, RunSettings.USUAL_STOCK), new Limit(1, 200, RunSettings.USUAL_BUYERS));

	}

	/**
	 * Limits of a number.
	 *
	 * @param min the smallest
	 * @param max the largest
	 * @param usual the value of an empty form
	 */
	record Limit(int min, int max, int usual) {
	}

}
