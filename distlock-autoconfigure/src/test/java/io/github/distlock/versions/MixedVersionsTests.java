package io.github.distlock.versions;

import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.github.distlock.testing.ChildJvm;
import io.github.distlock.torture.check.Checker;
import io.github.distlock.torture.history.Attempt;
import io.github.distlock.torture.history.History;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two JVMs of this version and two of an earlier one share two locks, as during a rolling
 * update. In Redis their queues may have different formats: then only wake-ups are lost,
 * and the order of arrival.
 */
@Tag("full")
@EnabledIfSystemProperty(named = "distlock.full", matches = "true", disabledReason = "Set -Ddistlock.full=true")
class MixedVersionsTests {

	private static final String OVERTAKING = "S8";

	/** By name: those of the earlier version first, since its JVMs run first. */
	private static final Map<String, ChildJvm> jvms = new TreeMap<>();

	@BeforeAll
	static void startJvms() throws Exception {
		String earlier = EarlierVersion.classPath();
		String today = System.getProperty("java.class.path");
		for (int i = 0; i < 2; i++) {
			jvms.put("earlier-" + i, ChildJvm.start(List.of("-cp", earlier), VersionWorker.class));
			jvms.put("today-" + i, ChildJvm.start(List.of("-cp", today), VersionWorker.class));
		}
	}

	@AfterAll
	static void stopJvms() {
		jvms.values().forEach(ChildJvm::close);
	}

	@ParameterizedTest
	@EnumSource
	void bothVersionsEnterOneAfterTheOtherWithRisingTokensAndWithoutAnyFailure(SharedStore store) throws Exception {
		Path folder = Files.createDirectories(Path.of("target", "versions", store.name()).toAbsolutePath());
		try (SharedStore.Running running = store.start()) {
			String properties = String.join(" ", running.properties());
			jvms.forEach((name, jvm) -> {
				String classes = jvm.send("open distlock.lease-time=4s distlock.backend-timeout=1m " + properties)
					.expect("opened");
				assertThat(classes.contains("versions")).as(classes).isEqualTo(name.startsWith("earlier"));
			});
			jvms.forEach((name, jvm) -> jvm.send("run " + folder.resolve(name + ".log")));
			jvms.values().forEach((jvm) -> jvm.expect("done"));
			jvms.values().forEach((jvm) -> jvm.send("close").expect("closed"));
		}
		check(History.read(folder), store);
	}

	/**
	 * JVMs of the earlier version know no permits, and ask for the whole lock. They may
	 * grant it to a ticket with permits, too.
	 */
	@Test
	void neverMoreThanTheirPermitsHoldTheLockAndNoneBesideACallerOfTheEarlierVersion() throws Exception {
		int permits = 3;
		List<Visit> visits = new ArrayList<>();
		Path folder = Files.createDirectories(Path.of("target", "versions", "permits").toAbsolutePath());
		try (SharedStore.Running running = SharedStore.REDIS.start()) {
			String properties = String.join(" ", running.properties());
			jvms.values()
				.forEach((jvm) -> jvm.send("open distlock.lease-time=4s distlock.backend-timeout=1m " + properties)
					.expect("opened"));
			jvms.forEach((name, jvm) -> jvm
				.send("share " + folder.resolve(name) + " " + (name.startsWith("earlier") ? 0 : permits)));
			jvms.values().forEach((jvm) -> jvm.expect("done"));
			jvms.values().forEach((jvm) -> jvm.send("close").expect("closed"));
		}
		for (String name : jvms.keySet()) {
			for (String line : Files.readAllLines(folder.resolve(name))) {
				assertThat(line).as(name).doesNotStartWith("failed");
				visits.add(Visit.of(line));
			}
		}
		assertThat(visits).hasSize(jvms.size() * VersionWorker.SHARING * VersionWorker.ENTRIES);
		int most = 0;
		for (Visit visit : visits) {
			List<Visit> others = visits.stream()
				.filter((other) -> other != visit && other.isInsideAt(visit.entered))
				.toList();
			if (visit.permits == 0 || others.stream().anyMatch((other) -> other.permits == 0)) {
				assertThat(others).as("beside " + visit).isEmpty();
			}
			most = Math.max(most, others.size() + 1);
		}
		PrintStream out = System.out;
		out.println("permits: " + visits.size() + " entries, at most " + most + " at once");
		assertThat(most).isBetween(2, permits);
	}

	private record Visit(int permits, long token, long entered, long left) {

		static Visit of(String line) {
			String[] words = line.split(" ");
			return new Visit(Integer.parseInt(words[0]), Long.parseLong(words[1]), Long.parseLong(words[2]),
					Long.parseLong(words[3]));
		}

		boolean isInsideAt(long nanos) {
			return this.entered <= nanos && nanos < this.left;
		}

	}

	private static void check(History history, SharedStore store) {
		assertThat(history.attempts().stream().filter((attempt) -> !attempt.isReleasedWell()).map(Attempt::how))
			.as("failures")
			.isEmpty();
		assertThat(Checker.check(history).stream().filter((violation) -> !violation.rule().equals(OVERTAKING)))
			.isEmpty();
		for (String name : jvms.keySet()) {
			List<Attempt> attempts = history.attempts()
				.stream()
				.filter((attempt) -> attempt.worker().equals(name))
				.toList();
			assertThat(attempts).as(name)
				.hasSize(VersionWorker.THREADS * VersionWorker.ENTRIES)
				.noneMatch((attempt) -> attempt.claim().isEmpty());
			PrintStream out = System.out;
			out.println(store + " " + name + ": " + attempts.size() + " entries, the longest wait "
					+ attempts.stream().mapToLong((attempt) -> attempt.granted() - attempt.started()).max().orElse(0)
							/ 1_000_000
					+ " ms");
		}
	}

}
