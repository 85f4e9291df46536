package io.github.distlock.shapes;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.github.distlock.HeldLock;
import io.github.distlock.LockBackendException;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.redis.RedisBackendSettings;
import io.github.distlock.backend.redis.RedisLockBackend;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.testing.RecordedEvents;
import io.github.distlock.testing.RedisNodes;
import io.github.distlock.testing.RedisProcess;
import io.github.distlock.testing.RedisTestServer;
import io.github.distlock.testing.TcpProxy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Servers that do not know a grant any more. Their holders are notified as soon as there
 * is a connection again: the regular renewal is minutes away.
 */
class LostGrantTests {

	private static final Duration LEASE = Duration.ofMinutes(10);

	private final RedisProcess master = RedisProcess.start(RedisTestServer.freePort());

	private final RedisProcess other = RedisProcess.start(RedisTestServer.freePort());

	private final TcpProxy address = new TcpProxy(this.master.port());

	private final LettuceConnectionFactory connections = RedisTestServer.connectionFactory(this.address.port());

	private final RecordedEvents events = new RecordedEvents();

	private final List<BackendLockRegistry> registries = new ArrayList<>();

	@AfterEach
	void stop() {
		this.registries.forEach(BackendLockRegistry::shutdown);
		this.connections.destroy();
		this.address.close();
		this.other.close();
		this.master.close();
	}

	private HeldLock hold(boolean dedicated) {
		BackendLockRegistry registry = new BackendLockRegistry(new RedisLockBackend(this.connections,
				new RedisBackendSettings("distlock:", Duration.ofSeconds(20), dedicated, 17), TimeSource.SYSTEM),
				RedisNodes.settings(LEASE), List.of(this.events), TimeSource.SYSTEM);
		this.registries.add(registry);
		registry.start();
		await().until(() -> "subscribed".equals(registry.store().channel()));
		registry.acquire(LockRequest.of("limited").leaseTime(LEASE));
		return registry.acquire(LockRequest.of("renewed"));
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void theHolderIsNotifiedWhenAServerHasRestartedWithoutItsData(boolean dedicated) {
		hold(dedicated);
		this.master.kill();
		try (RedisProcess restarted = RedisProcess.start(this.master.port())) {
			await().until(() -> this.events.lost.containsAll(List.of("renewed", "limited")));
		}
	}

	@Test
	void theHolderIsNotifiedWhenTheNewMasterHasNotReplicatedItsLock() {
		hold(true);
		this.address.redirect(this.other.port());
		this.address.cut();
		await().until(() -> this.events.lost.containsAll(List.of("renewed", "limited")));
	}

	@Test
	void theHolderIsNotifiedWhenACommandFindsThatTheMasterIsAReplicaNow() {
		hold(true);
		this.address.redirect(this.other.port());
		this.master.ask("REPLICAOF", "127.0.0.1", Integer.toString(this.other.port()));
		assertThatExceptionOfType(LockBackendException.class)
			.isThrownBy(() -> this.registries.get(0).tryAcquire(LockRequest.of("next").waitTime(Duration.ZERO)))
			.withMessageContaining("READONLY");
		await().until(() -> this.events.lost.containsAll(List.of("renewed", "limited")));
	}

	@Test
	void aBreakOfTheConnectionCostsNoLock() {
		HeldLock held = hold(true);
		this.address.cut();
		await().until(() -> this.events.renewed.get() == 2);
		assertThat(held.isHeld()).isTrue();
		assertThat(this.events.lost).isEmpty();
	}

}
