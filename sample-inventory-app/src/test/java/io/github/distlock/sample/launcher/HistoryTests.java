package io.github.distlock.sample.launcher;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The history's verdicts, its JSON and its table.
 */
class HistoryTests {

	private static final Strategy SETNX = Strategy.of("setnx", Verdict.HOLDS, "one writes it")
		.under(Fault.CRASH, Verdict.BLOCKS, "nobody deletes it");

	@Test
	void whatSellsEveryUnitOnceHolds() {
		assertThat(verdict(play(Fault.NONE, 8, 0, 8, 0, 0))).isEqualTo(Verdict.HOLDS);
	}

	@Test
	void tooManySalesLostUpdatesAndNumbersSoldTwiceAreAnOversell() {
		assertThat(verdict(play(Fault.NONE, 9, 0, 9, 0, 0))).isEqualTo(Verdict.OVERSELLS);
		assertThat(verdict(play(Fault.NONE, 8, 1, 8, 0, 0))).isEqualTo(Verdict.OVERSELLS);
		assertThat(verdict(play(Fault.NONE, 8, 0, 7, 0, 0))).isEqualTo(Verdict.OVERSELLS);
	}

	@Test
	void ordersThatTheLockKeptFromBeingServedAreABlock() {
		assertThat(verdict(play(Fault.CRASH, 3, 5, 3, 1, 6))).isEqualTo(Verdict.BLOCKS);
	}

	@Test
	void errorsAndUnsoldUnitsAreAFailure() {
		assertThat(verdict(play(Fault.NONE, 8, 0, 8, 1, 0))).isEqualTo(Verdict.FAILS);
		assertThat(verdict(play(Fault.NONE, 7, 1, 7, 0, 0))).isEqualTo(Verdict.FAILS);
	}

	@Test
	void onlyACrashExcusesErrorsAndOnlyAsManyUnsoldUnits() {
		assertThat(verdict(play(Fault.CRASH, 8, 0, 8, 2, 0))).isEqualTo(Verdict.HOLDS);
		assertThat(verdict(play(Fault.CRASH, 7, 1, 7, 3, 0))).isEqualTo(Verdict.HOLDS);
		assertThat(verdict(play(Fault.CRASH, 6, 2, 6, 3, 0))).isEqualTo(Verdict.FAILS);
	}

	@Test
	void theExpectationDependsOnTheFault() {
		Play held = play(Fault.NONE, 8, 0, 8, 0, 0);
		Play blocked = play(Fault.CRASH, 3, 5, 3, 1, 6);
		assertThat(history(held, blocked).asExpected()).isTrue();
		assertThat(blocked.why(10, 8)).isEqualTo("nobody deletes it");
		Play unharmed = play(Fault.CRASH, 8, 0, 8, 2, 0);
		assertThat(history(held, unharmed).asExpected()).isFalse();
		assertThat(unharmed.why(10, 8)).isEqualTo("NOT as expected, which was: BLOCKS");
	}

	@Test
	void aFaultThatMetNobodyShowsNothing() {
		Play missed = new Play(SETNX, Fault.SLOW, play(Fault.SLOW, 8, 0, 8, 0, 0).run(), 0, false);
		assertThat(history(missed).asExpected()).isFalse();
		assertThat(missed.why(10, 8)).isEqualTo("the fault met no holder");
	}

	@Test
	void theJsonSaysOfEachPlayWhatCameOfItAndWhy() {
		assertThat(history(play(Fault.CRASH, 3, 5, 3, 1, 6)).toJson())
			.isEqualTo("{\"orders\":10,\"stock\":8,\"nodes\":2,\"runs\":[{\"strategy\":\"setnx\",\"fault\":\"crash\","
					+ "\"verdict\":\"blocks\",\"expected\":true,\"why\":\"nobody deletes it\",\"sold\":3,"
					+ "\"stockLeft\":5,\"oversold\":0,\"lostUpdates\":0,\"duplicates\":0,\"errors\":1,"
					+ "\"unserved\":6,\"seconds\":0.5,\"ordersPerSecond\":8}]}");
	}

	@Test
	void theTableEndsWithTheReason() {
		assertThat(history(play(Fault.CRASH, 3, 5, 3, 1, 6)).toTable().lines()).containsExactly(
				"strategy  fault  verdict  sold  oversold  lost updates  numbers sold twice  errors  not served"
						+ "  orders per second  why",
				"--------  -----  -------  ----  --------  ------------  ------------------  ------  ----------"
						+ "  -----------------  -----------------",
				"setnx     crash  BLOCKS      3         0             0                   0       1           6"
						+ "                  8  nobody deletes it");
	}

	private static Verdict verdict(Play play) {
		return play.verdict(10, 8);
	}

	private static History history(Play... plays) {
		return new History(10, 8, 2, List.of(plays));
	}

	private static Play play(Fault fault, long sold, long left, long serials, long errors, long unserved) {
		StrategyRun run = StrategyRun.of("setnx", 8, new Shop.Level("ticket", left, sold, serials), errors,
				Duration.ofMillis(500));
		return new Play(SETNX, fault, run, unserved, true);
	}

}
