package io.github.distlock.torture;

import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import io.github.distlock.torture.check.Violation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Checks the torture test itself: it must detect each library with a known fault.
 * Checking all mutants takes a few minutes: {@code -Dtorture.mutants=all}, or a list of
 * parts of their names. Mutants of native commands need
 * {@code -Dredis.server=valkey-server}.
 */
class MutantTests {

	static List<Hunt> mutants() {
		return Mutants.ALL;
	}

	@ParameterizedTest
	@MethodSource("mutants")
	void everyMutantCanStillBeMade(Hunt hunt, @TempDir Path folder) {
		hunt.mutant().applyTo(folder);
		assertThat(folder.resolve("classes")).isNotEmptyDirectory();
	}

	@Test
	@EnabledIfSystemProperty(named = "torture.mutants", matches = ".+")
	void everyMutantIsFound() throws Exception {
		String wanted = System.getProperty("torture.mutants");
		PrintStream out = System.out;
		List<String> table = new ArrayList<>();
		List<String> survivors = new ArrayList<>();
		for (Hunt hunt : Mutants.ALL) {
			String name = hunt.mutant().name();
			if (!wanted.equals("all") && Stream.of(wanted.split(",")).noneMatch(name::contains)) {
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
		assertThat(table).isNotEmpty();
		assertThat(survivors).isEmpty();
	}

}
