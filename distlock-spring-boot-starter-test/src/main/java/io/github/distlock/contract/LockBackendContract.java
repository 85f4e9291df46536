package io.github.distlock.contract;

import java.util.List;

import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockStore.Renewal;
import io.github.distlock.backend.LockStore.Successor;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.contract.ContractTests.WholeStore;
import org.junit.jupiter.api.Test;

import static io.github.distlock.contract.BackendNode.LEASE;
import static io.github.distlock.contract.BackendNode.granted;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The requirements on the verbs of a lock store.
 */
interface LockBackendContract extends RepeatedVerbContract, KeyContract, ReaderVerbContract, InspectionContract {

	@Test
	default void aFreeLockIsGrantedToAnAttempt() {
		assertThat(first().attempt(first().ticket(key()))).isInstanceOf(Grant.class);
	}

	@Test
	default void aHeldLockIsNotGrantedToAnotherTicket() {
		first().hold(key());
		assertThat(second().attemptOnce(second().ticket(key()))).isInstanceOf(AttemptResult.Busy.class);
		assertThat(second().attempt(second().ticket(key()))).isInstanceOf(AttemptResult.Queued.class);
		assertThat(first().attempt(first().ticket(key()))).isInstanceOf(AttemptResult.Queued.class);
	}

	@Test
	default void aReleasedLockGoesToAWaitingTicketThatIsAttemptedAgain() {
		Ticket holder = first().hold(key());
		Ticket waiter = second().attempted(key());
		assertThat(first().release(holder)).isTrue();
		second().awaitGrant(waiter);
		assertThat(first().attemptOnce(first().ticket(key()))).isInstanceOf(AttemptResult.Busy.class);
	}

	@Test
	default void aReleasedLockGoesToTheLongestWaitingTicketWhichIsSignalled() {
		assumeOrder();
		Ticket holder = first().hold(key());
		Ticket waiter = second().attempted(key());
		Ticket later = first().attempted(key());
		assertThat(first().release(holder)).isTrue();
		second().awaitSignal(waiter);
		assertThat(first().attempt(later)).isInstanceOf(AttemptResult.Queued.class);
		second().awaitGrant(waiter);
	}

	@Test
	default void releaseAnswersGoneForATicketThatDoesNotHoldAndChangesNothing() {
		Ticket holder = first().hold(key());
		assertThat(second().release(second().ticket(key()))).isFalse();
		assertThat(first().release(first().ticket(key()))).isFalse();
		assertThat(second().attemptOnce(second().ticket(key()))).isInstanceOf(AttemptResult.Busy.class);
		assertThat(first().attempt(holder)).isInstanceOf(Grant.class);
		assertThat(first().release(holder)).isTrue();
		assertThat(first().release(holder)).isFalse();
	}

	@Test
	default void aReleaseThatQueuesTheNextTicketAnswersWhatAnAttemptWould() {
		Ticket holder = first().hold(key());
		Ticket alone = first().ticket(key());
		ReleaseResult free = Answers.of(first().store.release(holder, 0, new Successor(alone, LEASE)));
		assertThat(free.released()).isTrue();
		Grant grant = granted(free.next());
		assertThat(granted(first().attempt(alone)).firstToken()).isEqualTo(grant.firstToken());
		assertThat(second().attemptOnce(second().ticket(key()))).isInstanceOf(AttemptResult.Busy.class);
	}

	@Test
	default void aReleaseThatQueuesTheNextTicketQueuesItBehindWaitingTickets() {
		assumeOrder();
		Ticket holder = first().hold(key());
		Ticket waiter = second().attempted(key());
		Ticket behind = first().ticket(key());
		ReleaseResult contended = Answers.of(first().store.release(holder, 0, new Successor(behind, LEASE)));
		assertThat(contended.released()).isTrue();
		assertThat(contended.next()).isInstanceOf(AttemptResult.Queued.class);
		second().awaitGrant(waiter);
		second().release(waiter);
		first().awaitGrant(behind);
	}

	@Test
	default void aCancelledTicketIsNeverGrantedTheLock() {
		Ticket holder = first().hold(key());
		Ticket waiter = second().attempted(key());
		Answers.of(second().store.cancel(waiter));
		first().release(holder);
		first().take(first().ticket(key()), false);
		assertThat(second().wasGranted(waiter)).isFalse();
	}

	@Test
	default void aCancelledTicketThatWasGrantedMeanwhileIsReleased() {
		Ticket holder = first().hold(key());
		Ticket waiter = second().attempted(key());
		first().release(holder);
		second().awaitGrant(waiter);
		Answers.of(second().store.cancel(waiter));
		first().take(first().ticket(key()), false);
	}

	@Test
	default void cancellingATicketThatDoesNotWaitChangesNothing() {
		Ticket holder = first().hold(key());
		Answers.of(second().store.cancel(second().ticket(key())));
		Answers.of(first().store.cancel(first().ticket(key())));
		assertThat(second().attemptOnce(second().ticket(key()))).isInstanceOf(AttemptResult.Busy.class);
		Answers.of(first().store.cancel(holder));
		Answers.of(first().store.cancel(holder));
		second().hold(key());
	}

