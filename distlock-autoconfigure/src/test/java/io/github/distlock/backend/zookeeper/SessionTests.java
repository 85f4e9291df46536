package io.github.distlock.backend.zookeeper;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.apache.curator.framework.state.ConnectionState;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.distlock.HeldLock;
import io.github.distlock.LockBackendException;
import io.github.distlock.LockLostException;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.registry.RegistrySettings.ReleaseMode;
import io.github.distlock.testing.TcpProxy;
import io.github.distlock.testing.ZooKeeperTestServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * The validity of grants while their session is in doubt, the notification of callers
 * when it ends, and locks that are released after their registry was restarted, while
 * ZooKeeper cannot be reached.
 */
@Execution(ExecutionMode.CONCURRENT)
class SessionTests {

	private static final Duration SESSION = Duration.ofSeconds(20);

	@AutoClose
	private final BareNodes nodes = new BareNodes(SESSION);

	private final TcpProxy proxy = this.nodes.proxy;

	private final BareNode one = this.nodes.proxied();

	private final BareNode other = this.nodes.node();

	private final RegistryNode holder = this.nodes.registry();

	private final RegistryNode next = this.nodes.registry();

	private static boolean counts(Grant grant) {
		return !grant.validity().hasPassed(TimeSource.SYSTEM);
	}

	@Test
	void aDisconnectedHolderStopsBeforeTheServerGrantsTheLockToTheNext() {
		Ticket ticket = this.one.ticket("cut");
		Grant grant = BareNode.granted(this.one.attempt(ticket));
		Ticket next = this.other.queue("cut");
		// Data is lost without closing the connections.
		this.proxy.swallow(true);
		await().atMost(Duration.ofMinutes(1)).pollInterval(Duration.ofMillis(1)).until(() -> {
			boolean granted = this.other.grants.containsKey(next);
			boolean counted = counts(grant);
			assertThat(granted && counted).isFalse();
			return !counted;
		});
		// Signalled without a command.
		await().until(() -> this.one.doubted.contains(ticket));
		assertThat(this.other.awaitGrant(next).firstToken()).isGreaterThan(grant.lastToken());
	}

	@Test
	void anExpiredSessionEndsItsGrantsAtOnce() {
		try (BareNode doomed = new BareNode(
				ZooKeeperTestServer.client(this.nodes.server.connectString(), Duration.ofSeconds(60)))) {
			CountDownLatch lost = new CountDownLatch(1);
			doomed.client.getConnectionStateListenable().addListener((client, state) -> {
				if (state == ConnectionState.LOST) {
					lost.countDown();
				}
			});
			Ticket ticket = doomed.ticket("expired");
			Grant grant = BareNode.granted(doomed.attempt(ticket));
			Ticket next = this.other.queue("expired");
			this.nodes.server.endSession(doomed.client);
			this.other.awaitGrant(next);
			await().until(() -> lost.getCount() == 0);
			assertThat(counts(grant)).isFalse();
			// Long before the next confirmation by the leader.
			await().atMost(Duration.ofSeconds(15)).until(() -> doomed.doubted.size() >= 2);
			assertThat(doomed.renew(ticket, grant)).isEqualTo(new RenewalResult.Gone(false));
			await().ignoreException(LockBackendException.class).until(() -> {
				assertThat(doomed.release(ticket)).isFalse();
				return true;
			});
			// A new session, without remains of the old one.
			Ticket again = doomed.ticket("expired");
			await().ignoreException(LockBackendException.class).until(() -> doomed.attempt(again) != null);
			this.other.release(next);
			assertThat(doomed.awaitGrant(again).firstToken()).isGreaterThan(grant.lastToken());
		}
	}

