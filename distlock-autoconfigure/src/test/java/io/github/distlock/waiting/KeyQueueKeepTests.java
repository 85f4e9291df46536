package io.github.distlock.waiting;

import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;

import io.github.distlock.HandOff;
import io.github.distlock.LockBackendException;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.Validity;
import io.github.distlock.waiting.Effects.Command;
import io.github.distlock.waiting.Effects.QueueEvents;
import io.github.distlock.waiting.Waiter.Outcome;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * When a lock stays in the store after its last holder has left, which caller enters it,
 * and when it goes back.
 */
class KeyQueueKeepTests extends KeepFixture {

	private boolean timersFail;

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
		assertThat(this.queue.release(holder, deadline())).as("a second release").isNull();
	}

	@Test
	void theStoreIsAskedForAGrantThatMayBeKept() {
		Command.Attempt attempt = attempt(this.queue.join(keeper()));
		assertThat(attempt.options().keepable()).isTrue();
		assertThat(attempt.options().answerWanted()).isFalse();
		assertThat(attempt(new KeyQueue("key", new ReentrantLock(), this).join(waiter(LEASE))).options().keepable())
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
		this.queue.granted(attempt.ticket(), grant(LEASE));
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
	void aLockIsNotKeptWhileACallerWaits() {
		Holder holder = enter(10);
		this.queue.join(keeper());
		assertThat(keep(holder)).isNull();
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
		this.queue.attemptFailed(attempt(this.queue.join(waiter)), FAILURE);
		this.clock.pass(Duration.ofSeconds(1));
		this.queue.attemptAnswered(attempt(this.queue.timerFired()), marked(10));
		assertThat(keep(holder(waiter))).isNull();
	}

	@Test
	void aLockIsNotKeptWhileACommandIsOnItsWay() {
		BackgroundRelease background = this.unanswered.prepare(this).begin();
		Command.Release release = release(this.queue.release(enter(10), deadline(), background));
		this.queue.releaseSent(release);
		Waiter second = keeper();
		this.queue.attemptAnswered(attempt(this.queue.join(second)), marked(10));
		assertThat(keep(holder(second))).isNull();
		this.queue.releaseAnswered(release.pending(), new ReleaseResult(true, null));
		assertThat(keep(holder(second))).isNotNull();
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
		assertThat(release(this.queue.release(holder, deadline())).pending().lastToken).isEqualTo(FIRST_TOKEN + 2);
	}

	@Test
	void noCallerEntersAfterTheDeadlineOfTheGrantAndItsReleaseQueuesTheCaller() {
		keepAfter(10);
		this.clock.pass(LEASE);
		Waiter late = keeper();
		Command.Release release = givesBack(this.queue.join(late));
		assertThat(late.outcome()).isNull();
		assertThat(release.pending().lastToken).isEqualTo(FIRST_TOKEN);
		assertThat(release.next()).isNotNull();
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
		assertThat(release.next()).isNotNull();
		this.queue.releaseAnswered(release.pending(), new ReleaseResult(true, granted()));
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

	// Another JVM asks

	@Test
	void aKeptLockGoesBackWhenAnotherJvmAsksForIt() {
		Holder holder = keepAfter(10);
		Command.Release release = givesBack(this.queue.asked(holder.ticket()));
		assertThat(release.pending().ticket).isEqualTo(holder.ticket());
		assertThat(release.pending().lastToken).isEqualTo(FIRST_TOKEN);
		assertThat(this.unanswered.isAny()).isTrue();
		assertThat(this.queue.isOvertakable()).as("by readers and fair callers").isTrue();
		this.queue.releaseAnswered(release.pending(), new ReleaseResult(true, null));
		assertThat(this.removed).isTrue();
		assertThat(this.unanswered.isAny()).isFalse();
	}

	@Test
	void aCallerThatComesAfterTheRequestAttemptsBehindTheRelease() {
		Holder holder = keepAfter(10);
		Command.Release release = givesBack(this.queue.asked(holder.ticket()));
		Waiter next = keeper();
		assertThat(this.queue.join(next).command()).isNull();
		assertThat(next.outcome()).isNull();
		Command.Attempt attempt = attempt(this.queue.releaseAnswered(release.pending(), new ReleaseResult(true, null)));
		assertThat(attempt.ticket()).isNotEqualTo(holder.ticket());
	}

	@Test
	void aLockThatAnotherJvmHasAskedForIsRefusedWhileItIsHeldAndNotKeptAfterwards() {
		Holder holder = enter(10);
		assertThat(this.queue.asked(holder.ticket())).as("to be refused").isNull();
		assertThat(this.queue.snapshot().holder()).isEqualTo(holder.ticket());
		assertThat(keep(holder)).isNull();
	}

	@Test
	void afterARequestTheOrdinaryTurnLimitsHold() {
		this.limits = new HandOffLimits(10, KEEP);
		Holder first = enter(10);
		this.queue.asked(first.ticket());
		this.queue.join(keeper());
		this.clock.pass(KEEP);
		assertThat(this.queue.tryHandOff(first, Validity.until(this.clock.now(), LEASE))).isNull();
	}

	@Test
	void aRequestThatComesBeforeTheAnswerOfTheAttemptCountsForItsGrant() {
		Waiter waiter = keeper();
		Command.Attempt attempt = attempt(this.queue.join(waiter));
		assertThat(this.queue.asked(attempt.ticket())).isNull();
		this.queue.attemptAnswered(attempt, marked(10));
		assertThat(keep(holder(waiter))).isNull();
	}

	@Test
	void aRequestIsForgottenWithItsTicket() {
		Holder first = enter(10);
		this.queue.asked(first.ticket());
		Command.Release release = release(this.queue.release(first, deadline()));
		Waiter second = keeper();
		this.queue.join(second);
		this.queue.attemptAnswered(
				attempt(this.queue.releaseAnswered(release.pending(), new ReleaseResult(true, null))), marked(10));
		assertKept(holder(second));
	}

	@Test
	void aRequestForAnotherTicketChangesNothing() {
		Holder holder = keepAfter(10);
		assertThat(this.queue.asked(ticketOfOther()).command()).isNull();
		assertThat(this.queue.snapshot().kept()).isNotNull();
		Waiter next = keeper();
		this.queue.join(next);
		assertThat(this.queue.asked(ticketOfOther())).as("nothing to refuse").isNotNull();
		assertKept(holder(next));
		assertThat(holder(next).ticket()).isEqualTo(holder.ticket());
	}

	@Test
	void aKeptLockGoesBackWhenRequestsMayBeLost() {
		keepAfter(10);
		givesBack(this.queue.requestsMayBeLost());
	}

	@Test
	void aLockWhoseRequestsMayBeLostWhileItIsHeldOrAttemptedIsNotKept() {
		Holder holder = enter(10);
		assertThat(this.queue.requestsMayBeLost().command()).isNull();
		assertThat(keep(holder)).isNull();
		Command.Release release = release(this.queue.release(holder, deadline()));
		Waiter second = keeper();
		this.queue.join(second);
		Command.Attempt attempt = attempt(this.queue.releaseAnswered(release.pending(), new ReleaseResult(true, null)));
		this.queue.requestsMayBeLost();
		this.queue.attemptAnswered(attempt, marked(10));
		assertThat(keep(holder(second))).isNull();
	}

	// The end

	@Test
	void aKeptLockGoesBackAtTheEndOfTheKeepTime() {
		keepAfter(10);
		this.clock.pass(KEEP.minusNanos(1));
		assertThat(this.queue.timerFired().command()).isNull();
		this.clock.pass(Duration.ofNanos(1));
		givesBack(this.queue.timerFired());
	}

	@Test
	void aLaterKeepTimeNeedsNoTimerAsLongAsOneWillFire() {
		Holder holder = keepAfter(10);
		for (int entered = 0; entered < 5; entered++) {
			this.clock.pass(Duration.ofNanos(10));
			Waiter next = keeper();
			this.queue.join(next);
			holder = holder(next);
			assertKept(holder);
		}
		assertThat(this.timerDelays).hasSize(1);
		this.clock.pass(KEEP.minusNanos(50));
		assertThat(this.queue.timerFired().command()).isNull();
		assertThat(this.timerDelays).containsExactly(KEEP.toNanos(), 50L);
	}

	@Test
	void aKeptLockWithoutATimerGoesBackAtOnce() {
		Holder holder = enter(10);
		this.timersFail = true;
		givesBack(keep(holder));
	}

	@Test
	void aGrantMessageForTheKeptTicketIsKnownAndIgnored() {
		Holder holder = keepAfter(10);
		Effects effects = this.queue.granted(holder.ticket(), grant(LEASE));
		assertThat(effects).as("a message of an unknown ticket releases it").isNotNull();
		assertThat(effects.command()).isNull();
		assertThat(this.queue.snapshot().kept()).isNotNull();
	}

	@Test
	void aKeptLockGoesBackAtShutdown() {
		keepAfter(10);
		givesBack(this.queue.giveBackKept());
		assertThat(this.queue.unfinished()).isEqualTo(UnfinishedWork.COMMANDS);
	}

	@Test
	void givingBackChangesNothingForALockThatIsHeld() {
		Holder holder = enter(10);
		assertThat(this.queue.giveBackKept().command()).isNull();
		assertKept(holder);
	}

	@Test
	void theReleaseOfAKeptLockIsRepeatedIfItFails() {
		Holder holder = keepAfter(10);
		Command.Release release = givesBack(this.queue.asked(holder.ticket()));
		assertThat(this.queue.releaseFailed(release.pending(), FAILURE).command()).isNull();
		this.clock.pass(Duration.ofSeconds(1));
		assertThat(release(this.queue.timerFired()).pending()).isSameAs(release.pending());
	}

	@Test
	void theReleaseOfAKeptLockQueuesNoWaiterIfNoneWaitsAndIsRepeatedForItsWholeLease() {
		Holder holder = keepAfter(10);
		this.clock.pass(Duration.ofSeconds(9));
		Command.Release release = givesBack(this.queue.asked(holder.ticket()));
		assertThat(release.next()).isNull();
		assertThat(release.pending().giveUpNanos).isEqualTo(deadline());
	}

	@Test
	void aBusyAnswerOfAStoreThatDoesNotKeepEndsATryAtOnce() {
		Waiter once = keeper(Duration.ZERO, LEASE);
		this.queue.attemptAnswered(attempt(this.queue.join(once)), new AttemptResult.Busy(LEASE));
		assertThat(once.outcome()).isInstanceOf(Outcome.TimedOut.class);
	}

	@Override
	public @Nullable LockBackendException scheduleTimer(QueueEvents queue, long delayNanos) {
		super.scheduleTimer(queue, delayNanos);
		return this.timersFail ? FAILURE : null;
	}

}
