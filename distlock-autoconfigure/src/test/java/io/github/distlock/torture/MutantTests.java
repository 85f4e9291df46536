package io.github.distlock.torture;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import io.github.distlock.torture.check.Violation;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Checks the nets: each library with a known fault must be found. Hunting all takes a few
 * minutes: {@code -Dtorture.mutants=all}, or a list of parts of their names. Mutants of
 * native commands need {@code -Dredis.server=valkey-server}. SimulationMutantTests hunts
 * those of the simulation.
 */
class MutantTests {

	static List<Mutant> all() {
		return Mutants.ALL;
	}

	static Stream<RegressionMutant> wantedRegressions() {
		return Mutants.REGRESSIONS.stream().filter((mutant) -> isWanted(mutant.toString()));
	}

	private static boolean isWanted(String name) {
		String wanted = System.getProperty("torture.mutants", "all");
		return wanted.equals("all") || Stream.of(wanted.split(",")).anyMatch(name::contains);
	}

	@ParameterizedTest
	@MethodSource("all")
	void theTextsOfEveryMutantAreFound(Mutant mutant) throws IOException {
		assertThat(mutant.texts()).isNotEmpty();
	}

	@ParameterizedTest
	@MethodSource("all")
	@Tag("full")
	@EnabledIfSystemProperty(named = "distlock.full", matches = "true", disabledReason = "Set -Ddistlock.full=true")
	void everyMutantCanStillBeMade(Mutant mutant, @TempDir Path folder) throws IOException {
		mutant.applyTo(folder);
		assertThat(folder.resolve("classes")).isNotEmptyDirectory();
	}

	@ParameterizedTest(allowZeroInvocations = true)
	@MethodSource("wantedRegressions")
	@EnabledIfSystemProperty(named = "torture.mutants", matches = ".+")
	void theTestFailsWithTheFaultAndOnlyWithIt(RegressionMutant mutant) throws IOException {
		Path folder = Path.of("target/torture/regressions", mutant.toString().replace(' ', '-'));
		RegressionMutant.Result control = mutant.runWithoutFault();
		assertThat(control.failed()).as("failures without the fault").isZero();
		assertThat(control.succeeded()).as("tests that ran without the fault").isPositive();
		RegressionMutant.Result found = mutant.runWithFault(folder);
		assertThat(found.failed()).as("failures with the fault").isPositive();
	}

	@Test
	@EnabledIfSystemProperty(named = "torture.mutants", matches = ".+")
	void everyMutantIsFound() throws Exception {
		PrintStream out = System.out;
		List<String> table = new ArrayList<>();
		List<String> survivors = new ArrayList<>();
		for (Hunt hunt : Mutants.HUNTS) {
			String name = hunt.mutant().name();
			if (!isWanted(name)) {
				continue;
			}
			if (!hunt.isPossible()) {
				table.add(String.format("%-40s skipped: needs -Dredis.server=valkey-server", name));
				continue;
			}
			out.println("Hunting: " + name);
			long begin = System.nanoTime();
			List<Violation> found = hunt.run(Path.of("target/torture/mutants", name.replace(' ', '-')), out);
			long seconds = Duration.ofNanos(System.nanoTime() - begin).toSeconds();
			table.add(String.format("%-40s %4d s  %s", name, seconds, found.isEmpty() ? "SURVIVED"
					: found.size() + " violations of " + found.stream().map(Violation::rule).distinct().toList()));
			if (found.isEmpty()) {
				survivors.add(name);
			}
		}
		table.forEach(out::println);
		assertThat(table.size() + wantedRegressions().count()).as("wanted mutants").isPositive();
		assertThat(survivors).isEmpty();
	}

}
