package io.github.distlock.backend.zookeeper;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import io.github.distlock.HeldLock;
import io.github.distlock.LockLostException;
import io.github.distlock.LockMode;
import io.github.distlock.LockRequest;
import io.github.distlock.LossCause;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockStore.Renewal;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.StoreAdministration;
import io.github.distlock.backend.StoreAdministration.EndResult;
import io.github.distlock.backend.StoreAdministration.SweepResult;
import io.github.distlock.backend.StoredLock;
import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.backend.StoredLock.StoredWaiter;
import io.github.distlock.backend.Ticket;
import io.github.distlock.testing.TcpProxy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What operators read in ZooKeeper, and what they end.
 */
class OperatorTests {

	private static final Duration SESSION = Duration.ofSeconds(8);

	@RegisterExtension
	static final BareNodes nodes = new BareNodes(SESSION);

	private static Grant attempt(BareNode node, Ticket ticket) {
		return BareNode.granted(node.attempt(ticket));
	}

	private static void awaitEnd(BareNode node, Ticket ticket, Grant grant) {
		await().untilAsserted(() -> assertThat(node.ended).containsEntry(ticket, grant.firstToken()));
	}

	private static StoredHolder holder(BareNode node, Ticket ticket, Grant grant) throws Exception {
		String name = node.client.getChildren()
			.forPath("/distlock/" + ticket.key())
			.stream()
			.filter((child) -> child.startsWith(ticket.token() + "-"))
			.findFirst()
			.orElseThrow();
		long created = node.client.checkExists().forPath("/distlock/" + ticket.key() + "/" + name).getCtime();
		return new StoredHolder(ticket.instance(), ticket.mode(), Instant.ofEpochMilli(created), null,
				grant.firstToken());
	}

	@Test
	void theHolderAndTheWaitingTicketsAreNamedInTheirOrder() throws Exception {
		BareNode one = nodes.node();
		BareNode two = nodes.node();
		Ticket ticket = one.ticket("named", LockMode.WRITE);
		Grant grant = attempt(one, ticket);
		two.queue("named");
		one.attempt(one.ticket("named", LockMode.READ));
		StoredLock lock = two.administration().inspect("named");
		assertThat(lock.key()).isEqualTo("named");
		assertThat(lock.holders()).containsExactly(holder(one, ticket, grant));
		assertThat(lock.waiting()).containsExactly(new StoredWaiter(two.self.id(), LockMode.EXCLUSIVE),
				new StoredWaiter(one.self.id(), LockMode.READ));
		assertThat(two.administration().inspect("unknown/%key"))
			.isEqualTo(new StoredLock("unknown/%key", List.of(), List.of()));
	}

	@Test
	void aRefusedTicketNamesTheHolder() {
		BareNode one = nodes.node();
		BareNode two = nodes.node();
		one.hold("blocker");
		StoredHolder holder = new StoredHolder(one.self.id(), LockMode.EXCLUSIVE, null, null, 0);
		assertThat(two.attemptOnce("blocker")).isInstanceOfSatisfying(AttemptResult.Busy.class,
				(busy) -> assertThat(busy.holder()).isEqualTo(holder));
		assertThat(two.attempt(two.ticket("blocker"))).isInstanceOfSatisfying(AttemptResult.Queued.class,
				(queued) -> assertThat(queued.holder()).isEqualTo(holder));
	}

	@Test
	void anEndedGrantPassesTheLockToTheNextTicketWithATokenAboveTheWholeBlock() {
		BareNode one = nodes.announcedNode();
		BareNode two = nodes.node();
		Ticket ticket = one.ticket("ended");
		Grant grant = attempt(one, ticket);
		Ticket next = two.queue("ended");
		StoreAdministration operator = nodes.node().administration();
		assertThat(operator.end("ended", grant.firstToken())).isEqualTo(EndResult.ENDED);
		assertThat(two.awaitGrant(next).firstToken()).isGreaterThan(grant.lastToken() + 1);
		awaitEnd(one, ticket, grant);
		assertThat(one.release(ticket)).isFalse();
		assertThat(operator.end("ended", grant.firstToken())).isEqualTo(EndResult.CHANGED);
		assertThat(two.release(next)).isTrue();
		assertThat(operator.end("ended", grant.firstToken())).isEqualTo(EndResult.NOT_HELD);
		assertThat(two.ended).isEmpty();
	}

