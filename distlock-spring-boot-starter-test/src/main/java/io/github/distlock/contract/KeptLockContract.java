package io.github.distlock.contract;

import java.util.List;

import io.github.distlock.LockMode;
import io.github.distlock.backend.AttemptOptions;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.AttemptResult.Granted;
import io.github.distlock.backend.AttemptResult.Queued;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockStore.Successor;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.Ticket;
import io.github.distlock.contract.BackendNode.Asked;
import org.junit.jupiter.api.Test;

import static io.github.distlock.contract.BackendNode.LEASE;
import static io.github.distlock.contract.BackendNode.granted;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * What a store that keeps locks does for them: it marks grants, and asks for them.
 */
interface KeptLockContract extends ContractTests {

	private void assumeKeeps() {
		assumeTrue(description().keeps(), () -> "The store '" + description().name() + "' keeps no locks");
	}

	@Test
	default void aStoreThatKeepsNoLocksIgnoresTheOptionsForThem() {
		assumeFalse(description().keeps(), () -> "The store '" + description().name() + "' keeps locks");
		Ticket ticket = first().ticket(key());
		AttemptResult granted = first().attemptToKeep(ticket);
		assertThat(granted).isInstanceOfSatisfying(Granted.class,
				(result) -> assertThat(result.keepable()).as("a mark").isFalse());
		assertThat(Answers
			.of(second().store.attempt(second().ticket(key()), LEASE, new AttemptOptions(false, true, true))))
			.isInstanceOfSatisfying(AttemptResult.Busy.class,
					(busy) -> assertThat(busy.kept()).as("may be kept").isFalse());
		first().store.refuse(second().ticket(key()));
	}

	@Test
	default void aFreeLockIsMarkedOnlyIfTheAttemptAsksForThat() {
		assumeKeeps();
		Asked held = first().holdToKeep(key());
		assertThat(Answers.of(first().store.attempt(held.held(), LEASE, AttemptOptions.queue(true)))).as("asked again")
			.isInstanceOfSatisfying(Granted.class, (again) -> {
				assertThat(again.keepable()).isTrue();
				assertThat(again.grant().firstToken()).isEqualTo(held.grantToken());
			});
		first().release(held.held());
		assertUnmarked(second(), second().ticket(key()));
	}

	@Test
	default void theFirstTicketInTheQueueAsksForALockThatMayBeKept() {
		assumeKeeps();
		Asked held = first().holdToKeep(key());
		Ticket waiter = second().ticket(key());
		assertFirst(second().attempt(waiter), true);
		await().until(() -> first().asked().equals(List.of(held)));
		Ticket later = second().ticket(key());
		assertFirst(second().attemptToKeep(later), false);
		assertFirst(second().attempt(waiter), true);
		assertFirst(second().attempt(later), false);
		Answers.of(second().store.cancel(waiter));
		assertFirst(Answers.of(second().store.attempt(later, LEASE, new AttemptOptions(true, false, true))), true);
		// In the order of the attempts, and nothing in between.
		await().until(() -> first().asked().equals(List.of(held, held, held.by(later))));
		assertThat(second().asked()).isEmpty();
	}

	private static void assertFirst(AttemptResult result, boolean first) {
		assertThat(result).isInstanceOfSatisfying(Queued.class,
				(queued) -> assertThat(queued.first()).isEqualTo(first));
	}

	@Test
	default void noTicketAsksForALockThatMayNotBeKept() {
		assumeKeeps();
		Ticket holder = first().hold(key());
		second().attempt(second().ticket(key()));
		Answers.of(second().store.attempt(second().ticket(key()), LEASE, new AttemptOptions(true, true, true)));
		first().release(holder);
		// Messages to this JVM keep their order.
		String other = key() + "-other";
		Asked held = first().holdToKeep(other);
		second().attempt(second().ticket(other));
		await().until(() -> !first().asked().isEmpty());
		assertThat(first().asked()).containsExactly(held);
	}

