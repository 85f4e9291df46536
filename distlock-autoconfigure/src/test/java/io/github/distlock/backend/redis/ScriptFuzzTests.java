package io.github.distlock.backend.redis;

import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

import io.github.distlock.installed.Installed;
import io.github.distlock.testing.RedisLocales;
import io.github.distlock.testing.RedisProcess;
import io.github.distlock.testing.RedisTestServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The scripts under random interleavings. {@code -Dfuzz.seeds=30} runs so many of them
 * instead of a few, {@code -Dfuzz.seed=7} begins with that one.
 */
@Tag(Installed.TAG)
class ScriptFuzzTests {

	private static final PrintStream OUT = System.out;

	private static final int TICKETS = 300;

	private static final int SEEDS = Integer.getInteger("fuzz.seeds", 2);

	private static final int FIRST_SEED = Integer.getInteger("fuzz.seed", 1);

	@ParameterizedTest
	@ValueSource(strings = { RedisLocales.BYTES, RedisLocales.COLLATING })
	void holdersNeverOverlapTokensNeverFallAndNothingIsLeftOver(String locale) {
		assertNoViolation(RedisLocales.start(locale), locale, FuzzWords.WordCheck.OFF);
	}

	@Test
	void aScriptThatTakesReadersForAFreeLockIsDetected() {
		assertDetected(RedisLocales.start(RedisLocales.BYTES),
				(script) -> script.replace("string.byte(value) == TOMBSTONE and #value", "#value"),
				FuzzWords.WordCheck.OFF);
	}

	@Test
	void aScriptThatLetsInOneMoreThanItsLimitIsDetected() {
		assertDetected(RedisLocales.start(RedisLocales.BYTES),
				(script) -> script.replace("ABOVE_ALL_TIMES) < limit", "ABOVE_ALL_TIMES) <= limit"),
				FuzzWords.WordCheck.OFF);
	}

	@Test
	void nativeCommandsAndScriptsKeepThePromisesTogether() {
		assertNoViolation(valkey(), "native", FuzzWords.WordCheck.EQUAL);
	}

	@Test
	void aNativeCommandThatDoesNotCompareTheWordIsDetected() {
		assertDetected(valkey(), UnaryOperator.identity(), FuzzWords.WordCheck.UNCHECKED);
	}

	private static void assertNoViolation(RedisProcess started, String name, FuzzWords.WordCheck nativeWords) {
		try (RedisProcess server = started) {
			for (int seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
				assertThat(run(server, name, seed, UnaryOperator.identity(), nativeWords)).as("seed " + seed).isEmpty();
			}
		}
	}

	private static void assertDetected(RedisProcess started, UnaryOperator<String> patch,
			FuzzWords.WordCheck nativeWords) {
		List<String> found = new ArrayList<>();
		try (RedisProcess server = started) {
			for (int seed = FIRST_SEED; found.isEmpty() && seed < FIRST_SEED + 30; seed++) {
				found.addAll(run(server, "mutant", seed, patch, nativeWords));
			}
		}
		assertThat(found).isNotEmpty();
	}

	private static RedisProcess valkey() {
		return RedisProcess.start(Installed.VALKEY_SERVER.assume(), RedisTestServer.freePort(), List.of());
	}

	private static List<String> run(RedisProcess server, String name, int seed, UnaryOperator<String> patch,
			FuzzWords.WordCheck nativeWords) {
		long begin = System.nanoTime();
		try (ScriptFuzz fuzz = new ScriptFuzz(server.port(), seed, patch, nativeWords)) {
			List<String> violations = fuzz.run(TICKETS);
			OUT.printf("fuzz %s, seed %d: %s, %d violations, %d ms%n", name, seed, fuzz.figures(), violations.size(),
					Duration.ofNanos(System.nanoTime() - begin).toMillis());
			return violations;
		}
	}

}
