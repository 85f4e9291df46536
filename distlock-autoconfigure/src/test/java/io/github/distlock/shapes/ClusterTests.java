package io.github.distlock.shapes;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

import io.github.distlock.HeldLock;
import io.github.distlock.LockBackendException;
import io.github.distlock.LockInstance;
import io.github.distlock.LockRequest;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.testing.ContendedRun;
import io.github.distlock.testing.DocumentedRights;
import io.github.distlock.testing.LiveThreads;
import io.github.distlock.testing.LockNodes;
import io.github.distlock.testing.RecordedEvents;
import io.github.distlock.testing.RedisClusterNodes;
import io.github.distlock.testing.RedisProcess;
import io.github.distlock.testing.RedisTestServer;
import io.github.distlock.testing.StoreNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Locks in a cluster of three masters.
 */
class ClusterTests {

	@AutoClose
	private static final RedisClusterNodes cluster = RedisClusterNodes.start(0);

	private final LockNodes nodes = new LockNodes(() -> cluster.connectionFactory());

	/** For masters that hang. */
	private final LockNodes hasty = new LockNodes(() -> cluster.connectionFactory(), Duration.ofSeconds(1));

	@AfterEach
	void stopNodes() {
		cluster.masters().forEach(RedisProcess::resume);
		this.nodes.close();
		this.hasty.close();
	}

	private static List<?> inboxes(RedisProcess node) {
		return (List<?>) Objects.requireNonNull(node.ask("PUBSUB", "CHANNELS", "distlock:inbox:*"));
	}

	private void awaitInboxes(int count) {
		await().until(() -> cluster.all().stream().mapToInt((node) -> inboxes(node).size()).sum() == count);
	}

	@Test
	void locksAreInTheClusterIfTheConnectionFactoryIsBehindAClassBasedProxy() {
		try (LockNodes proxied = new LockNodes(() -> RedisTestServer.advised(cluster.connectionFactory()))) {
			BackendLockRegistry node = proxied.node(Duration.ofSeconds(30));
			RedisProcess master = cluster.masters().get(0);
			String key = cluster.keyOn(master, "proxied");
			HeldLock held = node.acquire(LockRequest.of(key));
			assertThat(master.ask("GET", "distlock:lock:{" + key + "}")).isNotNull();
			assertThat(node.store().location()).startsWith("Redis cluster at 127.0.0.1:");
			held.close();
		}
	}

	@Test
	void aWaiterIsWokenByAMasterThatDoesNotHaveItsInbox() throws Exception {
		BackendLockRegistry one = this.nodes.node(Duration.ofSeconds(30));
		BackendLockRegistry two = this.nodes.node(Duration.ofSeconds(30));
		awaitInboxes(2);
		for (RedisProcess master : cluster.masters()) {
			String key = cluster.keyOn(master, "woken");
			HeldLock held = one.acquire(LockRequest.of(key));
			CompletableFuture<HeldLock> waiter = two.acquireAsync(LockRequest.of(key).waitTime(LockRequest.FOREVER));
			await().until(
					() -> Long.valueOf(1).equals(master.ask("ZCOUNT", "distlock:queue:2:{" + key + "}", "0", "1e11")));
			held.close();
			// Well before its own retry after two seconds.
			waiter.get(20, TimeUnit.SECONDS).close();
		}
	}