	@Test
	void aWaiterWhoseSessionHasExpiredIsQueuedAgain() {
		Ticket holder = this.other.hold("place");
		Ticket waiter = this.one.queue("place");
		int retrySignals = this.one.retrySignals.get();
		this.nodes.server.endSession(this.one.client);
		await().until(() -> this.one.retrySignals.get() > retrySignals);
		await().ignoreException(LockBackendException.class).until(() -> this.one.attempt(waiter) != null);
		assertThat(ZooKeeperStoreUnderTest.itemsBelow(this.other.client, "/distlock/place")).isEqualTo(2);
		this.other.release(holder);
		this.one.awaitGrant(waiter);
	}

	@Test
	void aShortDisconnectionSignalsARenewalAndChangesNothing() {
		Ticket ticket = this.one.ticket("short");
		Grant grant = BareNode.granted(this.one.attempt(ticket));
		int retrySignals = this.one.retrySignals.get();
		this.proxy.refuse(true);
		await().until(() -> this.one.doubted.contains(ticket));
		assertThat(this.one.renew(ticket, grant)).isInstanceOf(RenewalResult.Unknown.class);
		assertThat(counts(grant)).isTrue();
		this.proxy.refuse(false);
		await().until(() -> this.one.retrySignals.get() > retrySignals);
		assertThat(this.one.renew(ticket, grant)).isInstanceOf(RenewalResult.Extended.class);
		assertThat(counts(grant)).isTrue();
		assertThat(BareNode.granted(this.one.attempt(ticket)).firstToken()).isEqualTo(grant.firstToken());
		await().during(SESSION.plusSeconds(2)).atMost(Duration.ofMinutes(1)).until(() -> counts(grant));
	}

	@Test
	void oneSignalContainsAllLocksOfASessionInDoubt() {
		List<Ticket> held = List.of(this.one.hold("doubt-a"), this.one.hold("doubt-b"), this.one.hold("doubt-c"));
		this.proxy.refuse(true);
		await().untilAsserted(() -> assertThat(this.one.doubtSignals)
			.anySatisfy((tickets) -> assertThat(tickets).hasSameElementsAs(held)));
	}

