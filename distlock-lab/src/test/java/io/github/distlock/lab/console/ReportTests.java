package io.github.distlock.lab.console;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.github.distlock.lab.runs.Fault;
import io.github.distlock.lab.runs.Figures;
import io.github.distlock.lab.runs.TestStrategies;
import io.github.distlock.lab.runs.TrialResult;
import io.github.distlock.lab.servers.StockLevel;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The report's arithmetic, its verdict, its JSON and its table.
 */
class ReportTests {

	private static final Figures NONE = run("none", 10, 7, 6, 0);

	private static final Figures SYNCHRONIZED = run("synchronized", 9, 0, 8, 0);

	private static final Figures LOCKED = run("distributed-lock", 8, 0, 8, 0);

	@Test
	void aRightRunHasNoDefects() {
		assertThat(LOCKED).isEqualTo(new Figures("distributed-lock", 8, 0, 0, 0, 0, 0, 1.235));
		assertThat(LOCKED.isRight(10, 8)).isTrue();
		assertThat(LOCKED.showsBug()).isFalse();
	}

	@Test
	void moreSalesThanStockAreOversold() {
		// 10 sold of 8, 7 left: 9 sales do not show in the stock; 6 numbers for 10 sales.
		assertThat(NONE).isEqualTo(new Figures("none", 10, 7, 2, 9, 4, 0, 1.235));
		assertThat(NONE.showsBug()).isTrue();
	}

	@Test
	void updatesCanBeLostWithoutOverselling() {
		Figures run = run("none", 7, 3, 6, 0);
		assertThat(run.oversold()).isZero();
		assertThat(run.lostUpdates()).isEqualTo(2);
		assertThat(run.showsBug()).isTrue();
	}

	@Test
	void aRunIsNotRightIfItFailedRefusedOrSoldTwice() {
		assertThat(run("distributed-lock", 8, 0, 8, 1).isRight(10, 8)).isFalse();
		assertThat(run("distributed-lock", 7, 1, 7, 0).isRight(10, 8)).isFalse();
		assertThat(run("distributed-lock", 8, 0, 7, 0).isRight(10, 8)).isFalse();
	}

	@Test
	void fewerOrdersThanStockAreAllSold() {
		assertThat(run("distributed-lock", 5, 3, 5, 0).isRight(5, 8)).isTrue();
	}

	@Test
	void theLockIsProvedOnlyIfItIsRightAndTheOthersAreNot() {
		assertThat(report(NONE, SYNCHRONIZED, LOCKED).provesTheLock()).isTrue();
		assertThat(report(NONE, SYNCHRONIZED, run("distributed-lock", 9, 0, 8, 0)).provesTheLock()).isFalse();
		assertThat(report(run("none", 8, 0, 8, 0), SYNCHRONIZED, LOCKED).provesTheLock()).isFalse();
		assertThat(report(NONE, run("synchronized", 8, 0, 8, 0), LOCKED).provesTheLock()).isFalse();
	}

	@Test
	void theJsonKeepsItsOrder() {
		assertThat(report(NONE, LOCKED).toJson()).isEqualTo("{\"orders\":10,\"stock\":8,\"nodes\":2,\"runs\":["
				+ "{\"strategy\":\"none\",\"sold\":10,\"stockLeft\":7,\"oversold\":2,\"lostUpdates\":9,"
				+ "\"duplicates\":4,\"errors\":0,\"seconds\":1.235},"
				+ "{\"strategy\":\"distributed-lock\",\"sold\":8,\"stockLeft\":0,\"oversold\":0,\"lostUpdates\":0,"
				+ "\"duplicates\":0,\"errors\":0,\"seconds\":1.235}]}");
	}

	@Test
	void theTableHasARowForEachStrategyAndTheReasonOfItsVerdict() {
		assertThat(ReportTable.of(report(NONE, LOCKED), false).lines()).containsExactly(
				"                                   stock               lost     numbers                       orders",
				"strategy          verdict    sold   left  oversold  updates  sold twice  errors  seconds  per second",
				"----------------  ---------  ----  -----  --------  -------  ----------  ------  -------  ----------",
				"none              OVERSELLS    10      7         2        9           4       0     1.24           8",
				"    Nothing excludes the other buyer.",
				"distributed-lock  holds         8      0         0        0           0       0     1.24           8",
				"    One caller at a time enters.");
	}

	@Test
	void verdictsHaveColoursAndTheTableKeepsItsShape() {
		String coloured = ReportTable.of(report(NONE, LOCKED), true);
		assertThat(coloured).contains("\u001B[31mOVERSELLS\u001B[0m  ").contains("\u001B[32mholds\u001B[0m      ");
		assertThat(coloured.replaceAll("\u001B\\[\\d+m", "")).isEqualTo(ReportTable.of(report(NONE, LOCKED), false));
	}

	@Test
	void theTableIsAtMost110ColumnsWideWithTheLargestFigures() {
		Figures large = new Figures("distributed-lock", 999_999_999, 999_999_999, 999_999_999, 999_999_999, 999_999_999,
				999_999_999, 999_999.99);
		assertThat(ReportTable.of(new Report(999_999_999, 999_999_999, 2, trials(large)), false).lines())
			.allMatch((line) -> line.length() <= 110);
	}

	@Test
	void theEndNamesTheNextThingToTry() {
		assertThat(report(NONE, SYNCHRONIZED, LOCKED).conclusion()).contains("--strategies=all")
			.contains("--fault=crash");
		assertThat(report(run("none", 8, 0, 8, 0)).conclusion()).startsWith("NOT as expected")
			.doesNotContain("--fault");
	}

	private static Report report(Figures... runs) {
		return new Report(10, 8, 2, trials(runs));
	}

	private static List<TrialResult> trials(Figures... runs) {
		return Stream.of(runs)
			.map((run) -> new TrialResult(TestStrategies.CATALOGUE.strategy(run.strategy()), Fault.NONE, run, 0, true))
			.toList();
	}

	private static Figures run(String strategy, long sold, long left, long serials, long errors) {
		return Figures.of(strategy, 8, new StockLevel("ticket", left, sold, serials), errors,
				Duration.ofNanos(1_234_567_890));
	}

}
