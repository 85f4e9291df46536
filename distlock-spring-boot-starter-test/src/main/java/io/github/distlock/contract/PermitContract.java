package io.github.distlock.contract;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Future;

import io.github.distlock.HeldLock;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockMode;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.Ticket;
import io.github.distlock.contract.ForgetfulBackend.Verb;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Readers with a limit, if the store offers it: how many hold the lock at once, which
 * enters next, and what a thread may enter again.
 */
interface PermitContract extends ContractTests {

	int LIMIT = 3;

	int CALLERS = 8;

	int ENTRIES = 20;

	private void assertQueued(BackendNode node, Ticket... tickets) {
		for (Ticket ticket : tickets) {
			assertThat(node.attempt(ticket)).isInstanceOf(AttemptResult.Queued.class);
		}
	}

	private Ticket holding(BackendNode node, int permits) {
		Ticket ticket = node.permit(key(), permits);
		BackendNode.granted(node.attempt(ticket));
		return ticket;
	}

	/** The checker is the model of a semaphore by which Hazelcast is tested. */
	@Test
	default void neverMoreCallersHoldTheLockThanPermitsAndAsManyDoWhileOthersWait() throws Exception {
		assumePermits();
		SemaphoreModel model = new SemaphoreModel(LIMIT);
		List<ContractNode> nodes = List.of(one(), two(), stage().node(Stage.LEASE));
		List<Future<?>> callers = new ArrayList<>();
		for (int i = 0; i < CALLERS; i++) {
			int caller = i;
			callers.add(stage().inThread(() -> {
				for (int n = 0; n < ENTRIES; n++) {
					HeldLock permit = nodes.get(caller % nodes.size()).registry().acquire(patient().permits(LIMIT));
					model.acquired(caller);
					Thread.yield();
					model.releasing(caller);
					permit.close();
				}
				return true;
			}));
		}
		// No threads: each of these takes a permit of its own.
		List<HeldLock> held = new ArrayList<>();
		for (int i = 0; i < LIMIT; i++) {
			HeldLock permit = stage().get(one().registry().acquireAsync(patient().permits(LIMIT)));
			model.acquired(CALLERS + i);
			held.add(permit);
		}
		assertThat(model.most()).isEqualTo(LIMIT);
		for (HeldLock permit : held) {
			model.releasing(CALLERS + held.indexOf(permit));
			permit.close();
		}
		for (Future<?> caller : callers) {
			stage().get(caller);
		}
		assertThat(model.violations()).isEmpty();
		assertThat(model.isEmpty()).isTrue();
		stage().awaitIdle();
		assertThat(two().takes(key(), LockMode.WRITE)).isTrue();
	}

	@Test
	default void permitsThatAreFreeGoToTheLongestWaitingTickets() {
		assumePermits();
		Ticket one = holding(first(), 2);
		Ticket two = holding(second(), 2);
		Ticket third = first().permit(key(), 2);
		Ticket fourth = second().permit(key(), 2);
		Ticket fifth = first().permit(key(), 2);
		assertQueued(first(), third);
		assertQueued(second(), fourth);
		assertQueued(first(), fifth);
		assertThat(first().release(one)).isTrue();
		first().awaitSignal(third);
		assertQueued(second(), fourth);
		Answers.of(second().store.cancel(two));
		second().awaitSignal(fourth);
		assertQueued(first(), fifth);
		Grant ended = first().awaitGrant(third);
		Objects.requireNonNull(first().store.inspection()).end(key(), ended.firstToken());
		first().awaitSignal(fifth);
		assertThat(second().wasGranted(fourth)).isTrue();
		assertThat(first().release(fifth)).isTrue();
		assertThat(second().release(fourth)).isTrue();
		assertThat(second().release(fourth)).isFalse();
		assertThat(second().attemptOnce(second().ticket(key()))).isInstanceOf(Grant.class);
	}

	@Test
	default void eachTicketIsJudgedByItsOwnPermitsAndNoneOvertakesASmallerNumber() {
		assumePermits();
		List<Ticket> holders = List.of(holding(first(), 3), holding(first(), 3), holding(first(), 3));
		Ticket small = second().permit(key(), 2);
		Ticket large = first().permit(key(), 5);
		assertQueued(second(), small);
		assertQueued(first(), large);
		assertThat(first().attemptOnce(first().permit(key(), 5))).isInstanceOf(AttemptResult.Busy.class);
		first().release(holders.get(0));
		assertQueued(second(), small);
		assertQueued(first(), large);
		first().release(holders.get(1));
		second().awaitSignal(small);
		first().awaitSignal(large);
		assertThat(first().attemptOnce(first().permit(key(), 3))).isInstanceOf(AttemptResult.Busy.class);
		assertThat(first().attemptOnce(first().permit(key(), 4))).isInstanceOf(Grant.class);
	}

	@Test
	default void aReaderTakesAPermitAndIsNotLimited() {
		assumePermits();
		holding(first(), 2);
		BackendNode.granted(second().attempt(second().ticket(key(), LockMode.READ)));
		Ticket refused = second().permit(key(), 2);
		assertThat(second().attemptOnce(refused)).isInstanceOf(AttemptResult.Busy.class);
		BackendNode.granted(second().attempt(second().ticket(key(), LockMode.READ)));
	}