	@Test
	void aReleaseThatFailedBeforeTheStoreWasClosedIsRepeatedWhenTheClientHasConnectedAgain() {
		Ticket ticket = this.one.hold("stopped");
		this.proxy.refuse(true);
		await().until(() -> this.one.doubted.contains(ticket));
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> this.one.release(ticket));
		this.one.store.close();
		// The session continues, since the client belongs to the application.
		this.proxy.refuse(false);
		await().atMost(Duration.ofMinutes(1)).until(() -> this.other.attemptOnce("stopped") instanceof Grant);
		assertThat(this.one.client.getZookeeperClient().isConnected()).isTrue();
	}

	private CompletableFuture<HeldLock> waiter(RegistryNode node, String key) {
		CompletableFuture<HeldLock> waiter = node.registry
			.acquireAsync(LockRequest.of(key).waitTime(LockRequest.FOREVER));
		await().until(() -> node.events.waiting.get() > 0);
		return waiter;
	}

	@ParameterizedTest
	@ValueSource(strings = { "PT0S", "PT60S" })
	void aHolderWhoseSessionHasEndedIsNotifiedAtOnceAndTheNextEnters(Duration lease) throws Exception {
		LockRequest request = LockRequest.of("lost");
		HeldLock held = this.holder.registry.acquire(lease.isZero() ? request : request.leaseTime(lease));
		AtomicInteger notifications = new AtomicInteger();
		held.onLost(notifications::incrementAndGet);
		CompletableFuture<HeldLock> next = waiter(this.next, "lost");
		this.nodes.server.endSession(this.holder.client);
		try (HeldLock entered = next.get(30, TimeUnit.SECONDS)) {
			assertThat(entered.fencingToken()).isGreaterThan(held.fencingToken());
			// As soon as the client detects it. Callback and listener run side by side.
			await().until(() -> notifications.get() == 1 && !this.holder.events.lost.isEmpty());
			assertThat(held.isHeld()).isFalse();
			assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close).withMessageContaining("lost");
			assertThat(entered.isHeld()).isTrue();
		}
		try (HeldLock again = this.holder.registry.acquire(request)) {
			assertThat(again.fencingToken()).isGreaterThan(held.fencingToken());
		}
		assertThat(notifications).hasValue(1);
		assertThat(this.holder.events.lost).containsExactly("lost");
	}

	@Test
	void anAttemptAfterTheEndOfASessionFailsWithAMessageAboutTheAttempt() {
		HeldLock held = this.holder.registry.acquire(LockRequest.of("own"));
		this.nodes.server.stop();
		await().atMost(Duration.ofMinutes(1)).until(() -> this.holder.events.lost.contains("own"));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close);
		assertThatExceptionOfType(LockBackendException.class)
			.isThrownBy(() -> this.holder.registry.obtain("own").tryLock())
			.withMessageStartingWith("There is no connection to ZooKeeper at ")
			.withMessageEndingWith("; lock 'own' was not attempted while an earlier command for it is unanswered")
			.withMessageContaining(this.nodes.server.connectString())
			.withMessageContaining("distlock.zookeeper.connect-string");
		this.nodes.server.restart();
	}

	@Test
	void theRemainingTimeIsThatOfTheSessionAndEndsWithIt() {
		HeldLock held = this.holder.registry.acquire(LockRequest.of("remaining"));
		assertThat(held.remaining()).isPositive().isLessThanOrEqualTo(SESSION);
		// The leader's replies extend it.
		await().during(SESSION.plusSeconds(1))
			.atMost(Duration.ofMinutes(1))
			.until(() -> !held.remaining().isZero() && held.remaining().compareTo(SESSION) <= 0);
		this.nodes.server.stop();
		Duration left = held.remaining();
		await().until(() -> held.remaining().compareTo(left) < 0);
		await().atMost(Duration.ofMinutes(1)).until(() -> held.remaining().isZero());
		assertThat(held.isHeld()).isFalse();
	}

	@Test
	void aRestartOfTheServerWithinTheSessionTimeoutLosesNeitherHolderNorWaiter() throws Exception {
		HeldLock held = this.holder.registry.acquire(LockRequest.of("restart"));
		CompletableFuture<HeldLock> next = waiter(this.next, "restart");
		this.nodes.server.restart();
		for (RegistryNode node : List.of(this.holder, this.next)) {
			await().until(() -> node.client.getZookeeperClient().isConnected());
		}
		await().during(Duration.ofSeconds(2)).atMost(Duration.ofSeconds(30)).until(held::isHeld);
		assertThat(next).isNotDone();
		held.close();
		try (HeldLock entered = next.get(30, TimeUnit.SECONDS)) {
			assertThat(entered.fencingToken()).isGreaterThan(held.fencingToken());
		}
		assertThat(this.holder.events.lost).isEmpty();
	}

	@ParameterizedTest
	@EnumSource
	void aLockThatIsReleasedWithoutAConnectionIsFreeAfterTheNextConnection(ReleaseMode release) throws Exception {
		// Much longer than the test: the end of the session does not release the lock.
		Duration session = Duration.ofMinutes(2);
		try (BareNodes lasting = new BareNodes(session);
				RegistryNode node = new RegistryNode(ZooKeeperTestServer.client(lasting.proxyAddress(), session),
						release)) {
			HeldLock lock = node.registry.acquire(LockRequest.of("late"));
			node.registry.shutdown();
			node.registry.start();
			lasting.proxy.refuse(true);
			ZooKeeper zooKeeper = node.client.getZookeeperClient().getZooKeeper();
			await().until(() -> !zooKeeper.getState().isConnected());
			lock.close();
			lasting.proxy.refuse(false);
			lasting.registry().registry.acquire(LockRequest.of("late").waitTime(Duration.ofSeconds(30))).close();
		}
	}

}
