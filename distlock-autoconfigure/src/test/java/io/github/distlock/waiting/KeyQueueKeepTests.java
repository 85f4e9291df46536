package io.github.distlock.waiting;

import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;

import io.github.distlock.HandOff;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.Validity;
import io.github.distlock.waiting.Effects.Command;
import io.github.distlock.waiting.Waiter.Outcome;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * When a lock stays in the store after its last holder has left, which caller enters it,
 * and when it goes back.
 */
class KeyQueueKeepTests extends KeepFixture {

	// A holder leaves

	@Test
	void aLockIsKeptWithoutACommandAfterItsLastHolder() {
		Holder holder = enter(10);
		assertThat(holder.isKeepable()).isTrue();
		assertKept(holder);
		KeySnapshot snapshot = this.queue.snapshot();
		assertThat(snapshot.holder()).isNull();
		assertThat(snapshot.kept()).isEqualTo(new KeySnapshot.Kept(FIRST_TOKEN, FIRST_TOKEN, 0));
		assertThat(this.removed).isFalse();
		assertThat(this.timerDelays).containsExactly(KEEP.toNanos());
		assertThat(this.queue.release(holder, deadline(), null)).as("a second release").isNull();
	}

	@Test
	void theStoreIsAskedForAGrantThatMayBeKept() {
		Command.Attempt attempt = attempt(this.queue.join(keeper()));
		assertThat(attempt.options.keepable()).isTrue();
		assertThat(attempt.options.answerWanted()).isFalse();
		assertThat(attempt(new KeyQueue("key", new ReentrantLock(), this).join(waiter(LEASE))).options.keepable())
			.isFalse();
	}

	@Test
	void aGrantThatTheStoreHasNotMarkedIsNotKept() {
		Waiter waiter = keeper();
		this.queue.attemptAnswered(attempt(this.queue.join(waiter)), granted());
		assertThat(keep(holder(waiter))).isNull();
	}

	@Test
	void aGrantThatCameByMessageIsNotKept() {
		Waiter waiter = keeper();
		Command.Attempt attempt = attempt(this.queue.join(waiter));
		this.queue.attemptAnswered(attempt, waiting());
		this.queue.granted(attempt.ticket, grant(LEASE));
		assertThat(keep(holder(waiter))).isNull();
	}

	@Test
	void aHolderThatDoesNotAskForItDoesNotKeepAMarkedGrant() {
		Waiter first = keeper();
		Command.Attempt attempt = attempt(this.queue.join(first));
		Waiter second = waiter(LEASE);
		this.queue.join(second);
		this.queue.giveUp(first, false);
		this.queue.attemptAnswered(attempt, marked(10));
		assertThat(holder(second).isKeepable()).as("renewals must say so").isTrue();
		assertThat(keep(holder(second))).isNull();
	}

	@Test
	void aLockIsNotKeptWithoutAnotherToken() {
		assertThat(keep(enter(1))).isNull();
	}

	@Test
	void aLockIsNotKeptIfTooLittleOfItsLeaseIsLeft() {
		Holder holder = enter(10);
		assertThat(keep(holder, Validity.until(this.clock.now(), Duration.ofMillis(2510)))).isNull();
		assertThat(keep(holder, Validity.until(this.clock.now(), Duration.ofMillis(2560)))).isNotNull();
	}

	@Test
	void aLockIsNotKeptIfAnAttemptOfItsTicketWasNotAnswered() {
		Waiter waiter = keeper();
		this.queue.failed(attempt(this.queue.join(waiter)), FAILURE);
		this.clock.pass(Duration.ofSeconds(1));
		this.queue.attemptAnswered(attempt(this.queue.timerFired()), marked(10));
		assertThat(keep(holder(waiter))).isNull();
	}

	@Test
	void aTurnOfKeptEntriesEndsOneSecondAfterTheGrant() {
		Holder holder = enter(10);
		this.clock.pass(Duration.ofMillis(999));
		assertKept(holder);
		Waiter next = keeper();
		this.queue.join(next);
		this.clock.pass(Duration.ofMillis(1));
		assertThat(keep(holder(next))).isNull();
	}

	// A caller comes

