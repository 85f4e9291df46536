package io.github.distlock.lab.check;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.github.distlock.lab.check.WrittenEvents.Collected;
import io.github.distlock.lab.check.WrittenEvents.GrantEndEvent;
import io.github.distlock.lab.check.WrittenEvents.GrantEvent;
import io.github.distlock.lab.check.WrittenEvents.HoldEvent;
import io.github.distlock.lab.check.WrittenEvents.LossEvent;
import io.github.distlock.lab.check.WrittenEvents.RenewalEvent;
import jdk.jfr.Event;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the check says, and its status. The clocks of the JVMs are hours away from each
 * other. A time of a hold is one of the server in milliseconds; a JVM is asked, and
 * answered, 1 ms apart.
 */
class CheckTests {

	private static final long MILLI = 1_000_000;

	private static final long SERVER_MICROS = 1_790_000_000_000_000L;

	private final Path folder;

	private final Map<String, List<Event>> events = new TreeMap<>();

	private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

	CheckTests(@TempDir Path folder) {
		this.folder = folder;
	}

	@Test
	void holdsThatFollowEachOtherDoNotOverlap() throws IOException {
		hold("a", "k1", 10, 20);
		hold("b", "k1", 30, 40);
		hold("b", "k2", 15, 25);
		assertThat(check()).isZero();
		assertThat(printed()).startsWith("3 holds of 2 keys in 2 JVMs: 0 overlap, 0 within 0 µs");
	}

	@Test
	void anOverlapOfTwoJvmsIsShownWithBothHoldersAndTheCause() throws IOException {
		hold("a", "k1", 10, 30);
		write("a", new LossEvent(), "k1", 10, (loss) -> {
			loss.atNanos = nanos("a", 30);
			loss.cause = "FORGOTTEN";
		});
		hold("b", "k1", 20, 40);
		assertThat(check()).isEqualTo(1);
		assertThat(printed()).contains("2 holds of 1 keys in 2 JVMs: 1 overlap, ", "Overlap of at most 10.",
				": label #k1, registry redis", "a.jfr, token 1790000000010000, from ", ": released: FORGOTTEN",
				"b.jfr, token 1790000000020000, from ");
	}

	@Test
	void holdsThatAreCloserThanTheClocksAreKnownAreUncertain() throws IOException {
		hold("a", "k1", 10, 20);
		hold("b", "k1", 20, 30);
		assertThat(check()).isZero();
		assertThat(printed()).contains("0 overlap, 1 within ");
	}

	@Test
	void holdsOfOneJvmAreComparedExactly() throws IOException {
		for (int i = 0; i < 50; i++) {
			hold("a", "k1", 10 + i, 11 + i);
		}
		hold("a", "k2", 10, 20);
		hold("a", "k2", 19, 21);
		assertThat(check()).isEqualTo(1);
		assertThat(printed()).contains("52 holds of 2 keys in 1 JVMs: 1 overlap, 0 within 0 µs", "of at most 500 µs");
	}

	@Test
	void pausesOfTheJvmAreShown() throws IOException {
		hold("a", "k1", 10, 60_000);
		hold("a", "k1", 20, 30);
		this.events.computeIfAbsent("a", (name) -> new ArrayList<>()).add(new Collected());
		assertThat(check()).isEqualTo(1);
		assertThat(printed()).contains("    the JVM was paused for ", " after the grant: GC Pause");
	}

	@Test
	void readersOverlapAsFarAsTheirPermitsAllow() throws IOException {
		for (int i = 0; i < 3; i++) {
			hold("a", "k1", 10 + i, 30, (event) -> event.mode = "READ");
		}
		for (int i = 0; i < 2; i++) {
			hold("b", "k2", 10 + i, 30, CheckTests::reads);
		}
		assertThat(check()).isZero();
		hold("a", "k2", 20, 30, CheckTests::reads);
		assertThat(check()).isEqualTo(1);
		assertThat(printed()).contains("1 overlap, ");
	}

	private static void reads(HoldEvent event) {
		event.mode = "READ";
		event.permits = 2;
	}

	@Test
	void aHoldWithoutAnEndMayHaveBeenRenewedAfterTheEndOfItsRecording() throws IOException {
		writeWithoutEnd();
		hold("b", "k1", 210, 220);
		assertThat(check()).isEqualTo(2);
		assertThat(printed()).contains("Not known: 1 pairs: when one hold ended is not recorded",
				"Perhaps an overlap: label #k1, registry redis", "its end is not recorded");
		hold("b", "k1", 30, 40);
		assertThat(check()).isEqualTo(1);
	}