	@Test
	void theHolderInARegistryLosesTheLockAtOnceToItsSuccessorWithTheOperatorAsTheCause() {
		try (RegistryNode one = new RegistryNode(nodes.server().connectString(), SESSION);
				RegistryNode two = new RegistryNode(nodes.server().connectString(), SESSION)) {
			HeldLock lock = one.registry.acquire(LockRequest.of("registry"));
			StoreAdministration operator = nodes.node().administration();
			long token = operator.inspect("registry").holders().get(0).grantToken();
			assertThat(operator.end("registry", token)).isEqualTo(EndResult.ENDED);
			await().untilAsserted(() -> assertThat(one.lost).containsExactly("registry"));
			assertThat(lock.isHeld()).isFalse();
			two.registry.acquire(LockRequest.of("registry")).close();
			assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::close)
				.satisfies((lost) -> assertThat(lost.lossCause()).isEqualTo(LossCause.RELEASED_BY_OPERATOR));
		}
	}

	@Test
	void anotherTokenChangesNothing() {
		BareNode one = nodes.announcedNode();
		Ticket ticket = one.ticket("other-token");
		Grant grant = attempt(one, ticket);
		assertThat(one.administration().end("other-token", grant.firstToken() + 1)).isEqualTo(EndResult.CHANGED);
		assertThat(one.ended).isEmpty();
		assertThat(one.release(ticket)).isTrue();
	}

	@Test
	void ofReadersOnlyOneEnds() {
		BareNode one = nodes.announcedNode();
		Ticket first = one.ticket("readers", LockMode.READ);
		Ticket second = one.ticket("readers", LockMode.READ);
		Grant ended = attempt(one, first);
		attempt(one, second);
		Ticket writer = one.ticket("readers", LockMode.WRITE);
		one.attempt(writer);
		assertThat(one.administration().inspect("readers").holders()).hasSize(2);
		assertThat(one.administration().end("readers", ended.firstToken())).isEqualTo(EndResult.ENDED);
		awaitEnd(one, first, ended);
		assertThat(one.administration().inspect("readers").holders()).hasSize(1);
		assertThat(one.release(second)).isTrue();
		one.awaitGrant(writer);
	}

	@Test
	void aReleaseOrRenewalAfterTheEndSignalsItBeforeItsAnswer() {
		BareNode one = nodes.announcedNode();
		BareNode operator = nodes.node();
		for (int i = 0; i < 20; i++) {
			Ticket ticket = one.ticket("race");
			Grant grant = attempt(one, ticket);
			operator.administration().end("race", grant.firstToken());
			if (i % 2 == 0) {
				assertThat(one.release(ticket)).isFalse();
			}
			else {
				assertThat(one.store.renew(List.of(new Renewal(ticket, grant.lastToken(), SESSION))))
					.containsExactly(new RenewalResult.Gone());
			}
			assertThat(one.ended).containsEntry(ticket, grant.firstToken());
		}
	}

	@Test
	void aHolderThatWasDisconnectedLearnsOfTheEndWhenItIsConnectedAgain() {
		try (TcpProxy proxy = new TcpProxy(nodes.server().port())) {
			BareNode one = nodes.node("127.0.0.1:" + proxy.port());
			one.administration().announce();
			Ticket ticket = one.ticket("disconnected");
			Grant grant = attempt(one, ticket);
			proxy.refuse(true);
			await().until(() -> one.ticketsInDoubt.contains(ticket));
			assertThat(nodes.node().administration().end("disconnected", grant.firstToken()))
				.isEqualTo(EndResult.ENDED);
			assertThat(one.ended).isEmpty();
			proxy.refuse(false);
			awaitEnd(one, ticket, grant);
		}
	}

	@Test
	void theNodeThatNamesEndedGrantsIsEmptiedAndGrantsAreEndedAgain() throws Exception {
		BareNode one = nodes.announcedNode();
		BareNode two = nodes.node();
		String path = "/distlock/%ended/" + one.self.id();
		for (int i = 0; i < 3; i++) {
			Ticket ticket = one.ticket("again");
			Grant grant = attempt(one, ticket);
			assertThat(two.administration().end("again", grant.firstToken())).isEqualTo(EndResult.ENDED);
			awaitEnd(one, ticket, grant);
			await().untilAsserted(() -> assertThat(two.client.getData().forPath(path)).isEmpty());
		}
		two.client.setData().forPath(path, "not a grant\n".getBytes());
		await().untilAsserted(() -> assertThat(two.client.getData().forPath(path)).isEmpty());
		assertThat(one.ended).hasSize(3);
	}

	@Test
	void aGrantOfAnInstanceWithoutEntryIsEndedInTheSameWay() {
		BareNode one = nodes.node();
		Ticket ticket = one.ticket("unknown-instance");
		Grant grant = attempt(one, ticket);
		assertThat(nodes.node().administration().end("unknown-instance", grant.firstToken()))
			.isEqualTo(EndResult.ENDED);
		awaitEnd(one, ticket, grant);
		assertThat(one.release(ticket)).isFalse();
	}

	@Test
	void aGrantWhoseInstanceCannotBeToldIsEndedAndIsGone() throws Exception {
		BareNode one = nodes.node();
		Ticket ticket = one.ticket("untold");
		Grant grant = attempt(one, ticket);
		one.client.delete().forPath("/distlock/%ended/" + one.self.id());
		assertThat(nodes.node().administration().end("untold", grant.firstToken())).isEqualTo(EndResult.ENDED);
		assertThat(one.release(ticket)).isFalse();
		assertThat(one.ended).isEmpty();
	}

	@Test
	void everythingOfAnInstanceWithoutEntryIsEnded() {
		BareNode one = nodes.announcedNode();
		BareNode two = nodes.node();
		StoreAdministration operator = two.administration();
		List<Ticket> waiting = new ArrayList<>();
		for (int i = 0; i < 250; i++) {
			one.hold("sweep-" + i);
			one.queue("sweep-" + i);
			if (i % 100 == 0) {
				waiting.add(two.queue("sweep-" + i));
			}
		}
		assertThat(operator.endAll(one.self.id())).isEqualTo(SweepResult.ALIVE);
		one.administration().withdraw();
		assertThat(operator.endAll("another")).isEqualTo(new SweepResult(false, 0, true));
		assertThat(operator.endAll(one.self.id())).isEqualTo(new SweepResult(false, 250, true));
		waiting.forEach(two::awaitGrant);
		assertThat(one.grants).isEmpty();
		assertThat(operator.inspect("sweep-1")).isEqualTo(new StoredLock("sweep-1", List.of(), List.of()));
	}

}