	@Test
	default void aLeaseThatIsNotRenewedEnds() {
		assumeExpiry();
		Answers.of(first().store.attempt(first().ticket(key()), store().shortLease(), true));
		await().until(() -> second().attemptOnce(second().ticket(key())) instanceof Grant);
	}

	@Test
	default void aLockWhoseLeaseHasEndedGoesToTheLongestWaitingTicket() {
		assumeExpiry();
		assumeOrder();
		Answers.of(first().store.attempt(first().ticket(key()), store().shortLease(), true));
		Ticket waiter = second().attempted(key());
		await().until(() -> {
			// A later attempt detects that the lease has expired, but is not granted the
			// lock.
			assertThat(first().attemptOnce(first().ticket(key()))).isInstanceOf(AttemptResult.Busy.class);
			return second().wasGranted(waiter) || second().attempt(waiter) instanceof Grant;
		});
	}

	@Test
	default void aRenewedLeaseContinues() {
		Ticket holder = first().ticket(key());
		Grant grant = granted(first().attempt(holder));
		List<RenewalResult> results = Answers
			.of(first().store.renew(List.of(new Renewal(holder, grant.lastToken(), LEASE.multipliedBy(3)))));
		assertThat(results).singleElement()
			.isInstanceOfSatisfying(RenewalResult.Extended.class,
					(renewed) -> assertThat(renewed.validity().remainingNanos(TimeSource.SYSTEM))
						.isGreaterThan(LEASE.multipliedBy(2).toNanos()));
		assertLongLease();
	}

	@Test
	default void aLeaseIsRenewedWhateverItsNeighboursInTheBatchLookLike() {
		Ticket holder = first().ticket(key());
		Ticket released = first().hold(key() + "-released");
		first().release(released);
		second().hold(key() + "-taken");
		Renewal held = new Renewal(holder, granted(first().attempt(holder)).lastToken(), LEASE);
		List<RenewalResult> results = Answers
			.of(first().store.renew(List.of(new Renewal(first().ticket(key() + "-taken"), 1, LEASE),
					new Renewal(released, 1, LEASE), held, new Renewal(first().ticket(key() + "-free"), 1, LEASE))));
		assertThat(results).hasSize(4).element(2).isInstanceOf(RenewalResult.Extended.class);
		assertThat(results).filteredOn(RenewalResult.Gone.class::isInstance).hasSize(3);
	}

	@Test
	default void theLeasesOfATicketThatWaitedAndOfASuccessorAreRenewed() {
		Ticket holder = first().hold(key());
		Ticket waiter = second().attempted(key());
		first().release(holder);
		assertRenewed(second(), waiter);
		Ticket successor = second().ticket(key());
		Answers.of(second().store.release(waiter, 0, new Successor(successor, LEASE)));
		assertRenewed(second(), successor);
	}

	private static void assertRenewed(BackendNode node, Ticket ticket) {
		assertThat(node.renew(ticket, node.awaitGrant(ticket).lastToken(), LEASE))
			.isInstanceOf(RenewalResult.Extended.class);
	}

	@Test
	default void renewalOfATicketThatDoesNotHoldAnswersGone() {
		Ticket holder = first().ticket(key());
		Grant grant = granted(first().attempt(holder));
		Ticket other = second().ticket(key());
		// Some stores know that another ticket holds the lock.
		assertThat(second().renew(other, grant.lastToken(), LEASE)).isInstanceOf(RenewalResult.Gone.class);
		// A late copy does not extend a later grant.
		assertThat(first().renew(holder, grant.lastToken() + 1, LEASE)).isEqualTo(new RenewalResult.Gone(false));
		first().release(holder);
		assertThat(first().renew(holder, grant.lastToken(), LEASE)).isEqualTo(new RenewalResult.Gone(false));
	}

	@Test
	default void tokensStrictlyIncreaseFromHolderToHolder() {
		long last = 0;
		for (int i = 0; i < 50; i++) {
			BackendNode node = (i % 2 == 0) ? first() : second();
			Ticket ticket = node.ticket(key());
			// Without order, cancelled commands of other tickets may still be under way.
			Grant grant = description().fair() ? granted(node.attempt(ticket)) : node.awaitGrant(ticket);
			assertThat(grant.firstToken()).isGreaterThan(last);
			assertThat(grant.lastToken() - grant.firstToken() + 1).isEqualTo(description().tokensPerGrant());
			last = grant.firstToken();
			Answers.of(node.store.release(ticket, last, null));
		}
	}

	@Test
	@WholeStore
	default void tokensStillIncreaseAfterTheKeyHasBeenForgotten() {
		assumeLastingTokens();
		Ticket ticket = first().ticket(key());
		Grant grant = granted(first().attempt(ticket));
		Answers.of(first().store.release(ticket, grant.firstToken(), null));
		store().clear();
		assertThat(granted(second().attempt(second().ticket(key()))).firstToken()).isGreaterThan(grant.lastToken());
	}

}