	@Test
	void theNextCallerEntersWithTheNextTokenWithoutACommand() {
		Holder first = keepAfter(10);
		this.clock.pass(Duration.ofMillis(4));
		Waiter next = keeper();
		Effects effects = this.queue.join(next);
		assertThat(effects.command()).isNull();
		assertThat(effects.woken()).containsExactly(next);
		assertThat(holder(next).fencingToken()).isEqualTo(FIRST_TOKEN + 1);
		assertThat(holder(next).ticket()).isEqualTo(first.ticket());
		assertThat(holder(next).handOff()).isEqualTo(HandOff.KEPT);
		assertThat(holder(next).grantToken()).isEqualTo(FIRST_TOKEN);
		assertThat(this.queue.snapshot().kept()).isNull();
		this.clock.pass(Duration.ofMillis(1));
		assertThat(this.queue.timerFired().command()).as("the end of the keep time, while a caller is inside").isNull();
	}

	@Test
	void aCallerThatTriesOnceEntersToo() {
		keepAfter(10);
		Waiter once = keeper(Duration.ZERO, LEASE);
		assertThat(this.queue.join(once).command()).isNull();
		assertThat(once.outcome()).isInstanceOf(Outcome.Success.class);
	}

	@Test
	void everyTokenOfTheGrantIsUsedOnceAndNoneBehindIt() {
		Holder holder = enter(3);
		for (int entered = 1; entered < 3; entered++) {
			assertKept(holder);
			Waiter next = keeper();
			this.queue.join(next);
			holder = holder(next);
		}
		assertThat(holder.fencingToken()).isEqualTo(FIRST_TOKEN + 2);
		assertThat(keep(holder)).isNull();
		assertThat(release(this.queue.release(holder, deadline(), null)).pending.lastToken)
			.isEqualTo(FIRST_TOKEN + 2);
	}

	@Test
	void noCallerEntersAfterTheDeadlineOfTheGrantAndItsReleaseQueuesTheCaller() {
		Duration shorterThanATurn = Duration.ofMillis(600);
		Waiter first = keeper(LEASE, shorterThanATurn);
		this.queue.attemptAnswered(attempt(this.queue.join(first)), marked(10));
		assertThat(keep(holder(first), Validity.until(this.clock.now(), shorterThanATurn))).isNotNull();
		this.clock.pass(shorterThanATurn);
		Waiter late = keeper(LEASE, shorterThanATurn);
		Command.Release release = givesBack(this.queue.join(late));
		assertThat(late.outcome()).isNull();
		assertThat(release.pending.lastToken).isEqualTo(FIRST_TOKEN);
		assertThat(release.next).isNotNull();
	}

	@Test
	void noCallerEntersAfterTheMachineWasSuspended() {
		keepAfter(10);
		this.clock.suspend(LEASE);
		Waiter late = keeper();
		givesBack(this.queue.join(late));
		assertThat(late.outcome()).isNull();
	}

	@Test
	void aCallerWithAnotherLeaseAttemptsWithTheReleaseOfTheKeptLock() {
		keepAfter(10);
		Waiter other = keeper(Duration.ZERO, LEASE.plusSeconds(1));
		Command.Release release = givesBack(this.queue.join(other));
		assertThat(release.next).isNotNull();
		this.queue.releaseAnswered(release, new ReleaseResult(true, granted()));
		assertThat(holder(other).isKeepable()).isFalse();
	}

	@Test
	void whileNoOtherJvmAsksAHandOffMayBeginLaterThanTheOrdinaryTurn() {
		this.limits = new HandOffLimits(10, KEEP);
		Holder first = enter(10);
		Waiter second = keeper();
		this.queue.join(second);
		this.clock.pass(Duration.ofMillis(900));
		assertThat(this.queue.tryHandOff(first, Validity.until(this.clock.now(), LEASE))).isNotNull();
		assertThat(holder(second).handOff()).isEqualTo(HandOff.LOCAL);
		assertKept(holder(second));
	}

	@Test
	void withoutHandOffsAWaiterGetsNoLockFromAnotherOneButACallerEntersAKeptLock() {
		this.limits = new HandOffLimits(10, Duration.ZERO);
		Holder first = enter(10);
		Waiter waiting = keeper();
		this.queue.join(waiting);
		assertThat(this.queue.tryHandOff(first, Validity.until(this.clock.now(), LEASE))).isNull();
		this.queue.giveUp(waiting, false);
		assertKept(first);
		Waiter next = keeper();
		this.queue.join(next);
		assertThat(holder(next).handOff()).isEqualTo(HandOff.KEPT);
	}

	@Test
	void aBusyAnswerOfAStoreThatDoesNotKeepEndsATryAtOnce() {
		Waiter once = keeper(Duration.ZERO, LEASE);
		this.queue.attemptAnswered(attempt(this.queue.join(once)), new AttemptResult.Busy(LEASE));
		assertThat(once.outcome()).isInstanceOf(Outcome.Refused.class);
	}

}
