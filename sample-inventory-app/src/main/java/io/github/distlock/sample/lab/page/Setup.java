package io.github.distlock.sample.lab.page;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.github.distlock.sample.lab.launcher.Fault;
import io.github.distlock.sample.lab.launcher.RunRequest;
import io.github.distlock.sample.lab.launcher.RunControl;
import io.github.distlock.sample.lab.launcher.Strategies;
import io.github.distlock.sample.lab.launcher.Strategy;
import io.github.distlock.sample.lab.launcher.Verdict;
import org.jspecify.annotations.Nullable;

/**
 * What a user can choose on the page.
 *
 * @param strategies the strategies
 * @param faults names of the faults
 * @param limits limits of the numbers
 * @param nodes names of the inventory nodes
 * @param ready whether a run can start
 * @param starting how far the start is
 */
record Setup(List<Choice> strategies, List<String> faults, Limits limits, List<String> nodes, boolean ready,
		RunControl.Starting starting) {

	private static final List<String> FAULTS = Arrays.stream(Fault.values()).map(Fault::option).toList();

	private static final List<Choice> CHOICES = Tour.STEPS.stream().map(Setup::choice).toList();

	static Setup of(List<String> nodes, RunControl runs) {
		return new Setup(CHOICES, FAULTS, Limits.USUAL, nodes, runs.isReady(), runs.starting());
	}

	private static Choice choice(Tour.Step step) {
		Strategy strategy = Strategies.ALL.stream()
			.filter((candidate) -> candidate.name().equals(step.strategy()))
			.findFirst()
			.orElseThrow();
		Map<String, String> expected = new LinkedHashMap<>();
		for (Fault fault : Fault.values()) {
			expected.put(fault.option(), strategy.expected(fault).verdict().name());
		}
		Verdict unharmed = strategy.expected(Fault.NONE).verdict();
		List<String> brokenBy = Arrays.stream(Fault.values())
			.filter((fault) -> strategy.expected(fault).verdict() != unharmed)
			.map(Fault::option)
			.toList();
		return new Choice(step.strategy(), step.group(), expected, brokenBy, step.fixedBy(), step.file(),
				SourceCode.of(step));
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

		static final Limits USUAL = new Limits(new Limit(1, 5000, RunRequest.USUAL_ORDERS),
				new Limit(1, 5000, RunRequest.USUAL_STOCK), new Limit(1, 200, RunRequest.USUAL_BUYERS));

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
