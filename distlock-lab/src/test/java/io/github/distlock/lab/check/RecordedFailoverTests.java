package io.github.distlock.lab.check;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;

import io.github.distlock.lab.check.Finding.Kind;
import io.github.distlock.lab.check.WrittenEvents.GrantEndEvent;
import io.github.distlock.lab.check.WrittenEvents.GrantEvent;
import io.github.distlock.lab.check.WrittenEvents.HoldEvent;
import io.github.distlock.lab.check.WrittenEvents.LossEvent;
import io.github.distlock.lab.check.WrittenEvents.RenewalEvent;
import io.github.distlock.lab.processes.PortPicker;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import redis.embedded.RedisServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Recordings of two JVMs with a real Redis, and a counter outside of it. Both JVMs have
 * the same clock on this machine, so the times of one are shifted while its recording is
 * read.
 */
class RecordedFailoverTests {

	private static final PortPicker PORTS = new PortPicker(RandomGenerator.getDefault());

	private static final long SHIFT = Duration.ofMinutes(7).toNanos();

	private final Path folder;

	private final List<RedisServer> servers = new ArrayList<>();

	private final List<Switch> switches = new ArrayList<>();

	private final List<Process> workers = new ArrayList<>();

	private final EntryCounter counter = new EntryCounter();

	RecordedFailoverTests(@TempDir Path folder) throws IOException {
		this.folder = folder;
	}

	@BeforeEach
	void start() throws IOException {
		for (int i = 0; i < 2; i++) {
			this.servers
				.add(RedisServer.newRedisServer().port(PORTS.pick(0)).bind("127.0.0.1").setting("save \"\"").build());
			this.servers.get(i).start();
		}
		for (String name : List.of("a", "b")) {
			this.switches.add(new Switch(port(0)));
			this.workers.add(worker(name, this.switches.get(this.switches.size() - 1).port()));
		}
		awaitEntries(50);
	}

	@AfterEach
	void stop() throws IOException {
		this.workers.forEach(Process::destroyForcibly);
		for (Switch address : this.switches) {
			address.close();
		}
		for (RedisServer server : this.servers) {
			server.stop();
		}
		this.counter.close();
	}

	@Test
	void eachOverlapThatTheCounterSawIsFoundAndNoneIsInventedBeforeTheFailover() throws Exception {
		long before = this.counter.highestToken();
		assertThat(this.counter.overlaps()).isEmpty();
		this.switches.get(1).failOver(port(1));
		// The first JVM still holds locks of the first server.
		await().until(() -> this.counter.overlaps().size() > 3);
		this.switches.get(0).failOver(port(1));
		awaitEntries(this.counter.entries("a") + 20);
		Recordings recordings = new Recordings(recordings());
		HoldChecker checker = new HoldChecker(200e-6);
		checker.check(recordings.holds());
		Set<List<Long>> found = new HashSet<>();
		for (Finding finding : checker.findings()) {
			long lower = Math.min(finding.first().token(), finding.second().token());
			long higher = Math.max(finding.first().token(), finding.second().token());
			found.add(List.of(lower, higher));
			assertThat(finding.kind() == Kind.OVERLAP && higher <= before).as("%s", finding).isFalse();
		}
		assertThat(recordings.holds()).hasSizeGreaterThan(100);
		assertThat(found).containsAll(this.counter.overlaps());
		assertThat(checker.unplaced()).isZero();
	}

	private int port(int server) {
		return this.servers.get(server).ports().get(0);
	}

	private void awaitEntries(int count) {
		await().until(() -> Math.min(this.counter.entries("a"), this.counter.entries("b")) >= count);
	}

	private static ConditionFactory await() {
		return Awaitility.await().atMost(Duration.ofMinutes(1)).pollInterval(Duration.ofMillis(20));
	}

	private Process worker(String name, int redis) throws IOException {
		return new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx128m",
				"-XX:StartFlightRecording=filename=" + this.folder.resolve(name + ".jfr"), "-cp",
				System.getProperty("java.class.path"), RecordedWorker.class.getName(), name, String.valueOf(redis),
				String.valueOf(this.counter.port()))
			.redirectErrorStream(true)
			.redirectOutput(this.folder.resolve(name + ".log").toFile())
			.start();
	}

	/** End the JVMs, and shift the times of the second one. */
	private List<Path> recordings() throws Exception {
		for (Process worker : this.workers) {
			worker.getOutputStream().close();
			assertThat(worker.waitFor()).isZero();
		}
		Path shifted = this.folder.resolve("shifted.jfr");
		List<HoldEvent> events = new ArrayList<>();
		for (RecordedEvent event : RecordingFile.readAllEvents(this.folder.resolve("b.jfr"))) {
			if (event.hasField("hold")) {
				events.add(shifted(event));
			}
		}
		WrittenEvents.write(shifted, Map.of(), events);
		return List.of(this.folder.resolve("a.jfr"), shifted);
	}

	private static HoldEvent shifted(RecordedEvent event) {
		HoldEvent copy = switch (event.getEventType().getName()) {
			case "distlock.Grant" -> new GrantEvent();
			case "distlock.GrantEnd" -> new GrantEndEvent();
			case "distlock.Renewal" -> new RenewalEvent();
			default -> new LossEvent();
		};
		copy.describe(event.getString("instance"), event.getLong("hold"), event.getString("keyHash"),
				event.getLong("token"));
		copy.registry = event.getString("registry");
		copy.outcome = event.getString("outcome");
		copy.cause = event.getString("cause");
		copy.firstToken = event.getBoolean("firstToken");
		copy.askedNanos = event.getLong("askedNanos") + SHIFT;
		copy.answeredNanos = event.getLong("answeredNanos") + SHIFT;
		copy.validUntilNanos = event.getLong("validUntilNanos") + SHIFT;
		copy.atNanos = event.getLong("atNanos") + SHIFT;
		return copy;
	}

}
