package io.github.distlock.torture;

import java.io.File;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

import io.github.distlock.testing.ChildJvm;
import io.github.distlock.testing.RedisTestServer;
import io.github.distlock.testing.RespConnection;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Three JVMs with sixteen callers each and five permits, while JVMs are paused and
 * killed. A witness on the server counts who is inside.
 * {@code -Dtorture.permits.seconds=600} runs longer, {@code -Dredis.server=valkey-server}
 * on another server.
 */
class PermitTortureTests {

	private static final int PERMITS = 5;

	private static final int JVMS = 3;

	private static final int SECONDS = Integer.getInteger("torture.permits.seconds", 12);

	private final PrintStream out = System.out;

	@Test
	void neverMoreThanThePermitsAreInsideAndAllAreUsedWhileOthersWait() throws Exception {
		int[] counts = run(List.of(), SECONDS);
		assertThat(counts[PERMITS]).as("all permits in use").isPositive();
		assertThat(Arrays.stream(counts, PERMITS + 1, counts.length).sum()).as("beyond the permits").isZero();
	}

	@Test
	void aLibraryThatLetsOneMoreInIsDetected(@TempDir Path folder) throws Exception {
		Mutant.of("one too many", Mutant.lua("readers.lua", "ABOVE_ALL_TIMES) < limit", "ABOVE_ALL_TIMES) <= limit"))
			.applyTo(folder);
		int[] counts = run(
				List.of("-cp", folder.resolve("classes") + File.pathSeparator + System.getProperty("java.class.path")),
				6);
		assertThat(counts[PERMITS + 1]).isPositive();
	}

	/** Returns how often how many were inside. */
	private int[] run(List<String> options, int seconds) throws Exception {
		Random random = new Random(1);
		int kills = 0;
		int pauses = 0;
		try (RedisTestServer server = RedisTestServer.start();
				PermitWitness witness = new PermitWitness(server.port())) {
			List<ChildJvm> workers = new ArrayList<>();
			IntStream.range(0, JVMS).forEach((i) -> workers.add(start(options, server, "w" + i)));
			long end = System.nanoTime() + Duration.ofSeconds(seconds).toNanos();
			for (int i = JVMS; System.nanoTime() < end; i++) {
				Pauses.pause(Duration.ofMillis(300 + random.nextInt(700)));
				ChildJvm victim = workers.get(random.nextInt(JVMS));
				if (random.nextInt(4) == 0) {
					victim.kill();
					kills++;
					workers.set(workers.indexOf(victim), start(options, server, "w" + i));
				}
				else {
					victim.pause();
					Pauses.pause(Duration.ofMillis(random.nextInt(3500)));
					victim.resume();
					pauses++;
				}
			}
			int entries = 0;
			int late = 0;
			for (ChildJvm worker : workers) {
				String[] figures = worker.send("end").expect("done").split(" ");
				entries += Integer.parseInt(figures[0]);
				late += Integer.parseInt(figures[1]);
				assertThat(figures[2]).as("late bodies without an exception").isEqualTo("0");
			}
			int[] counts = witness.counts(PERMITS + 3);
			this.out.println("permits: " + entries + " entries in the last JVMs, " + late + " late bodies, " + kills
					+ " kills, " + pauses + " pauses; inside at each entry, from 0 on: " + Arrays.toString(counts));
			try (RespConnection connection = new RespConnection(server.port())) {
				// What dead JVMs held ends with its lease.
				Pauses.pause(PermitWorker.LEASE.multipliedBy(2));
				assertThat(String.valueOf(connection.ask("GET", "distlock:lock:{torture}"))).as("the lock")
					.matches("null|[|].*");
			}
			return counts;
		}
	}

	private static ChildJvm start(List<String> options, RedisTestServer server, String name) {
		return ChildJvm.start(options, PermitWorker.class, Integer.toString(server.port()), Integer.toString(PERMITS),
				name);
	}

}
