package io.github.distlock.structure;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.github.distlock.testing.ChildJvm;
import io.github.distlock.testing.RedisTestServer;
import net.bytebuddy.agent.ByteBuddyAgent;
import org.apache.commons.logging.LogFactory;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What one warm, uncontended, annotated call costs, from the interceptor to the return
 * with the lock released: the method entries of the library on all threads, the top-level
 * types that they are in, and the frames from the interceptor to the store. The figures
 * do not depend on the machine.
 */
class CallCostTests {

	@Test
	void anAnnotatedCallOnRedisStaysWithinItsBudget() throws Exception {
		try (RedisTestServer redis = RedisTestServer.start()) {
			assertWithin(Map.of("calls", 624, "types", 79, "frames", 16), "--spring.data.redis.port=" + redis.port());
		}
	}

	@Test
	void anAnnotatedCallOnTheLocalStoreStaysWithinItsBudget() throws Exception {
		assertWithin(Map.of("calls", 552, "types", 67, "frames", 15), "--distlock.backend=local");
	}

	private static void assertWithin(Map<String, Integer> budget, String store) throws Exception {
		Path agent = Path.of(ByteBuddyAgent.class.getProtectionDomain().getCodeSource().getLocation().toURI());
		try (ChildJvm child = ChildJvm.start(List.of("-javaagent:" + agent), CallCostChild.class, store)) {
			List<String> lines = child.linesBefore("end");
			LogFactory.getLog(CallCostTests.class).info("One call, " + store + "\n" + String.join("\n", lines));
			new TreeMap<>(budget).forEach((figure, limit) -> {
				int counted = lines.stream()
					.filter((line) -> line.startsWith(figure + " "))
					.mapToInt((line) -> Integer.parseInt(line.substring(figure.length() + 1)))
					.sum();
				assertThat(counted)
					.as("%s of one call with %s: %d above the budget. Make the call cheaper, or raise the budget in this "
							+ "test and say in the commit message what for.", figure, store, counted - limit)
					.isBetween(1, limit);
			});
		}
	}

}
