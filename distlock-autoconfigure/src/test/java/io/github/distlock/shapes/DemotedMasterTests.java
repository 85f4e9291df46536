package io.github.distlock.shapes;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

import io.github.distlock.HeldLock;
import io.github.distlock.LockBackendException;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.redis.RedisBackendSettings;
import io.github.distlock.backend.redis.RedisLockBackend;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.testing.DocumentedRights;
import io.github.distlock.testing.LockNodes;
import io.github.distlock.testing.RecordedEvents;
import io.github.distlock.testing.RedisNodes;
import io.github.distlock.testing.RedisProcess;
import io.github.distlock.testing.RedisTestServer;
import io.github.distlock.testing.TcpProxy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static io.github.distlock.testing.FlushedLog.flushed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * A master that becomes a replica without closing its connections, while its address
 * leads to the new master from then on, as in a managed Redis; and servers that do not
 * know a grant any more. Its holder is notified as soon as there is a connection again:
 * the regular renewal is minutes away.
 */
@ExtendWith(OutputCaptureExtension.class)
class DemotedMasterTests {

	private final RedisProcess master = RedisProcess.start(RedisTestServer.freePort())
		.with(DocumentedRights.standalone());

	private final RedisProcess replica = RedisProcess
		.start(RedisTestServer.freePort(), "replicaof 127.0.0.1 " + this.master.port())
		.with(DocumentedRights.standalone());

	private final TcpProxy address = new TcpProxy(this.master.port());

	private final LockNodes nodes = new LockNodes(
			() -> RedisTestServer.connectionFactory(this.address.port(), "distlock"));

	/** Those of tests, beside the nodes. */
	private final List<LettuceConnectionFactory> connections = new ArrayList<>();

	private static final Duration LEASE = Duration.ofMinutes(10);

	private final RecordedEvents events = new RecordedEvents();

	private final List<BackendLockRegistry> registries = new ArrayList<>();

	@BeforeEach
	void awaitReplication() {
		await().until(() -> this.replica.info("master_link_status").equals("up"));
	}

	@AfterEach
	void stop() {
		this.nodes.close();
		this.registries.forEach(BackendLockRegistry::shutdown);
		this.connections.forEach(LettuceConnectionFactory::destroy);
		this.address.close();
		this.replica.close();
		this.master.close();
	}

	private void swap() {
		this.replica.ask("REPLICAOF", "NO", "ONE");
		this.address.redirect(this.replica.port());
		this.master.ask("REPLICAOF", "127.0.0.1", Integer.toString(this.replica.port()));
	}

	@Test
	void itsErrorReplyIsAStoreErrorAndTheNewMasterIsFound() throws Exception {
		BackendLockRegistry one = this.nodes.node(Duration.ofMinutes(10));
		BackendLockRegistry two = this.nodes.node(Duration.ofMinutes(10));
		HeldLock before = one.acquire(LockRequest.of("kept"));
		two.acquire(LockRequest.of("warm")).close();
		// Data that has not been replicated would be lost.
		await().until(() -> Long.valueOf(2)
			.equals(this.replica.ask("EXISTS", "distlock:lock:{kept}", "distlock:lock:{warm}")));
		swap();
		assertThatExceptionOfType(LockBackendException.class)
			.isThrownBy(() -> one.tryAcquire(LockRequest.of("at-once").waitTime(Duration.ZERO)))
			.withMessageContaining("READONLY");
		HeldLock held = one.acquire(LockRequest.of("hot"));
		CompletableFuture<HeldLock> waiter = two.acquireAsync(LockRequest.of("hot").waitTime(LockRequest.FOREVER));
		await().until(() -> Long.valueOf(1).equals(this.replica.ask("ZCOUNT", "distlock:queue:2:{hot}", "0", "1e11")));
		held.close();
		HeldLock next = waiter.get(20, TimeUnit.SECONDS);
		assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
		next.close();
		assertThat(before.isHeld()).isTrue();
		before.close();
	}

