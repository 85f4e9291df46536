package io.github.distlock.shapes;

import java.time.Duration;

import io.github.distlock.LockRequest;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.testing.LockNodes;
import io.github.distlock.testing.RedisProcess;
import io.github.distlock.testing.RedisTestServer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static io.github.distlock.testing.FlushedLog.flushed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The warning about a Redis that may evict locks.
 */
@ExtendWith(OutputCaptureExtension.class)
class EvictionWarningTests {

	private static final String WARNING = "Redis removes keys when its memory is full";

	@AutoClose
	private static final RedisProcess redis = RedisProcess.start(RedisTestServer.freePort());

	@AutoClose
	private final LockNodes nodes = new LockNodes(() -> RedisTestServer.connectionFactory(redis.port()));

	private BackendLockRegistry start(String policy, String limit) {
		redis.ask("CONFIG", "SET", "maxmemory-policy", policy);
		redis.ask("CONFIG", "SET", "maxmemory", limit);
		redis.ask("CONFIG", "RESETSTAT");
		return this.nodes.node(Duration.ofSeconds(30));
	}

	/** The registry checks before it publishes to its own inbox. */
	private void awaitQuestion() {
		await().until(() -> redis.info("cmdstat_publish").startsWith("calls="));
	}

	@Test
	void anEvictingPolicyIsReported(CapturedOutput output) {
		start("allkeys-lru", "100mb");
		await().untilAsserted(() -> assertThat(flushed(output)).containsOnlyOnce(WARNING)
			.contains("(maxmemory-policy allkeys-lru)")
			.contains("set maxmemory-policy noeviction"));
	}

	@Test
	void aServerThatEvictsNothingIsNotReported(CapturedOutput output) {
		start("noeviction", "100mb").acquire(LockRequest.of("quiet")).close();
		awaitQuestion();
		start("volatile-ttl", "0").acquire(LockRequest.of("quiet")).close();
		awaitQuestion();
		this.nodes.close();
		assertThat(flushed(output)).doesNotContain(WARNING);
	}

	@Test
	void aUserWithoutTheRightToCheckGetsNoWarning(CapturedOutput output) {
		redis.ask("ACL", "SETUSER", "default", "-info");
		try {
			start("allkeys-lru", "100mb").acquire(LockRequest.of("quiet")).close();
			await().until(() -> String.valueOf(redis.ask("ACL", "LOG")).contains("object, info"));
			this.nodes.close();
			assertThat(flushed(output)).doesNotContain(WARNING).doesNotContain("NOPERM");
		}
		finally {
			redis.ask("ACL", "SETUSER", "default", "+info");
		}
	}

}
