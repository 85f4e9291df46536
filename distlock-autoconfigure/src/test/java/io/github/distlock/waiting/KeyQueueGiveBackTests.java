package io.github.distlock.waiting;

import java.time.Duration;

import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.Validity;
import io.github.distlock.waiting.Effects.Command;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * When a kept lock goes back to the store, and what the request of another JVM changes.
 */
class KeyQueueGiveBackTests extends KeepFixture {

	// Another JVM asks

	@Test
	void aKeptLockGoesBackWhenAnotherJvmAsksForIt() {
		Holder holder = keepAfter(10);
		Command.Release release = givesBack(this.queue.asked(holder.ticket()));
		assertThat(release.pending.ticket).isEqualTo(holder.ticket());
		assertThat(release.pending.lastToken).isEqualTo(FIRST_TOKEN);
		assertThat(this.unanswered.isAny()).isTrue();
		this.queue.releaseAnswered(release, new ReleaseResult(true, null));
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
		Command.Attempt attempt = attempt(this.queue.releaseAnswered(release, new ReleaseResult(true, null)));
		assertThat(attempt.ticket).isNotEqualTo(holder.ticket());
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
		assertThat(this.queue.asked(attempt.ticket)).isNull();
		this.queue.attemptAnswered(attempt, marked(10));
		assertThat(keep(holder(waiter))).isNull();
	}

	@Test
	void aRequestIsForgottenWithItsTicket() {
		Holder first = enter(10);
		this.queue.asked(first.ticket());
		Command.Release release = release(this.queue.release(first, deadline(), null));
		Waiter second = keeper();
		this.queue.join(second);
		this.queue.attemptAnswered(attempt(this.queue.releaseAnswered(release, new ReleaseResult(true, null))),
				marked(10));
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
	void aLockWhoseRequestsMayBeLostWhileItIsHeldOrAttemptedIsNotKept() {
		Holder holder = enter(10);
		assertThat(this.queue.requestsMayBeLost().command()).isNull();
		assertThat(keep(holder)).isNull();
		Command.Release release = release(this.queue.release(holder, deadline(), null));
		Waiter second = keeper();
		this.queue.join(second);
		Command.Attempt attempt = attempt(this.queue.releaseAnswered(release, new ReleaseResult(true, null)));
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
	void aKeptLockGoesBackWhenTheTurnEnds() {
		Holder holder = enter(10, keeper(LEASE, LEASE, Duration.ofSeconds(1)));
		this.clock.pass(Duration.ofMillis(930));
		assertKept(holder);
		assertThat(this.timerDelays).containsExactly(Duration.ofMillis(70).toNanos());
		this.clock.pass(Duration.ofMillis(70));
		givesBack(this.queue.timerFired());
	}

	@Test
	void aKeptLockGoesBackAsSoonAsTooLittleOfItsLeaseIsLeftForACaller() {
		Duration lease = Duration.ofMillis(300);
		Holder holder = enter(10, keeper(LEASE, lease, Duration.ofSeconds(1)));
		Validity validity = Validity.until(this.clock.now(), lease);
		long untilHalf = validity.remainingNanos(this.clock) - lease.toNanos() / 2;
		assertThat(keep(holder, validity)).isNotNull();
		assertThat(this.timerDelays).containsExactly(untilHalf);
		this.clock.pass(Duration.ofNanos(untilHalf));
		givesBack(this.queue.timerFired());
		assertThat(validity.hasPassed(this.clock)).as("the store still knows it").isFalse();
	}

	@Test
	void aLockIsNotKeptForNoTime() {
		Duration lease = Duration.ofMillis(300);
		Holder holder = enter(10, keeper(LEASE, lease));
		Validity validity = Validity.until(this.clock.now(), lease);
		this.clock.pass(Duration.ofNanos(validity.remainingNanos(this.clock) - lease.toNanos() / 2));
		assertThat(keep(holder, validity)).isNull();
	}

	@Test
	void aKeptLockThatTheStoreHasForgottenIsReportedBeforeItsDeadlineOnly() {
		Holder holder = keepAfter(10);
		BackgroundRelease release = givesBack(this.queue.asked(holder.ticket())).pending.background;
		release.reportGone();
		assertThat(this.reports).containsExactly("gone");
		this.clock.pass(LEASE);
		release.reportGone();
		assertThat(this.reports).hasSize(1);
	}

	@Test
	void aKeptLockThatTheStoreHasForgottenWhileTheMachineWasSuspendedIsNotReported() {
		Holder holder = keepAfter(10);
		this.clock.suspend(LEASE);
		givesBack(this.queue.asked(holder.ticket())).pending.background.reportGone();
		assertThat(this.reports).isEmpty();
	}

	@Test
	void aReleaseInTheBackgroundIsReportedAfterTheDeadlineToo() {
		BackgroundRelease release = this.unanswered.begin(this);
		this.clock.pass(LEASE);
		release.reportGone();
		assertThat(this.reports).containsExactly("gone");
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
	void aKeptLockWithoutATimerGoesBackWithASweepAfterItsTime() {
		this.timersFail = true;
		keepAfter(10);
		assertThat(this.queue.sweep().command()).isNull();
		this.clock.pass(KEEP);
		givesBack(this.queue.sweep());
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
	void givingBackChangesNothingForALockThatIsHeld() {
		Holder holder = enter(10);
		assertThat(this.queue.giveBackKept().command()).isNull();
		assertKept(holder);
	}

	@Test
	void theReleaseOfAKeptLockIsRepeatedIfItFails() {
		Holder holder = keepAfter(10);
		Command.Release release = givesBack(this.queue.asked(holder.ticket()));
		assertThat(this.queue.failed(release, FAILURE).command()).isNull();
		this.clock.pass(Duration.ofSeconds(1));
		assertThat(release(this.queue.timerFired()).pending).isSameAs(release.pending);
	}

	@Test
	void theReleaseOfAKeptLockQueuesNoWaiterIfNoneWaitsAndIsRepeatedForItsWholeLease() {
		Holder holder = keepAfter(10);
		this.clock.pass(Duration.ofSeconds(9));
		Command.Release release = givesBack(this.queue.asked(holder.ticket()));
		assertThat(release.next).isNull();
		assertThat(release.pending.giveUpNanos).isEqualTo(deadline());
	}

}