	@Test
	void aHoldOfAJvmThatWasKilledCountsUntilTheEndOfItsValidity() throws IOException {
		writeWithoutEnd();
		// The buffer of the thread with the end of the first hold was not written.
		hold("a", "k2", 60, 70);
		hold("b", "k1", 30, 40);
		hold("b", "k1", 210, 220);
		check();
		WrittenEvents.kill(file("a"));
		assertThat(run(file("a").toString(), file("b").toString())).isEqualTo(2);
		assertThat(printed()).contains("0 overlap, ", "2 pairs of holds of a key are disjoint",
				"Not known: 1 pairs: when one hold ended is not recorded");
	}

	private void writeWithoutEnd() {
		write("a", new GrantEvent(), "k1", 10, (grant) -> grant.validUntilNanos = nanos("a", 100));
		write("a", new RenewalEvent(), "k1", 10, (renewal) -> {
			renewal.atNanos = nanos("a", 50);
			renewal.validUntilNanos = nanos("a", 200);
		});
	}

	@Test
	void aHolderThatNoticedTheEndOfItsLeaseTooLateMayHaveOverlapped() throws IOException {
		write("a", new GrantEvent(), "k1", 10, (grant) -> grant.validUntilNanos = nanos("a", 100));
		write("a", new GrantEndEvent(), "k1", 10, (end) -> {
			end.validUntilNanos = nanos("a", 100);
			end.atNanos = nanos("a", 200);
			end.outcome = "lost";
		});
		hold("b", "k1", 210, 220);
		assertThat(check()).isZero();
		hold("b", "k1", 110, 190);
		assertThat(check()).isEqualTo(2);
		assertThat(printed()).contains("0 overlap, ", "Not known: 1 pairs: when one hold ended is not recorded");
		hold("b", "k1", 90, 95);
		assertThat(check()).isEqualTo(1);
	}

	@Test
	void aHoldThatBeganBeforeItsRecordingCountsFromItsBegin() throws IOException {
		write("a", new GrantEndEvent(), "k1", 10, (end) -> end.atNanos = nanos("a", 100));
		hold("a", "k2", 50, 60);
		hold("b", "k1", 30, 40);
		assertThat(check()).isEqualTo(1);
	}

	@Test
	void tokensThatDoNotRiseAreFound() throws IOException {
		hold("a", "k1", 10, 20);
		hold("b", "k1", 30, 40, (event) -> {
			event.token = SERVER_MICROS + 5;
			event.firstToken = false;
		});
		hold("b", "k2", 50, 60);
		assertThat(check()).isEqualTo(1);
		assertThat(printed()).contains("0 overlap, ", "Tokens that do not rise: label #k1");
	}

	@Test
	void storesWhoseTokensAreNoClockAreComparedByTokensAlone() throws IOException {
		hold("a", "k1", 10, 30, (event) -> event.firstToken = false);
		hold("b", "k1", 20, 40, (event) -> event.firstToken = false);
		assertThat(check()).isEqualTo(2);
		assertThat(printed()).contains("Not known: 2 holds: no token of their JVM is the time of a server",
				"not whether one had left when the next one entered");
		hold("b", "k1", 10, 11, (event) -> event.firstToken = false);
		assertThat(check()).isEqualTo(1);
		assertThat(printed()).contains("Tokens that do not rise: label #k1");
	}

	@Test
	void holdsWithoutTokensAreComparedInsideTheirJvmOnly() throws IOException {
		hold("a", "k1", 10, 20, CheckTests::withoutToken);
		hold("a", "k1", 30, 40, CheckTests::withoutToken);
		assertThat(check()).isZero();
		hold("b", "k1", 50, 60, CheckTests::withoutToken);
		assertThat(check()).isEqualTo(2);
		assertThat(printed()).contains("Not known: 3 holds have no token: not compared with those of other JVMs")
			.doesNotContain("by tokens");
		hold("a", "k1", 35, 45, CheckTests::withoutToken);
		assertThat(check()).isEqualTo(1);
	}

	private static void withoutToken(HoldEvent event) {
		event.token = 0;
		event.grantToken = 0;
		event.firstToken = false;
	}

