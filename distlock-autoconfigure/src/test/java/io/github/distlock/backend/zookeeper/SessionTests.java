package io.github.distlock.backend.zookeeper;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.testing.TcpProxy;
import io.github.distlock.testing.ZooKeeperTestServer;
import org.apache.curator.framework.state.ConnectionState;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * The validity of grants while their session is in doubt.
 */
@Execution(ExecutionMode.CONCURRENT)
class SessionTests {

	private static final Duration SESSION = Duration.ofSeconds(20);

	@AutoClose
	private final BareNodes nodes = new BareNodes(SESSION);

	private final TcpProxy proxy = this.nodes.proxy;

	private final BareNode one = this.nodes.proxied();

	private final BareNode other = this.nodes.node();

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

}
