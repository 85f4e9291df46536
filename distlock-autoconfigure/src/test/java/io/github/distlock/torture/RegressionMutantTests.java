package io.github.distlock.torture;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Checks that each regression test fails with its fault. Checking all takes a few
 * minutes: {@code -Dtorture.mutants=all}, or a list of parts of their names.
 */
class RegressionMutantTests {

	static List<RegressionMutant> mutants() {
		return RegressionMutants.ALL;
	}

	static Stream<RegressionMutant> wanted() {
		String wanted = System.getProperty("torture.mutants", "all");
		return RegressionMutants.ALL.stream()
			.filter((mutant) -> wanted.equals("all")
					|| Stream.of(wanted.split(",")).anyMatch(mutant.toString()::contains));
	}

	@ParameterizedTest
	@MethodSource("mutants")
	void everyMutantCanStillBeMade(RegressionMutant mutant, @TempDir Path folder) {
		mutant.mutant().applyTo(folder);
		assertThat(folder.resolve("classes")).isNotEmptyDirectory();
	}

	@ParameterizedTest(allowZeroInvocations = true)
	@MethodSource("wanted")
	@EnabledIfSystemProperty(named = "torture.mutants", matches = ".+")
	void theTestFailsWithTheFaultAndOnlyWithIt(RegressionMutant mutant) {
		Path folder = Path.of("target/torture/regressions", mutant.toString().replace(' ', '-'));
		RegressionMutant.Result control = mutant.runWithoutFault();
		assertThat(control.failed()).as("failures without the fault").isZero();
		assertThat(control.succeeded()).as("tests that ran without the fault").isPositive();
		RegressionMutant.Result found = mutant.runWithFault(folder);
		assertThat(found.failed()).as("failures with the fault").isPositive();
	}

}
