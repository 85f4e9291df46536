package io.github.distlock.sample.strategies;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

import io.github.distlock.lab.processes.Child;
import io.github.distlock.lab.records.StockRecords;
import io.github.distlock.sample.shop.StockRepository;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/**
 * The faults, and their records.
 */
class FaultsTests {

	private final Path folder;

	private long micros = 7;

	private final Faults faults = new Faults(TestStock.properties(), TestStock.UNRECORDED);

	FaultsTests(@TempDir Path folder) {
		this.folder = folder;
	}

	@Test
	void unaskedNothingGoesWrong() {
		this.faults.crashIfAsked();
		assertThat(this.faults.slowness()).isZero();
		assertThat(this.faults.currentTimeMillis()).isCloseTo(System.currentTimeMillis(), within(60_000L));
	}

	@Test
	void aHolderThatHasPassedItsCrashPointWhenTheFaultIsAimedDoesNotCrash() {
		this.faults.crashBetweenCommandsIfAsked();
		this.faults.arm(Faults.Kind.of("crash"));
		// Would end this JVM.
		this.faults.crashIfAsked();
		assertThat(this.faults.disarm()).isFalse();
	}

	@Test
	void oneHolderIsSlowForMoreThanItsLease() {
		this.faults.arm(Faults.Kind.of("slow"));
		assertThat(this.faults.slowness()).isEqualTo(Duration.ofSeconds(15));
		assertThat(this.faults.slowness()).isZero();
		assertThat(this.faults.disarm()).isTrue();
	}

	@Test
	void whatMetNobodyIsTold() {
		this.faults.arm(Faults.Kind.of("slow"));
		assertThat(this.faults.disarm()).isFalse();
		assertThat(this.faults.slowness()).isZero();
	}

	@Test
	void aWrongClockIsThreeHoursAheadUntilItIsTakenBack() {
		this.faults.arm(Faults.Kind.of("clock"));
		long threeHours = Duration.ofHours(3).toMillis();
		assertThat(this.faults.currentTimeMillis() - System.currentTimeMillis()).isCloseTo(threeHours, within(60_000L));
		assertThat(this.faults.disarm()).isTrue();
		assertThat(this.faults.currentTimeMillis()).isCloseTo(System.currentTimeMillis(), within(60_000L));
	}

	@Test
	void aSlowHolderIsRecordedWithThePlannedEndOfItsSlowness() throws Exception {
		Faults recorded = new Faults(TestStock.properties(), records());
		recorded.arm(Faults.Kind.SLOW);
		assertThat(lines()).isEmpty();
		recorded.slowness();
		recorded.slowness();
		assertThat(lines()).containsExactly("{'n':2,'type':'fault','at':7,'fault':'slow','until':15000007}");
	}

	@Test
	void aWrongClockIsRecordedFromItsBeginningToItsEnd() throws Exception {
		Faults recorded = new Faults(TestStock.properties(), records());
		recorded.arm(Faults.Kind.CLOCK);
		recorded.arm(Faults.Kind.CLOCK);
		this.micros = 9;
		recorded.disarm();
		recorded.disarm();
		assertThat(lines()).containsExactly("{'n':2,'type':'fault','at':7,'fault':'clock'}",
				"{'n':3,'type':'fault-end','at':9,'fault':'clock'}");
	}

	@Test
	void aWrongClockEndsWhenAnotherFaultIsRequested() throws Exception {
		Faults recorded = new Faults(TestStock.properties(), records());
		recorded.arm(Faults.Kind.CLOCK);
		recorded.arm(Faults.Kind.SLOW);
		assertThat(lines()).hasSize(2).last().asString().contains("fault-end");
	}

	@Test
	void aHolderThatCrashedHasABeginningAndNoEndInTheRecordsThatRemain() throws Exception {
		Path file = this.folder.resolve("crashed.jsonl");
		Process node = start(CrashingNode.class, file);
		assertThat(node.waitFor()).as(Files.readString(this.folder.resolve("output.txt"))).isEqualTo(Child.CRASHED);
		RecordLines records = RecordLines.of(file);
		assertThat(records.lines()).extracting((line) -> line.path("type").asString())
			.containsExactly("start", "read", "wrote", "read", "fault");
		assertThat(records.numbers()).containsExactly(1L, 2L, 3L, 4L, 5L);
		assertThat(records.lines().get(0).path("pid").asLong()).isEqualTo(node.pid());
		assertThat(records.lines().get(4).path("fault").asString()).isEqualTo("crash");
		assertThat(records.sales()).hasSize(2).last().extracting(RecordLines.RecordedSale::endType).isEqualTo("none");
	}

	@Test
	void aPausedProcessStandsStillForMoreThanItsLeaseAndContinues() throws Exception {
		Path file = this.folder.resolve("paused.jsonl");
		Process node = start(PausedNode.class, file);
		assertThat(node.waitFor()).as(Files.readString(this.folder.resolve("output.txt"))).isZero();
		RecordLines records = RecordLines.of(file);
		assertThat(records.lines()).extracting((line) -> line.path("type").asString())
			.containsExactly("start", "read", "fault", "fault-end", "wrote");
		assertThat(records.lines().get(2).path("fault").asString()).isEqualTo("pause");
		assertThat(records.lines().get(3).path("at").asLong() - records.lines().get(2).path("at").asLong())
			.isGreaterThanOrEqualTo(300_000);
	}

	private Process start(Class<?> node, Path file) throws IOException {
		return new ProcessBuilder(ProcessHandle.current().info().command().orElse("java"), "-XX:TieredStopAtLevel=1",
				"-XX:+UseSerialGC", "-cp", System.getProperty("java.class.path", ""), node.getName(), file.toString())
			.redirectErrorStream(true)
			.redirectOutput(this.folder.resolve("output.txt").toFile())
			.start();
	}

	private StockRecords records() {
		return new StockRecords(this.folder.resolve("records.jsonl"),
				() -> Instant.EPOCH.plus(this.micros, ChronoUnit.MICROS));
	}

	/** The lines after the first, with single quotes. */
	private List<String> lines() throws IOException {
		return Files.readAllLines(this.folder.resolve("records.jsonl"))
			.stream()
			.skip(1)
			.map((line) -> line.replace('"', '\''))
			.toList();
	}

	/** Is paused while it sells a unit. */
	static final class PausedNode {

		private PausedNode() {
		}

		public static void main(String[] args) {
			NodeProperties properties = new NodeProperties(Duration.ofMillis(200), Duration.ofSeconds(60), true, null);
			StockRecords records = TestStock.records(Path.of(args[0]));
			Faults faults = new Faults(properties, records);
			StockRepository stock = TestStock.stock(TestStock.database(), Duration.ZERO, records, faults);
			stock.reset("ticket", 5);
			faults.arm(Faults.Kind.PAUSE);
			stock.sell("ticket");
		}

	}

	/** Sells a unit, and crashes when it sells the next. */
	static final class CrashingNode {

		private CrashingNode() {
		}

		public static void main(String[] args) {
			StockRecords records = TestStock.records(Path.of(args[0]));
			Faults faults = new Faults(TestStock.properties(), records);
			StockRepository stock = TestStock.stock(TestStock.database(), Duration.ZERO, records, faults);
			stock.reset("ticket", 5);
			stock.sell("ticket");
			faults.arm(Faults.Kind.CRASH);
			stock.sell("ticket");
		}

	}

}
