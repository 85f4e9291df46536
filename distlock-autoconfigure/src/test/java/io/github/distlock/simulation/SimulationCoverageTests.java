package io.github.distlock.simulation;

import java.io.PrintStream;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Measures which lines of the engine the simulation runs:
 * {@code -Dsimulation.coverage=true}, with {@code -Dsimulation.first} and
 * {@code -Dsimulation.count} for other seeds than the first 2,000.
 */
@EnabledIfSystemProperty(named = "simulation.coverage", matches = "true",
		disabledReason = "Set -Dsimulation.coverage=true")
class SimulationCoverageTests {

	private static final double LEAST = 0.85;

	private final PrintStream out = System.out;

	@Test
	void theSimulationRunsMostLinesOfTheEngine(@TempDir Path folder) throws Exception {
		Path executed = folder.resolve("jacoco.exec");
		SeedRange seeds = SeedRange.of(Long.getLong("simulation.first", 1), Long.getLong("simulation.count", 2000));
		SimulationProcess.create().with(EngineCoverage.agentOption(executed)).runInParallel(seeds);
		EngineCoverage coverage = EngineCoverage.read(executed);
		coverage.report().forEach(this.out::println);
		assertThat(coverage.share()).isGreaterThanOrEqualTo(LEAST);
	}

}
