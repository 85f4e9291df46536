package io.github.distlock.registry;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.github.distlock.HeldLock;
import io.github.distlock.LockBackendException;
import io.github.distlock.LockRequest;
import io.github.distlock.testing.RedisNodes;
import io.github.distlock.testing.TcpProxy;
import io.github.distlock.testing.TestSettings;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static io.github.distlock.testing.FlushedLog.flushed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * A lost reply, broken connections, and an unavailable server.
 */
class FaultTests extends TwoRegistries {

	private TcpProxy proxy;

	/** A registry that connects to Redis through the proxy. */
	private BackendLockRegistry remote;

	@BeforeEach
	void startProxy() {
		this.proxy = new TcpProxy(redis.server().port());
		this.remote = redis.nodeBehind(this.proxy.port(), settings(Duration.ofSeconds(30)), List.of(this.events));
	}

	@AfterEach
	void stopProxy() {
		this.proxy.close();
	}

	/** Settings under which the store may fail to answer for 3 s. */
	private static RegistrySettings settings(Duration lease) {
		return TestSettings.of(Duration.ofSeconds(5), lease, null, RedisNodes.HAND_OFF, Duration.ofSeconds(3), false,
				Duration.ofSeconds(2));
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void aSlowWaitSaysSinceWhenTheStoreHasNotAnswered(CapturedOutput output) throws Exception {
		BackendLockRegistry node = redis.nodeBehind(this.proxy.port(),
				TestSettings.reporting(RedisNodes.settings(Duration.ofSeconds(30)), "shop", Duration.ofMillis(100)),
				List.of());
		this.proxy.refuse(true);
		this.proxy.cut();
		Future<HeldLock> waiter = this.threads.submit(() -> node.acquire(request("unanswered")));
		await().until(() -> flushed(output).getAll().contains("Slow wait"));
		assertThat(flushed(output))
			.containsPattern("for lock 'unanswered' \\(unnamed\\); its holder is not known; the store has not "
					+ "answered since 20\\S+Z; 1 of this JVM wait for it");
		waiter.cancel(true);
		this.proxy.refuse(false);
		await().atMost(Duration.ofSeconds(20)).until(() -> node.snapshot().isIdle());
	}

	@Test
	void aWaitDuringAnOutageIsABackendFailureAndNotContention() {
		this.proxy.refuse(true);
		assertThatExceptionOfType(LockBackendException.class)
			.isThrownBy(() -> this.remote.acquire(LockRequest.of("outage").waitTime(Duration.ofMillis(300))));
		assertThatExceptionOfType(LockBackendException.class)
			.isThrownBy(() -> this.remote.tryAcquire(LockRequest.of("outage").waitTime(Duration.ofMillis(300))));
	}

	@Test
	void anAsynchronousWaitThatEndsBeforeTheStoreFailsToAnswerIsABackendFailureToo() {
		this.remote.acquire(request("connected")).close();
		this.proxy.swallow(true);
		assertThatExceptionOfType(ExecutionException.class)
			.isThrownBy(() -> this.remote.acquireAsync(LockRequest.of("silent-store").waitTime(Duration.ofMillis(500)))
				.get(20, TimeUnit.SECONDS))
			.withCauseInstanceOf(LockBackendException.class);
		assertThat(this.events.outcomes()).endsWith("BACKEND_ERROR");
	}

}