	@Test
	void oneReadingOfAnotherClockIsEnoughToTellThemApart() throws IOException {
		// The server of the failover is an hour ahead.
		long ahead = 3_600_000_000L;
		hold("a", "k2", 10, 11);
		hold("a", "k2", 20, 21);
		hold("a", "k1", 100, 200, (event) -> event.token += ahead);
		hold("b", "k1", 150, 160, (event) -> event.token += ahead);
		hold("b", "k2", 170, 171, (event) -> event.token += ahead);
		assertThat(check()).isZero();
		assertThat(printed()).contains("0 overlap, 1 within ");
	}

	@Test
	void aRecordingThatMayLackEventsIsNeverOk() throws IOException {
		hold("a", "k1", 10, 20);
		assertThat(check(Map.of("distlock.GrantEnd#threshold", "10 ms"))).isEqualTo(2);
		assertThat(printed()).contains("Not known: a.jfr has not all events: distlock.GrantEnd#threshold=10 ms");
		hold("a", "k2", 30, 40);
		write("a", new LossEvent(), "k2", 30, (loss) -> loss.atNanos = nanos("a", 40));
		assertThat(check(Map.of("distlock.Loss#enabled", "false"))).isEqualTo(2);
		assertThat(check(Map.of("jdk.ActiveSetting#enabled", "false"))).isEqualTo(2);
		assertThat(printed()).contains("a.jfr has no setting of distlock.Grant");
		assertThat(check(Map.of("jdk.DataLoss#enabled", "false"))).isEqualTo(2);
		assertThat(printed()).contains("a.jfr would not tell of lost events: record jdk.DataLoss");
	}

	@Test
	void aRecordingThatLacksAChunkIsNeverOk() throws IOException {
		Path whole = this.folder.resolve("whole.jfr");
		Path lacking = this.folder.resolve("lacking.jfr");
		byte[] chunks = WrittenEvents.writeChunks(whole, 3);
		int second = (int) ByteBuffer.wrap(chunks).getLong(8);
		int third = second + (int) ByteBuffer.wrap(chunks).getLong(second + 8);
		Files.write(lacking, Arrays.copyOf(chunks, second));
		Files.write(lacking, Arrays.copyOfRange(chunks, third, chunks.length), StandardOpenOption.APPEND);
		assertThat(run(whole.toString())).isZero();
		assertThat(run(lacking.toString())).isEqualTo(2);
		assertThat(printed()).contains("Not known: lacking.jfr: nothing is recorded between ");
		// As two files of one JVM.
		Files.write(whole, Arrays.copyOf(chunks, second));
		Files.write(lacking, Arrays.copyOfRange(chunks, third, chunks.length));
		assertThat(run(whole.toString(), lacking.toString())).isEqualTo(2);
		assertThat(printed()).contains("Not known: whole.jfr: nothing is recorded between ");
	}

	@Test
	void theTimesOfEachFileAreShown() throws IOException {
		hold("a", "k1", 10, 20);
		Instant before = Instant.now();
		check();
		String line = printed().lines().filter((shown) -> shown.startsWith("a.jfr: from ")).findFirst().orElseThrow();
		String[] words = line.split("[ ,]+");
		assertThat(Instant.parse(words[2])).isBetween(before.minusSeconds(1), Instant.parse(words[4]));
	}