	@Test
	default void aWriterWaitsForAllPermitsAndHoldsNewOnesOff() {
		assumePermits();
		for (LockMode mode : List.of(LockMode.WRITE, LockMode.EXCLUSIVE)) {
			Ticket one = holding(first(), 2);
			Ticket writer = second().ticket(key(), mode);
			Ticket later = first().permit(key(), 2);
			assertQueued(second(), writer);
			assertQueued(first(), later);
			first().release(one);
			second().awaitGrant(writer);
			assertQueued(first(), later);
			second().release(writer);
			first().awaitGrant(later);
			first().release(later);
		}
	}

	/** It must not end before the next two attempts. */
	private Duration lease() {
		return store().shortLease().multipliedBy(5);
	}

	@Test
	default void thePermitOfADeadHolderIsUsedWhenItsLeaseHasEnded() {
		assumePermits();
		Ticket alive = holding(second(), 2);
		Answers.of(first().store.attempt(first().permit(key(), 2), lease(), true));
		Ticket waiter = second().permit(key(), 2);
		assertQueued(second(), waiter);
		second().awaitGrant(waiter);
		assertThat(second().attempt(alive)).isInstanceOf(Grant.class);
		assertThat(second().attemptOnce(second().permit(key(), 2))).isInstanceOf(AttemptResult.Busy.class);
	}

	@Test
	default void aRefusedAttemptNamesTheShortestLease() {
		assumePermits();
		holding(second(), 2);
		Duration lease = BackendNode.LEASE.dividedBy(2);
		Answers.of(first().store.attempt(first().permit(key(), 2), lease, true));
		AttemptResult busy = first().attemptOnce(first().permit(key(), 2));
		assertThat(busy).isInstanceOfSatisfying(AttemptResult.Busy.class,
				(result) -> assertThat(result.remaining()).isLessThanOrEqualTo(lease));
	}

	@Test
	default void callersEnterInTheOrderOfTheirCalls() throws Exception {
		assumePermits();
		HeldLock held = one().registry().acquire(request().permits(1));
		List<Future<HeldLock>> callers = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			ContractNode node = (i % 2 == 0) ? two() : one();
			LockRequest permit = patient().permits(1).fair(i < 2);
			int before = node.backend().queued();
			callers.add(stage().inThread(() -> node.registry().acquire(permit)));
			await().until(() -> node.backend().queued() > before);
		}
		assertEnterOneByOne(held, callers);
	}

	@Test
	default void aThreadReentersTheSlotThatItHolds() {
		assumePermits();
		LockRequest permit = request().permits(1);
		for (LockRequest outer : List.of(permit, request().mode(LockMode.READ), request().mode(LockMode.WRITE),
				request())) {
			for (LockRequest inner : List.of(permit, request().permits(2), request().mode(LockMode.READ))) {
				HeldLock held = one().registry().acquire(outer);
				int attempts = one().backend().calls(Verb.ATTEMPT);
				HeldLock again = one().registry().acquire(inner);
				assertThat(one().backend().calls(Verb.ATTEMPT)).isEqualTo(attempts);
				assertThat(again.fencingToken()).isEqualTo(held.fencingToken());
				again.close();
				assertThat(held.isHeld()).isTrue();
				assertThat(two().registry().tryAcquire(once().permits(1))).isEmpty();
				held.close();
			}
		}
	}

	@Test
	default void aThreadWithAPermitThatAsksForAllOfThemIsRefusedSinceItWouldWaitForItself() {
		assumePermits();
		HeldLock held = one().registry().acquire(request().permits(2));
		for (LockMode mode : List.of(LockMode.WRITE, LockMode.EXCLUSIVE)) {
			assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> one().acquire(key(), mode))
				.withMessageContaining("would wait for itself");
		}
		assertThat(held.isHeld()).isTrue();
		held.close();
	}

	@Test
	default void anAsynchronousCallNeverReentersThePermitOfAThread() {
		assumePermits();
		try (HeldLock held = one().registry().acquire(request().permits(1))) {
			assertThatExceptionOfType(CompletionException.class)
				.isThrownBy(() -> one().registry().acquireAsync(once().permits(1)).join())
				.withCauseInstanceOf(LockNotAcquiredException.class);
			HeldLock second = one().registry().acquireAsync(once().permits(2)).join();
			assertThat(second.fencingToken()).isGreaterThan(held.fencingToken());
			second.close();
		}
	}

	@Test
	default void theExceptionNamesTheLimitAndWhenToTryAgain() {
		assumePermits();
		try (HeldLock held = two().registry().acquire(request().permits(1))) {
			for (Duration wait : List.of(Duration.ZERO, Duration.ofMillis(100))) {
				assertThatExceptionOfType(LockNotAcquiredException.class)
					.isThrownBy(() -> one().registry().acquire(request().permits(1).waitTime(wait)))
					.withMessageContaining(key())
					.withMessageContaining("with 1 permits")
					.satisfies((problem) -> assertThat(problem.retryAfter()).isBetween(Duration.ofMillis(1),
							Stage.LEASE.plusSeconds(1)));
			}
			assertThat(held.isHeld()).isTrue();
		}
	}

}
