package io.github.distlock.backend.zookeeper;

import java.time.Duration;
import java.time.Instant;
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
import io.github.distlock.backend.StoreInspection;
import io.github.distlock.backend.StoreInspection.EndResult;
import io.github.distlock.backend.StoredLock;
import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.backend.StoredLock.StoredWaiter;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.contract.Answers;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What operators read in ZooKeeper, and what they end.
 */
class OperatorTests {

	private static final Duration SESSION = Duration.ofSeconds(8);

	@AutoClose
	@RegisterExtension
	static final BareNodes nodes = new BareNodes(SESSION);

	private static Grant attempt(BareNode node, Ticket ticket) {
		return BareNode.granted(node.attempt(ticket));
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
		StoredLock lock = two.inspection().inspect("named");
		assertThat(lock.key()).isEqualTo("named");
		assertThat(lock.holders()).containsExactly(holder(one, ticket, grant));
		assertThat(lock.waiting()).containsExactly(new StoredWaiter(two.self.text(), LockMode.EXCLUSIVE),
				new StoredWaiter(one.self.text(), LockMode.READ));
		assertThat(two.inspection().inspect("unknown/%key"))
			.isEqualTo(new StoredLock("unknown/%key", List.of(), List.of()));
	}

	@Test
	void aRefusedTicketNamesTheHolder() {
		BareNode one = nodes.node();
		BareNode two = nodes.node();
		one.hold("blocker");
		StoredHolder holder = new StoredHolder(one.self.text(), LockMode.EXCLUSIVE, null, null, 0);
		assertThat(two.attemptOnce("blocker")).isInstanceOfSatisfying(AttemptResult.Busy.class,
				(busy) -> assertThat(busy.holder()).isEqualTo(holder));
		assertThat(two.attempt(two.ticket("blocker"))).isInstanceOfSatisfying(AttemptResult.Queued.class,
				(queued) -> assertThat(queued.holder()).isEqualTo(holder));
	}

	@Test
	void theHolderInARegistryFindsAtItsReleaseThatTheStoreForgotTheLock() {
		RegistryNode one = nodes.registry();
		RegistryNode two = nodes.registry();
		HeldLock lock = one.registry.acquire(LockRequest.of("registry"));
		StoreInspection operator = nodes.node().inspection();
		long token = operator.inspect("registry").holders().get(0).grantToken();
		assertThat(operator.end("registry", token)).isEqualTo(EndResult.ENDED);
		two.registry.acquire(LockRequest.of("registry")).close();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::close)
			.satisfies((lost) -> assertThat(lost.lossCause()).isEqualTo(LossCause.FORGOTTEN));
		assertThat(one.lost).containsExactly("registry");
	}

	@Test
	void aHolderWhoseConnectionWasInterruptedFindsThatTheStoreForgotTheLock() {
		BareNode one = nodes.node();
		Ticket ticket = one.ticket("renewed");
		Grant grant = attempt(one, ticket);
		assertThat(nodes.node().inspection().end("renewed", grant.firstToken())).isEqualTo(EndResult.ENDED);
		assertThat(Answers.of(one.store.renew(List.of(new Renewal(ticket, grant.lastToken(), SESSION)))))
			.containsExactly(new RenewalResult.Gone(false));
		assertThat(grant.validity().hasPassed(TimeSource.SYSTEM)).as("the session has ended").isFalse();
	}

}