	@Test
	void storesThatAreClosedWhileTheyConnectLeaveNoThread() {
		BooleanSupplier running = LiveThreads.anyNew("distlock-");
		LettuceConnectionFactory connections = cluster.connectionFactory();
		for (int i = 0; i < 200; i++) {
			StoreNode brief = new StoreNode(LockNodes.backend(connections), LockInstance.of("brief"));
			LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(TimeUnit.MILLISECONDS.toNanos(40)));
			brief.close();
		}
		await().until(() -> !running.getAsBoolean());
		connections.destroy();
	}

	@Test
	void aMasterThatHangsCostsNoLeaseOfTheOthers() {
		BackendLockRegistry node = this.hasty.node(Duration.ofSeconds(15));
		RedisProcess hung = cluster.masters().get(0);
		List<HeldLock> healthy = new ArrayList<>();
		List<HeldLock> stuck = new ArrayList<>();
		for (int i = 0; i < 200; i++) {
			for (RedisProcess master : cluster.masters()) {
				((master == hung) ? stuck : healthy)
					.add(node.acquire(LockRequest.of(cluster.keyOn(master, "held-" + i))));
			}
		}
		hung.pause();
		await().atMost(Duration.ofMinutes(1)).until(() -> stuck.stream().noneMatch(HeldLock::isHeld));
		// They were acquired at the same time.
		assertThat(healthy).allMatch(HeldLock::isHeld);
		hung.resume();
		healthy.forEach(HeldLock::close);
		assertThat(healthy).hasSize(400);
	}

	@Test
	void aSlotThatMovesDuringContentionLosesNoWaiter() {
		RedisProcess from = cluster.masters().get(0);
		RedisProcess to = cluster.masters().get(1);
		String key = cluster.keyOn(from, "moving");
		int slot = RedisClusterNodes.slot(key);
		List<BackendLockRegistry> both = List.of(this.nodes.node(Duration.ofSeconds(30)),
				this.nodes.node(Duration.ofSeconds(30)));
		awaitInboxes(2);
		try (ContendedRun run = ContendedRun.start(both, 0, key)) {
			cluster.moveSlot(slot, from, to);
			run.awaitProgress();
			cluster.moveSlot(slot, to, from);
			run.awaitProgress();
			run.finish();
			assertThat(run.failures()).isEmpty();
			assertThat(run.violations()).isEmpty();
			assertThat(run.lost()).isZero();
		}
	}

	@Test
	void anInboxOnAMasterThatHangsIsMovedToAnother() throws Exception {
		BackendLockRegistry two = this.hasty.node(Duration.ofSeconds(2));
		awaitInboxes(1);
		RedisProcess hung = cluster.masters()
			.stream()
			.filter((master) -> !inboxes(master).isEmpty())
			.findFirst()
			.orElseThrow();
		RedisProcess well = cluster.masters().stream().filter((master) -> master != hung).findFirst().orElseThrow();
		BackendLockRegistry one = this.nodes.node(Duration.ofSeconds(30));
		awaitInboxes(2);
		String key = cluster.keyOn(well, "hears");
		// A command must be sent for the silence to be noticed.
		two.acquire(LockRequest.of(cluster.keyOn(hung, "hung")));
		hung.pause();
		LockRequest waits = LockRequest.of(key).waitTime(LockRequest.FOREVER).leaseTime(Duration.ofSeconds(30));
		await().atMost(Duration.ofMinutes(1)).until(() -> {
			HeldLock held = one.acquire(LockRequest.of(key));
			CompletableFuture<HeldLock> waiter = two.acquireAsync(waits);
			await()
				.until(() -> Long.valueOf(1).equals(well.ask("ZCOUNT", "distlock:queue:2:{" + key + "}", "0", "1e11")));
			long released = System.nanoTime();
			held.close();
			waiter.get(20, TimeUnit.SECONDS).close();
			return System.nanoTime() - released < TimeUnit.MILLISECONDS.toNanos(500);
		});
	}

	@Test
	void theDocumentedRightsKeepALockWhileItsSlotMoves() throws Exception {
		RedisProcess from = cluster.masters().get(1);
		RedisProcess to = cluster.masters().get(2);
		Duration lease = Duration.ofSeconds(12);
		RecordedEvents events = new RecordedEvents();
		BackendLockRegistry node = this.nodes.node(lease, events);
		node.store().verify();
		BackendLockRegistry other = this.nodes.node(lease);
		String key = cluster.keyOn(from, "moves");
		int slot = RedisClusterNodes.slot(key);
		HeldLock held = node.acquire(LockRequest.of(key));
		List<CompletableFuture<HeldLock>> waiter = new ArrayList<>();
		cluster.moveSlot(slot, from, to, () -> {
			assertThatExceptionOfType(LockBackendException.class)
				.isThrownBy(() -> other.tryAcquire(LockRequest.of(key).waitTime(Duration.ZERO)))
				.withMessageContaining("is moving the slot of a lock (TRYAGAIN");
			waiter.add(other.acquireAsync(LockRequest.of(key).waitTime(LockRequest.FOREVER)));
			int before = events.renewed.get();
			// For longer than a lease.
			await().atMost(Duration.ofMinutes(1)).until(() -> events.renewed.get() > before + 3 || !held.isHeld());
			assertThat(held.isHeld()).isTrue();
		});
		held.close();
		waiter.get(0).get(20, TimeUnit.SECONDS).close();
		cluster.moveSlot(slot, to, from);
	}

	@Test
	void eachMissingRightInAClusterIsNamedAndAlsoWhatAMoveFails() {
		RedisProcess from = cluster.masters().get(1);
		RedisProcess to = cluster.masters().get(2);
		for (String right : DocumentedRights.cluster().subList(3, DocumentedRights.cluster().size())) {
			for (RedisProcess master : cluster.masters()) {
				for (List<String> line : List.of(DocumentedRights.standalone(), DocumentedRights.cluster())) {
					master.with(line.stream()
						.filter((word) -> !word.equals(right))
						.map((word) -> word.equals("distlock") ? "lesser" + right.length() : word)
						.toList());
				}
			}
			LettuceConnectionFactory connections = cluster.connectionFactory("lesser" + right.length());
			StoreNode lacking = new StoreNode(LockNodes.backend(connections), LockInstance.of("lesser"));
			assertThatExceptionOfType(LockBackendException.class).isThrownBy(lacking.store::verify)
				.withMessageContaining("lack of rights")
				.withMessageContaining(right.substring(1, 7));
			if (right.equals("+asking")) {
				String key = cluster.keyOn(from, "refused");
				cluster.moveSlot(RedisClusterNodes.slot(key), from, to,
						() -> assertThatExceptionOfType(LockBackendException.class)
							.isThrownBy(() -> lacking.attempt(lacking.ticket(key)))
							.withMessageContaining("grant its user the right +asking on every node"));
				cluster.moveSlot(RedisClusterNodes.slot(key), to, from);
			}
			lacking.close();
			connections.destroy();
		}
	}

}
