package io.github.distlock.registry;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.github.distlock.HeldLock;
import io.github.distlock.LockMode;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.redis.RedisBackendSettings;
import io.github.distlock.backend.redis.RedisLockBackend;
import io.github.distlock.testing.CheckedEnvironment;
import io.github.distlock.testing.RedisNodes;
import io.github.distlock.testing.RedisTestServer;
import io.github.distlock.testing.TcpProxy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The first waiting caller of a JVM, before the server has confirmed the subscription of
 * its inbox.
 */
class ColdStartTests extends TwoRegistries {

	private TcpProxy proxy;

	private LettuceConnectionFactory application;

	private BackendLockRegistry cold;

	@BeforeEach
	void startColdNode() {
		this.proxy = new TcpProxy(redis.server().port());
		this.proxy.holdSubscriptions(true);
		this.application = RedisTestServer.connectionFactory(this.proxy.port());
		this.cold = CheckedEnvironment.registry(
				new RedisLockBackend(this.application,
						new RedisBackendSettings("distlock:", Duration.ofSeconds(10), true, 17), TimeSource.SYSTEM),
				RedisNodes.settings(Duration.ofSeconds(30)), List.of(), TimeSource.SYSTEM);
		this.cold.start();
	}

	@AfterEach
	void stopColdNode() {
		this.proxy.holdSubscriptions(false);
		this.cold.shutdown();
		this.application.destroy();
		this.proxy.close();
	}

	@Test
	void itHasItsPlaceInTheQueueAndReadersDoNotPass() throws Exception {
		HeldLock reader = this.two.acquire(fair(LockMode.READ));
		Future<?> writer = this.threads.submit(() -> this.cold.acquire(fair(LockMode.WRITE)).close());
		await().until(() -> this.cold.snapshot().waiting().size() == 1);
		assertThat(redis.queueLength("cold")).isEqualTo(1);
		assertThat(this.one.tryAcquire(fair(LockMode.READ).waitTime(Duration.ZERO))).isEmpty();
		reader.close();
		// The grant reached no inbox: the attempt after the subscription finds it.
		this.proxy.holdSubscriptions(false);
		writer.get(20, TimeUnit.SECONDS);
	}

	@Test
	void itAsksAtIntervalsIfTheSubscriptionFails() throws Exception {
		HeldLock reader = this.two.acquire(fair(LockMode.READ));
		Future<?> writer = this.threads.submit(() -> this.cold.acquire(fair(LockMode.WRITE)).close());
		await().until(() -> this.cold.snapshot().waiting().size() == 1);
		redis.resetStats();
		this.proxy.cut();
		await().until(() -> redis.calls("evalsha") >= 3);
		reader.close();
		writer.get(20, TimeUnit.SECONDS);
	}

	private static LockRequest fair(LockMode mode) {
		return request("cold").fair(true).mode(mode);
	}

}