	@Test
	default void aTicketThatWantsAnAnswerIsNotTheFirstIfNoJvmIsAsked() {
		assumeKeeps();
		first().hold(key());
		Ticket requester = second().ticket(key());
		AttemptOptions answer = new AttemptOptions(true, false, true);
		assertFirst(Answers.of(second().store.attempt(requester, LEASE, answer)), false);
		assertFirst(Answers.of(second().store.attempt(requester, LEASE, answer)), false);
		assertFirst(second().attempt(requester), true);
	}

	@Test
	default void aTicketThatIsNotQueuedLearnsThatTheLockMayBeKept() {
		assumeKeeps();
		first().holdToKeep(key());
		assertKept(true);
		Ticket waiter = second().attempted(key());
		assertKept(false);
		Answers.of(second().store.cancel(waiter));
		assertKept(true);
		String other = key() + "-other";
		first().hold(other);
		assertThat(second().attemptOnce(second().ticket(other))).isInstanceOfSatisfying(AttemptResult.Busy.class,
				(busy) -> assertThat(busy.kept()).isFalse());
	}

	private void assertKept(boolean kept) {
		assertThat(second().attemptOnce(second().ticket(key()))).isInstanceOfSatisfying(AttemptResult.Busy.class,
				(busy) -> assertThat(busy.kept()).isEqualTo(kept));
	}

	@Test
	default void aReaderAsksForALockThatMayBeKept() {
		assumeKeeps();
		assumeReaders();
		Asked held = first().holdToKeep(key());
		Ticket reader = second().ticket(key(), LockMode.READ);
		assertFirst(second().attempt(reader), true);
		await().until(() -> first().asked().equals(List.of(held)));
		first().release(held.held());
		second().awaitGrant(reader);
	}

	@Test
	default void aRefusalReachesTheTicketThatWantsAnAnswer() {
		assumeKeeps();
		Asked held = first().holdToKeep(key());
		Ticket requester = second().ticket(key());
		Answers.of(second().store.attempt(requester, LEASE, new AttemptOptions(true, false, true)));
		await().until(() -> first().asked().equals(List.of(held.by(requester))));
		first().store.refuse(requester);
		await().until(() -> second().wasRefused(requester));
	}

	@Test
	default void aRenewalSaysWhetherItsGrantIsMarked() {
		assumeKeeps();
		Ticket holder = first().holdToKeep(key()).held();
		Grant grant = granted(first().attempt(holder));
		assertRenewed(first(), holder, grant, true);
		assertThat(first().renew(holder, grant.lastToken(), LEASE, false)).isInstanceOf(RenewalResult.Gone.class);
		second().attempt(second().ticket(key()));
		assertRenewed(first(), holder, grant, true);
	}

	private static void assertRenewed(BackendNode node, Ticket holder, Grant grant, boolean keepable) {
		assertThat(node.renew(holder, grant.lastToken(), LEASE, keepable)).isInstanceOf(RenewalResult.Extended.class);
	}

	@Test
	default void aGrantToATicketThatWaitedIsNotMarkedAndIsRenewed() {
		assumeKeeps();
		Asked held = first().holdToKeep(key());
		Ticket waiter = second().ticket(key());
		second().attemptToKeep(waiter);
		Ticket successor = first().ticket(key());
		assertThat(Answers.of(first().store.release(held.held(), held.grantToken(), new Successor(successor, LEASE)))
			.released()).isTrue();
		assertUnmarked(second(), waiter);
		second().release(waiter);
		assertUnmarked(first(), successor);
	}

	@Test
	default void aGrantToASuccessorThatDidNotWaitIsNotMarkedAndIsRenewed() {
		assumeKeeps();
		Asked held = first().holdToKeep(key());
		Ticket successor = first().ticket(key());
		assertThat(Answers.of(first().store.release(held.held(), held.grantToken(), new Successor(successor, LEASE)))
			.next()).isInstanceOfSatisfying(Granted.class, (granted) -> assertThat(granted.keepable()).isFalse());
		assertUnmarked(first(), successor);
	}

	private static void assertUnmarked(BackendNode node, Ticket ticket) {
		assertRenewed(node, ticket, node.awaitGrant(ticket), false);
		assertThat(node.attempt(ticket)).isInstanceOfSatisfying(Granted.class,
				(granted) -> assertThat(granted.keepable()).isFalse());
	}

}
