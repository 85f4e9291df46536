package io.github.distlock.torture;

import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.github.distlock.torture.check.Violation;
import io.github.distlock.torture.worker.WorkerSettings.Load;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A short torture run with a fixed seed. The options for others are in
 * docs/maintainers/nets.md. The session timeout of ZooKeeper takes the place of the
 * lease: 2000 if not set, at least 1000.
 */
class TortureTests {

	@Test
	void everyGuaranteeIsKeptWhileFaultsAreInjected() throws Exception {
		Duration duration = Duration.ofSeconds(Long.getLong("torture.seconds", 20));
		String store = System.getProperty("torture.store", "redis");
		// A session timeout must be longer, and JDBC has no readers.
		int lease = Integer.getInteger("torture.lease", store.equals("zookeeper") ? 2000 : 600);
		Load usual = new Load(4, Integer.getInteger("torture.keys", 3), lease, share("torture.fair", "0"), 0.3, 0.1, 60,
				150, share("torture.read", store.startsWith("postgresql") ? "0" : "0.3"),
				Integer.getInteger("torture.permits", store.equals("redis") ? 3 : 0));
		String seeds = System.getProperty("torture.seeds", System.getProperty("torture.seed", "1"));
		PrintStream out = System.out;
		Map<Long, Integer> violated = new TreeMap<>();
		for (String text : seeds.split(",")) {
			long seed = Long.parseLong(text.trim());
			TortureSettings settings = new TortureSettings(seed, duration, usual,
					FaultKind.parse(System.getProperty("torture.faults", "all")), Duration.ofSeconds(9),
					Duration.ofSeconds(11), Duration.ofMillis(300), List.of(), false);
			List<Violation> violations = new Torture(settings, Path.of("target/torture/seed-" + seed), out).run();
			if (!violations.isEmpty()) {
				violated.put(seed, violations.size());
			}
		}
		assertThat(violated).as("violated guarantees by seed; the histories are under target/torture").isEmpty();
	}

	private static double share(String property, String usual) {
		return Double.parseDouble(System.getProperty(property, usual));
	}

}
