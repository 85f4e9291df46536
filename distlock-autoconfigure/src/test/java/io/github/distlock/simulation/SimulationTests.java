package io.github.distlock.simulation;

import java.io.PrintStream;
import java.time.Duration;
import java.util.Map;

import io.github.distlock.simulation.SimulationProcess.Findings;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

/**
 * Runs seeds of the simulation: as many as the time allows, the first ones always the
 * same. {@code -Dsimulation.seed=4711 -Dsimulation.trace=true} runs one seed only, and
 * prints its history. See docs/maintainers/simulation.md.
 */
class SimulationTests implements SilentEngine {

	/**
	 * The seeds up to here have been run with this engine: if one fails, a change is the
	 * reason, and not a seed that was never run before.
	 */
	private static final long MOST = 20_000;

	private static final int COMPARED_SEEDS = 5;

	private final PrintStream out = System.out;

	@Test
	@EnabledIfSystemProperty(named = "simulation.seed", matches = "-?\\d+")
	void theSeedViolatesNothing() {
		long seed = Long.getLong("simulation.seed");
		Simulation.Result result = Simulation.live(Plan.of(seed), true);
		if (Boolean.getBoolean("simulation.trace")) {
			this.out.println(Plan.of(seed));
			result.trace().forEach(this.out::println);
		}
		this.out.println("Seed " + seed + ": hash " + result.hash() + ", " + result.totals());
		if (!result.violations().isEmpty()) {
			fail(Shrinker.shrink(Plan.of(seed)).report());
		}
	}

	@Test
	@DisabledIfSystemProperty(named = "simulation.seed", matches = ".+", disabledReason = "One seed is wanted")
	void noSeedViolatesAnything() throws InterruptedException {
		long first = Long.getLong("simulation.first", 1);
		Long count = Long.getLong("simulation.count");
		check((count != null) ? SeedRange.of(first, count)
				: SeedRange.during(first, Duration.ofSeconds(Long.getLong("simulation.seconds", 20)),
						Long.getLong("simulation.seconds") != null ? Long.MAX_VALUE : MOST));
	}

	@Test
	@Tag("full")
	@EnabledIfSystemProperty(named = "distlock.full", matches = "true", disabledReason = "Set -Ddistlock.full=true")
	void noSeedOfALongRunViolatesAnything() throws InterruptedException {
		check(SeedRange.during(1, Duration.ofSeconds(600), MOST));
	}

	private void check(SeedRange seeds) throws InterruptedException {
		Findings findings = new SimulationProcess().runInParallel(seeds);
		findings.report().forEach(this.out::println);
		findings.violations().stream().limit(20).forEach(this.out::println);
		if (!findings.violations().isEmpty()) {
			SimulationProcess.Found first = findings.violations().get(0);
			fail(first.text().contains(Scheduler.HANGS) ? first.toString()
					: Shrinker.shrink(Plan.of(first.seed())).report());
		}
		assertThat(findings.total("seeds")).isPositive();
		assertThat(findings.total("invariants of keys")).isPositive();
	}

	@Test
	void aSeedHasTheSameHistoryInEachJvm() {
		Map<Long, String> hashes = new SimulationProcess().run(compared()).hashes();
		assertThat(hashes).isNotEmpty()
			.containsEntry(compared().first(), Simulation.live(Plan.of(compared().first()), false).hash());
		assertThat(new SimulationProcess().run(compared()).hashes()).isEqualTo(hashes);
	}

	/** The seed that is wanted, or the first ones. */
	private static SeedRange compared() {
		Long wanted = Long.getLong("simulation.seed");
		return (wanted != null) ? SeedRange.of(wanted, 1) : SeedRange.of(1, COMPARED_SEEDS);
	}

}
