package io.github.distlock.autoconfigure;

import java.time.Duration;
import java.util.stream.IntStream;

import io.github.distlock.HeldLock;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockException;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.redlock.RedlockBackend;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.testing.RedisTestServer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static io.github.distlock.testing.FlushedLog.flushed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Auto-configuration of the backend on several Redis masters.
 */
@ExtendWith(OutputCaptureExtension.class)
class DistlockRedlockAutoConfigurationTests {

	@AutoClose
	private static final RedisTestServer first = RedisTestServer.start();

	@AutoClose
	private static final RedisTestServer second = RedisTestServer.start("requirepass secret");

	@AutoClose
	private static final RedisTestServer third = RedisTestServer.start();

	private final ApplicationContextRunner application = Contexts.withRedis()
		.withPropertyValues("distlock.backend=redlock", "distlock.lease-time=900ms", "distlock.wait-time=20s",
				"distlock.redlock.longest-lease=1s", "distlock.redlock.node-timeout=290ms");

	@Test
	void locksAreAcquiredOnTheConfiguredNodes() {
		this.application
			.withPropertyValues("distlock.redlock.nodes[0].host=127.0.0.1",
					"distlock.redlock.nodes[0].port=" + first.port(),
					"distlock.redlock.nodes[1].url=redis://:secret@127.0.0.1:" + second.port(),
					"distlock.redlock.nodes[2].host=127.0.0.1", "distlock.redlock.nodes[2].port=" + third.port())
			.run((context) -> {
				assertThat(context.getBean(LockBackend.class)).isInstanceOf(RedlockBackend.class);
				LockRegistry registry = context.getBean(LockRegistry.class);
				// The servers must first have been running for the longest lease.
				await().ignoreExceptionsInstanceOf(LockException.class).untilAsserted(() -> {
					try (HeldLock lock = registry.acquire(LockRequest.of("order-1"));
							HeldLock other = registry.acquire(LockRequest.of("order-2"))) {
						assertThat(lock.isHeld() && other.isHeld()).isTrue();
					}
				});
				assertThat(((BackendLockRegistry) registry).store().location()).contains("127.0.0.1:" + second.port())
					.doesNotContain("secret");
			});
	}

	@ParameterizedTest
	@CsvSource({ "'a,b', distlock.backend=redlock, distlock.redlock.nodes, three",
			"'a,b,A', distlock.backend=redlock, distlock.redlock.nodes[2], vote twice",
			"'a,b', distlock.redlock.nodes[2].port=1, distlock.redlock.nodes[2], neither host nor url",
			"'a,b', distlock.redlock.nodes[2].url=http://:secret@c, distlock.redlock.nodes[2].url, is not the URL of a Redis master",
			"'a,b,c', distlock.redlock.longest-lease=904ms, distlock.redlock.longest-lease, 905ms" })
	void aWrongConfigurationIsRefusedWithoutShowingAPassword(String nodes, String property, String name,
			String problem) {
		this.application.withPropertyValues(hosts(nodes.split(",")))
			.withPropertyValues(property)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContainingAll(name, problem)
				.hasMessageNotContaining("secret"));
	}

	@Test
	void aListOfUrlsIsEnough() {
		this.application.withPropertyValues("distlock.redlock.nodes=redis://:secret@a:1,redis://b:2,redis://c:3")
			.run((context) -> assertThat(context.getBean(RedlockStoreProperties.class).nodes())
				.extracting(RedlockStoreProperties.Node::url)
				.containsExactly("redis://:secret@a:1", "redis://b:2", "redis://c:3"));
	}

	@Test
	void anEvenNumberOfNodesCausesAWarning(CapturedOutput output) {
		this.application.withPropertyValues(hosts("127.0.0.1", "127.0.0.2", "127.0.0.3", "127.0.0.4"))
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(flushed(output)).containsOnlyOnce("survives the loss of as many nodes");
			});
	}

	@Test
	void anExplicitLeaseThatIsLongerNamesTheProperty() {
		this.application.withPropertyValues(hosts("127.0.0.1", "127.0.0.2", "127.0.0.3")).run((context) -> {
			LockRegistry registry = context.getBean(LockRegistry.class);
			LockRequest request = LockRequest.of("order-1").leaseTime(Duration.ofSeconds(2)).waitTime(Duration.ZERO);
			assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> registry.acquire(request))
				.withMessageContaining("distlock.redlock.longest-lease");
		});
	}

	private static String[] hosts(String... hosts) {
		return IntStream.range(0, hosts.length)
			.mapToObj((i) -> "distlock.redlock.nodes[" + i + "].host=" + hosts[i])
			.toArray(String[]::new);
	}

}