	@Test
	void theRecordingOfAJvmThatWasKilledIsNeverOk() throws Exception {
		Path repository = this.folder.resolve("repository");
		Path ready = this.folder.resolve("ready");
		Process jvm = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-XX:TieredStopAtLevel=1", "-XX:StartFlightRecording=settings=none,+jdk.ActiveSetting#enabled=true",
				"-XX:FlightRecorderOptions=repository=" + repository, "-cp", System.getProperty("java.class.path"),
				Killed.class.getName(), ready.toString())
			.start();
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> Files.exists(ready));
		// The JVM writes its events each second.
		Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.until(() -> run(onlyFile(repository)) == 2 && printed().startsWith("1 "));
		jvm.destroyForcibly().waitFor();
		assertThat(run(onlyFile(repository))).isEqualTo(2);
		assertThat(printed()).startsWith("1 holds of 1 keys in 1 JVMs: 0 overlap, ")
			.contains("ends in the middle: its last second may be missing");
	}

	@Test
	void thePageHasEachFindingAndIsOneFile() throws IOException {
		hold("a", "k1", 10, 30, (event) -> event.key = "</script>\"\\");
		hold("b", "k1", 20, 40);
		hold("b", "k2", 15, 25);
		Path page = this.folder.resolve("check.html");
		check();
		assertThat(run("--html=" + page, file("a").toString(), file("b").toString())).isEqualTo(1);
		assertThat(page).content()
			.contains("\"kind\":\"OVERLAP\",\"key\":\"\\u003c/script>\\u0022\\u005c\"", "\"kind\":\"NONE\"",
					"\"overlapping\":1,", ".picture .bar-red")
			.doesNotContain("${styles}", "${data}", "src=");
	}

	@Test
	void thePageIsTheSameInALanguageWithOtherDigits() throws IOException {
		hold("a", "k1", 10, 30);
		hold("b", "k1", 20, 40);
		Path page = this.folder.resolve("check.html");
		Path other = this.folder.resolve("other.html");
		check();
		String[] files = { file("a").toString(), file("b").toString() };
		run("--html=" + page, files[0], files[1]);
		Locale before = Locale.getDefault();
		Locale.setDefault(Locale.forLanguageTag("ar-EG"));
		try {
			run("--html=" + other, files[0], files[1]);
		}
		finally {
			Locale.setDefault(before);
		}
		assertThat(other).hasSameTextualContentAs(page);
	}

	@Test
	void whatCannotBeReadIsNamed() {
		assertThat(run()).isEqualTo(2);
		assertThat(printed()).startsWith("Usage: check RECORDING.jfr");
		assertThat(run("--colour=red", "a.jfr")).isEqualTo(2);
		assertThat(printed()).startsWith("Argument '--colour=red' is unknown.");
		assertThat(run("--drift=fast", "a.jfr")).isEqualTo(2);
		assertThat(printed()).startsWith("--drift=fast is no number of parts per million");
		assertThat(run("missing.jfr")).isEqualTo(2);
		assertThat(printed()).startsWith("The check could not run: ").contains("missing.jfr");
	}

	private void hold(String jvm, String key, long from, long to) {
		hold(jvm, key, from, to, (event) -> {
		});
	}

	private void hold(String jvm, String key, long from, long to, Consumer<HoldEvent> change) {
		write(jvm, new GrantEvent(), key, from, change);
		write(jvm, new GrantEndEvent(), key, from, change.andThen((end) -> end.atNanos = nanos(jvm, to)));
	}

	private <T extends HoldEvent> void write(String jvm, T event, String key, long from, Consumer<? super T> change) {
		event.describe(jvm, from, key, SERVER_MICROS + from * 1000);
		event.hold = (key + from).hashCode();
		event.outcome = "released";
		event.firstToken = true;
		event.askedNanos = nanos(jvm, from) - MILLI / 2;
		event.answeredNanos = nanos(jvm, from) + MILLI / 2;
		event.validUntilNanos = nanos(jvm, from + 60_000);
		change.accept(event);
		this.events.computeIfAbsent(jvm, (name) -> new ArrayList<>()).add(event);
	}

	private static long nanos(String jvm, long millis) {
		return millis * MILLI + jvm.hashCode() * 3_600_000L * MILLI;
	}

	private int check() throws IOException {
		return check(Map.of());
	}

	private int check(Map<String, String> settings) throws IOException {
		for (Map.Entry<String, List<Event>> jvm : this.events.entrySet()) {
			WrittenEvents.write(file(jvm.getKey()), settings, jvm.getValue());
		}
		return run(this.events.keySet().stream().map((jvm) -> file(jvm).toString()).toArray(String[]::new));
	}

	private static String onlyFile(Path folder) throws IOException {
		try (Stream<Path> files = Files.walk(folder)) {
			return files.map(Path::toString).filter((file) -> file.endsWith(".jfr")).findFirst().orElseThrow();
		}
	}

	private Path file(String jvm) {
		return this.folder.resolve(jvm + ".jfr");
	}

	private int run(String... args) {
		this.printed.reset();
		return Check.run(new PrintStream(this.printed, true, StandardCharsets.UTF_8), args);
	}

	private String printed() {
		return this.printed.toString(StandardCharsets.UTF_8);
	}

	/**
	 * A JVM that has a lock until it is killed.
	 */
	static final class Killed {

		private Killed() {
		}

		public static void main(String[] args) throws Exception {
			GrantEvent grant = new GrantEvent();
			grant.describe("a", 1, "k1", SERVER_MICROS);
			grant.firstToken = true;
			grant.answeredNanos = MILLI;
			grant.validUntilNanos = 100 * MILLI;
			grant.commit();
			Files.createFile(Path.of(args[0]));
			System.in.read();
		}

	}

}
