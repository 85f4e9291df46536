package io.github.distlock.lab.console;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.github.distlock.lab.runs.Fault;
import io.github.distlock.lab.runs.Figures;
import io.github.distlock.lab.runs.Strategy;
import io.github.distlock.lab.runs.TestStrategies;
import io.github.distlock.lab.runs.TrialResult;
import io.github.distlock.lab.runs.Verdict;
import io.github.distlock.lab.servers.StockLevel;
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
		assertThat(verdict(result(Fault.NONE, 8, 0, 8, 0, 0))).isEqualTo(Verdict.HOLDS);
	}

	@Test
	void tooManySalesLostUpdatesAndNumbersSoldTwiceAreAnOversell() {
		assertThat(verdict(result(Fault.NONE, 9, 0, 9, 0, 0))).isEqualTo(Verdict.OVERSELLS);
		assertThat(verdict(result(Fault.NONE, 8, 1, 8, 0, 0))).isEqualTo(Verdict.OVERSELLS);
		assertThat(verdict(result(Fault.NONE, 8, 0, 7, 0, 0))).isEqualTo(Verdict.OVERSELLS);
	}

	@Test
	void ordersThatTheLockKeptFromBeingServedAreABlock() {
		assertThat(verdict(result(Fault.CRASH, 3, 5, 3, 1, 6))).isEqualTo(Verdict.BLOCKS);
	}

	@Test
	void errorsAndUnsoldUnitsAreAFailure() {
		assertThat(verdict(result(Fault.NONE, 8, 0, 8, 1, 0))).isEqualTo(Verdict.FAILS);
		assertThat(verdict(result(Fault.NONE, 7, 1, 7, 0, 0))).isEqualTo(Verdict.FAILS);
	}

	@Test
	void onlyACrashExcusesErrorsAndOnlyAsManyUnsoldUnits() {
		assertThat(verdict(result(Fault.CRASH, 8, 0, 8, 2, 0))).isEqualTo(Verdict.HOLDS);
		assertThat(verdict(result(Fault.CRASH, 7, 1, 7, 3, 0))).isEqualTo(Verdict.HOLDS);
		assertThat(verdict(result(Fault.CRASH, 6, 2, 6, 3, 0))).isEqualTo(Verdict.FAILS);
	}

	@Test
	void theExpectationDependsOnTheFault() {
		TrialResult held = result(Fault.NONE, 8, 0, 8, 0, 0);
		TrialResult blocked = result(Fault.CRASH, 3, 5, 3, 1, 6);
		assertThat(history(held, blocked).asExpected()).isTrue();
		assertThat(blocked.why(10, 8)).isEqualTo("nobody deletes it");
		TrialResult unharmed = result(Fault.CRASH, 8, 0, 8, 2, 0);
		assertThat(history(held, unharmed).asExpected()).isFalse();
		assertThat(unharmed.why(10, 8)).isEqualTo("NOT as expected: the verdict should be BLOCKS.");
	}

	@Test
	void aFaultThatStruckNoHolderShowsNothing() {
		TrialResult missed = new TrialResult(SETNX, Fault.SLOW, result(Fault.SLOW, 8, 0, 8, 0, 0).figures(), 0, false);
		assertThat(history(missed).asExpected()).isFalse();
		assertThat(missed.why(10, 8)).isEqualTo("NOT as expected: the fault struck no holder.");
	}

	@Test
	void theJsonSaysOfEachTrialWhatCameOfItAndWhy() {
		assertThat(history(result(Fault.CRASH, 3, 5, 3, 1, 6)).toJson())
			.isEqualTo("{\"orders\":10,\"stock\":8,\"nodes\":2,\"runs\":[{\"strategy\":\"setnx\",\"fault\":\"crash\","
					+ "\"verdict\":\"blocks\",\"expected\":true,\"why\":\"nobody deletes it\",\"sold\":3,"
					+ "\"stockLeft\":5,\"oversold\":0,\"lostUpdates\":0,\"duplicates\":0,\"errors\":1,"
					+ "\"unserved\":6,\"seconds\":0.5,\"ordersPerSecond\":8}]}");
	}

	@Test
	void theTableHasTheReasonBelowEachRowAndExplainsTheErrorsOfACrash() {
		assertThat(history(result(Fault.CRASH, 3, 5, 3, 1, 6)).toTable(false).lines()).containsExactly(
				"                                             lost     numbers             not      orders",
				"strategy  fault  verdict  sold  oversold  updates  sold twice  errors  served  per second",
				"--------  -----  -------  ----  --------  -------  ----------  ------  ------  ----------",
				"setnx     crash  BLOCKS      3         0        0           0       1       6           8",
				"    nobody deletes it", "",
				"errors under crash: orders that were on the node when it crashed. They got no answer. No lock can",
				"prevent that, so they do not count against the strategy.");
	}

	@Test
	void errorsAreExplainedOnlyWhereACrashCausedThem() {
		assertThat(history(result(Fault.CRASH, 8, 0, 8, 0, 0), result(Fault.NONE, 7, 1, 7, 1, 0)).toTable(false))
			.doesNotContain("errors under crash");
	}

	@Test
	void verdictsHaveColours() {
		assertThat(history(result(Fault.CRASH, 3, 5, 3, 1, 6), result(Fault.NONE, 8, 0, 8, 0, 0)).toTable(true))
			.contains("\u001B[33mBLOCKS\u001B[0m  ")
			.contains("\u001B[32mholds\u001B[0m   ");
	}

	@Test
	void noLineIsWiderThan110ColumnsWithTheLargestFigures() {
		Figures large = new Figures("", 999_999_999, 999_999_999, 999_999_999, 999_999_999, 999_999_999, 999_999_999,
				1);
		List<TrialResult> trials = new ArrayList<>();
		for (Strategy strategy : TestStrategies.CATALOGUE.all()) {
			for (Fault fault : Fault.values()) {
				trials.add(new TrialResult(strategy, fault, named(large, strategy, 999_999_999), 999_999_999, true));
				trials.add(new TrialResult(strategy, fault, named(large, strategy, 0), 0, false));
				trials.add(new TrialResult(strategy, fault, named(
						Figures.of(strategy.name(), 8, new StockLevel("ticket", 0, 8, 8), 0, Duration.ofSeconds(1)),
						strategy, 0), 0, true));
			}
		}
		ByteArrayOutputStream printed = new ByteArrayOutputStream();
		Console console = new Console(new PrintStream(printed, true, StandardCharsets.UTF_8), true);
		History history = new History(999_999_999, 999_999_999, 2, trials);
		console.line("%s%n%s", history.toTable(true), history.conclusion());
		List<String> lines = printed.toString(StandardCharsets.UTF_8).lines().toList();
		assertThat(lines).hasSizeGreaterThan(2 * trials.size()).allMatch((line) -> Colour.columns(line) <= 110);
		// No reason is too long for one line.
		assertThat(lines).noneMatch((line) -> line.startsWith("        ") && !line.contains("lost"));
	}

	@Test
	void aHistoryWithoutFaultsEndsWithTheNextThingToTry() {
		assertThat(history(result(Fault.NONE, 8, 0, 8, 0, 0)).conclusion()).contains("Now try --fault=crash");
		assertThat(history(result(Fault.CRASH, 3, 5, 3, 1, 6)).conclusion())
			.isEqualTo("Every strategy has the expected verdict.");
	}

	private static Figures named(Figures figures, Strategy strategy, long duplicates) {
		return new Figures(strategy.name(), figures.sold(), figures.stockLeft(), figures.oversold(),
				figures.lostUpdates(), duplicates, figures.errors(), figures.seconds());
	}

	private static Verdict verdict(TrialResult trial) {
		return trial.verdict(10, 8);
	}

	private static History history(TrialResult... trials) {
		return new History(10, 8, 2, List.of(trials));
	}

	private static TrialResult result(Fault fault, long sold, long left, long serials, long errors, long unserved) {
		Figures figures = Figures.of("setnx", 8, new StockLevel("ticket", left, sold, serials), errors,
				Duration.ofMillis(500));
		return new TrialResult(SETNX, fault, figures, unserved, true);
	}

}
