package io.github.distlock.simulation;

import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

import io.github.distlock.simulation.SimulationProcess.Found;
import io.github.distlock.torture.Mutant;
import io.github.distlock.torture.Mutants;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Checks the simulation itself: it has to find the slips of {@link Mutants#SIMULATION}.
 * That takes long: {@code -Dsimulation.mutants=all}, or a list of parts of their names.
 * The seeds are not those of {@link SimulationTests}; {@code -Dsimulation.first} and
 * {@code -Dsimulation.count} select others.
 */
class SimulationMutantTests {

	private static final long FIRST = 1_000_001;

	private static final long COUNT = 2_000;

	private static final int LEAST = 50;

	private final PrintStream out = System.out;

	@Test
	@EnabledIfSystemProperty(named = "simulation.mutants", matches = ".+")
	void mutantsAreFound(@TempDir Path folder) throws Exception {
		String wanted = System.getProperty("simulation.mutants");
		List<Mutant> chosen = Mutants.SIMULATION.stream()
			.filter((mutant) -> wanted.equals("all")
					|| Stream.of(wanted.split(",")).anyMatch((part) -> mutant.name().contains(part)))
			.toList();
		assertThat(chosen).isNotEmpty();
		ExecutorService hunters = Executors.newFixedThreadPool(SimulationProcess.atATime());
		try {
			Future<Hunted> control = hunters.submit(() -> hunt("no mutant", new SimulationProcess()));
			List<Future<Hunted>> hunts = chosen.stream().map((mutant) -> hunters.submit(() -> {
				Path own = folder.resolve(mutant.name().replace(' ', '-'));
				mutant.applyTo(own);
				return hunt(mutant.name(), new SimulationProcess(own.resolve("classes")));
			})).toList();
			this.out.println(control.get().line());
			int found = 0;
			for (Future<Hunted> hunt : hunts) {
				this.out.println(hunt.get().line());
				found += hunt.get().found() ? 1 : 0;
			}
			this.out.println(found + " of " + chosen.size() + " mutants were found");
			assertThat(control.get().found()).as("the engine without a mutant is found").isFalse();
			if (wanted.equals("all")) {
				assertThat(found).isGreaterThanOrEqualTo(LEAST);
			}
		}
		finally {
			hunters.shutdownNow();
		}
	}

	private static Hunted hunt(String name, SimulationProcess process) {
		SeedRange seeds = SeedRange.of(Long.getLong("simulation.first", FIRST),
				Long.getLong("simulation.count", COUNT));
		long begin = System.nanoTime();
		Found found = process.run(seeds).violations().stream().findFirst().orElse(null);
		return new Hunted(found != null, String.format("%-66s %5s %5d s  %.95s", name,
				(found != null) ? found.seed() - seeds.first() + 1 : "-",
				Duration.ofNanos(System.nanoTime() - begin).toSeconds(),
				(found != null) ? found.property() + ": " + found.text() : "not found in " + seeds.count() + " seeds"));
	}

	private record Hunted(boolean found, String line) {

	}

}