	@Test
	void aMasterThatStaysAReplicaIsOneWarningWithItsAddress(CapturedOutput output) {
		BackendLockRegistry one = this.nodes.node(Duration.ofSeconds(30));
		one.acquire(LockRequest.of("warm")).close();
		this.master.ask("REPLICAOF", "127.0.0.1", Integer.toString(this.replica.port()));
		// Longer than the interval of two reconnects.
		long begin = System.nanoTime();
		await().untilAsserted(() -> {
			assertThatExceptionOfType(LockBackendException.class)
				.isThrownBy(() -> one.tryAcquire(LockRequest.of("refused").waitTime(Duration.ZERO)));
			assertThat(System.nanoTime() - begin).isGreaterThan(Duration.ofSeconds(2).toNanos());
		});
		assertThat(flushed(output))
			.containsOnlyOnce("Redis at 127.0.0.1:" + this.address.port() + " has become a replica: connecting again");
	}

	@Test
	void aReleaseThatFindsTheDemotedMasterIsRepeatedAtTheNewOne() {
		BackendLockRegistry one = this.nodes.node(Duration.ofSeconds(60));
		HeldLock held = one.acquire(LockRequest.of("held"));
		await().until(() -> Long.valueOf(1).equals(this.replica.ask("EXISTS", "distlock:lock:{held}")));
		swap();
		held.close();
		await().until(() -> String.valueOf(this.replica.ask("GET", "distlock:lock:{held}")).startsWith("|"));
	}

	@Test
	void aGrantIsNotRepeatedToInboxesOfReplicas() throws Exception {
		Queue<String> atMaster = listen(this.master);
		Queue<String> atReplica = listen(this.replica);
		BackendLockRegistry one = this.nodes.node(Duration.ofSeconds(30));
		BackendLockRegistry two = this.nodes.node(Duration.ofSeconds(30));
		HeldLock held = one.acquire(LockRequest.of("hot"));
		CompletableFuture<HeldLock> waiter = two.acquireAsync(LockRequest.of("hot").waitTime(LockRequest.FOREVER));
		await().until(() -> Long.valueOf(1).equals(this.master.ask("ZCOUNT", "distlock:queue:2:{hot}", "0", "1e11")));
		held.close();
		waiter.get(20, TimeUnit.SECONDS).close();
		await().until(() -> atMaster.stream().anyMatch((message) -> message.contains("distlock:lock:{hot}")));
		this.master.ask("PUBLISH", "distlock:inbox:all", "the end");
		await().until(() -> atReplica.contains("the end"));
		assertThat(atReplica).containsExactly("the end");
	}

	private Queue<String> listen(RedisProcess server) {
		Queue<String> heard = new ConcurrentLinkedQueue<>();
		connect(server.port()).getConnection()
			.pSubscribe((message, pattern) -> heard.add(new String(message.getBody(), StandardCharsets.UTF_8)),
					"distlock:inbox:*".getBytes(StandardCharsets.UTF_8));
		return heard;
	}

	private LettuceConnectionFactory connect(int port) {
		LettuceConnectionFactory factory = RedisTestServer.connectionFactory(port);
		this.connections.add(factory);
		return factory;
	}

	private HeldLock hold(boolean dedicated) {
		BackendLockRegistry registry = new BackendLockRegistry(new RedisLockBackend(connect(this.address.port()),
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
		try (RedisProcess other = RedisProcess.start(RedisTestServer.freePort())) {
			this.address.redirect(other.port());
			this.address.cut();
			await().until(() -> this.events.lost.containsAll(List.of("renewed", "limited")));
		}
	}

	@Test
	void theHolderIsNotifiedWhenACommandFindsThatTheMasterIsAReplicaNow() {
		hold(true);
		try (RedisProcess other = RedisProcess.start(RedisTestServer.freePort())) {
			this.address.redirect(other.port());
			this.master.ask("REPLICAOF", "127.0.0.1", Integer.toString(other.port()));
			assertThatExceptionOfType(LockBackendException.class)
				.isThrownBy(() -> this.registries.get(0).tryAcquire(LockRequest.of("next").waitTime(Duration.ZERO)))
				.withMessageContaining("READONLY");
			await().until(() -> this.events.lost.containsAll(List.of("renewed", "limited")));
		}
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
