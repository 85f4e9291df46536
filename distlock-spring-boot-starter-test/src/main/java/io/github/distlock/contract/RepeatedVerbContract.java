package io.github.distlock.contract;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockStore.Renewal;
import io.github.distlock.backend.LockStore.Successor;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import org.junit.jupiter.api.Test;

import static io.github.distlock.contract.BackendNode.LEASE;
import static io.github.distlock.contract.BackendNode.granted;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Each verb sent twice: a caller that has received no reply repeats the command with the
 * same ticket, with the same result as if it had been sent once.
 */
interface RepeatedVerbContract extends ContractTests {

	@Test
	default void anAttemptRepeatedWithTheTicketThatHoldsGivesTheSameTokenAgain() {
		Ticket ticket = first().ticket(key());
		Grant once = granted(first().attempt(ticket));
		Grant again = granted(first().attempt(ticket));
		assertThat(again.firstToken()).isEqualTo(once.firstToken());
		assertThat(again.lastToken()).isEqualTo(once.lastToken());
	}

	@Test
	default void aRepeatedAttemptDoesNotExtendTheLease() {
		assumeExpiry();
		Ticket ticket = first().ticket(key());
		Answers.of(first().store.attempt(ticket, LEASE, true));
		Grant again = granted(Answers.of(first().store.attempt(ticket, LEASE.multipliedBy(3), true)));
		assertThat(again.validity().remainingNanos(TimeSource.SYSTEM)).isLessThan(LEASE.toNanos());
		assertThat(second().attemptOnce(second().ticket(key()))).isInstanceOfSatisfying(AttemptResult.Busy.class,
				(busy) -> assertThat(busy.remaining()).isLessThanOrEqualTo(LEASE));
	}

	@Test
	default void anAttemptRepeatedByAWaitingTicketQueuesItOnce() {
		assumeOrder();
		Ticket holder = first().hold(key());
		Ticket waiter = second().ticket(key());
		Ticket later = first().ticket(key());
		assertThat(second().attempt(waiter)).isInstanceOfSatisfying(AttemptResult.Queued.class,
				(waiting) -> assertThat(waiting.queuedNow()).isTrue());
		assertThat(second().attempt(waiter)).isInstanceOfSatisfying(AttemptResult.Queued.class,
				(waiting) -> assertThat(waiting.queuedNow()).isFalse());
		first().attempt(later);
		// It keeps its position.
		second().attempt(waiter);
		first().release(holder);
		second().awaitGrant(waiter);
		second().release(waiter);
		// If it had been queued twice, it would own the lock again.
		first().awaitGrant(later);
	}

	@Test
	default void aRepeatedReleaseAnswersGoneAndDoesNotFreeTheNextHolder() {
		Ticket holder = first().hold(key());
		Ticket waiter = second().attempted(key());
		assertThat(first().release(holder)).isTrue();
		second().awaitGrant(waiter);
		assertThat(first().release(holder)).isFalse();
		assertThat(first().attemptOnce(first().ticket(key()))).isInstanceOf(AttemptResult.Busy.class);
	}

	@Test
	default void aRepeatedReleaseThatQueuesTheNextTicketQueuesItOnce() {
		Ticket holder = first().hold(key());
		Ticket next = first().ticket(key());
		Grant once = granted(Answers.of(first().store.release(holder, 0, new Successor(next, LEASE))).next());
		assertThat(Answers.of(first().store.release(holder, 0, new Successor(next, LEASE))).released()).isFalse();
		assertThat(granted(first().attempt(next)).firstToken()).isEqualTo(once.firstToken());
		assertThat(first().release(next)).isTrue();
		assertThat(second().attemptOnce(second().ticket(key()))).isInstanceOf(Grant.class);
	}

	@Test
	default void aRepeatedCancellationChangesNothing() {
		Ticket holder = first().hold(key());
		Ticket waiter = second().attempted(key());
		Answers.of(second().store.cancel(waiter));
		Answers.of(second().store.cancel(waiter));
		assertThat(second().attemptOnce(second().ticket(key()))).isInstanceOf(AttemptResult.Busy.class);
		assertThat(first().release(holder)).isTrue();
		second().hold(key());
		Answers.of(second().store.cancel(waiter));
		assertThat(first().attemptOnce(first().ticket(key()))).isInstanceOf(AttemptResult.Busy.class);
	}

	@Test
	default void aRepeatedRenewalExtendsTheLeaseOnceMoreAndNeverShortensIt() {
		Ticket holder = first().ticket(key());
		Grant grant = granted(first().attempt(holder));
		for (Duration lease : List.of(LEASE.multipliedBy(3), LEASE.multipliedBy(3), store().shortLease())) {
			assertThat(first().renew(holder, grant.lastToken(), lease)).isInstanceOf(RenewalResult.Extended.class);
		}
		assertLongLease();
	}

	/** The lock is held, and was renewed for more than one lease. */
	default void assertLongLease() {
		AttemptResult busy = second().attemptOnce(second().ticket(key()));
		assertThat(busy).isInstanceOf(AttemptResult.Busy.class);
		if (description().expires()) {
			assertThat(((AttemptResult.Busy) busy).remaining()).isGreaterThan(LEASE.multipliedBy(2));
		}
	}

	@Test
	default void aBatchOfRenewalsIsAnsweredInItsOrder() {
		List<Renewal> renewals = new ArrayList<>();
		for (int i = 0; i < 5; i++) {
			Ticket ticket = first().ticket(key() + i);
			renewals.add(new Renewal(ticket, granted(first().attempt(ticket)).lastToken(), LEASE));
		}
		renewals.add(3, new Renewal(first().ticket(key() + "-unheld"), 1, LEASE));
		Collections.reverse(renewals);
		List<RenewalResult> results = Answers.of(first().store.renew(renewals));
		assertThat(results).hasSize(6);
		for (int i = 0; i < 6; i++) {
			assertThat(results.get(i)).isInstanceOf((i == 2) ? RenewalResult.Gone.class : RenewalResult.Extended.class);
		}
	}

}
