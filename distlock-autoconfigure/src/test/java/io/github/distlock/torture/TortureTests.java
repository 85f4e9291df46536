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
 * A short torture run with a fixed seed. For a long run use {@code -Dtorture.seconds=600
 * -Dtorture.seed=1}; {@code -Dtorture.fair=0.3} makes a share of the requests fair.
 */
class TortureTests {

	@Test
	void everyGuaranteeIsKeptWhileFaultsAreInjected() throws Exception {
		Duration duration = Duration.ofSeconds(Long.getLong("torture.seconds", 20));
		Load usual = Load.USUAL.withFair(Double.parseDouble(System.getProperty("torture.fair", "0")))
			.withRead(Double.parseDouble(System.getProperty("torture.read", "0.3")));
		String seeds = System.getProperty("torture.seeds", System.getProperty("torture.seed", "1"));
		PrintStream out = System.out;
		Map<Long, Integer> violated = new TreeMap<>();
		for (String text : seeds.split(",")) {
			long seed = Long.parseLong(text.trim());
			List<Violation> violations = new Torture(TortureSettings.usual(seed, duration).withLoad(usual),
					Path.of("target/torture/seed-" + seed), out)
				.run();
			if (!violations.isEmpty()) {
				violated.put(seed, violations.size());
			}
		}
		assertThat(violated).as("violated guarantees by seed; the histories are under target/torture").isEmpty();
	}

}
