package io.github.distlock.waiting;

import java.time.Duration;

import io.github.distlock.LockMode;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.waiting.Effects.Command;
import io.github.distlock.waiting.Waiter.Outcome;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How a caller that tries once gets a lock that another JVM keeps.
 */
class KeyQueueAskTests extends KeyQueueFixture {

	private static final AttemptResult KEPT = new AttemptResult.Busy(LEASE, null, true);

	private static final AttemptResult FIRST = new AttemptResult.Queued(LEASE, true, null, true);

	private final Waiter once = waiter(Duration.ZERO);

	@Test
	void theTicketOfATryThatMeetsAKeptLockIsQueuedAndWantsAnAnswer() {
		Command.Attempt first = attempt(this.queue.join(this.once));
		assertThat(first.options.queue()).isFalse();
		assertThat(first.options.answerWanted()).isFalse();
		Command.Attempt second = attempt(this.queue.attemptAnswered(first, KEPT));
		assertThat(this.once.outcome()).isNull();
		assertThat(second.ticket).isEqualTo(first.ticket);
		assertThat(second.options.queue()).isTrue();
		assertThat(second.options.answerWanted()).isTrue();
	}

	@Test
	void aTryGetsTheLockThatTheOtherJvmReleases() {
		Command.Attempt asking = ask();
		assertThat(this.queue.attemptAnswered(asking, FIRST).command()).isNull();
		assertThat(this.once.outcome()).isNull();
		this.queue.granted(asking.ticket, grant(LEASE));
		assertThat(holder(this.once).ticket()).isEqualTo(asking.ticket);
	}

	@Test
	void aTryThatIsRefusedFailsWhenItsTicketHasLeft() {
		Command.Attempt asking = ask();
		this.queue.attemptAnswered(asking, FIRST);
		Effects effects = this.queue.refused(asking.ticket);
		Command.Release cancel = release(effects);
		assertThat(cancel.pending.releasesLock).isFalse();
		assertThat(effects.woken()).as("before the ticket has left").isEmpty();
		assertThat(this.queue.releaseAnswered(cancel, null).woken()).containsExactly(this.once);
		assertThat(this.once.outcome()).isInstanceOf(Outcome.Refused.class);
		assertThat(this.removed).isTrue();
	}

	@Test
	void aRefusalThatComesBeforeTheAnswerOfTheAttemptCancelsAfterIt() {
		Command.Attempt asking = ask();
		assertThat(this.queue.refused(asking.ticket).command()).isNull();
		assertThat(this.once.outcome()).isInstanceOf(Outcome.Refused.class);
		release(this.queue.attemptAnswered(asking, FIRST));
	}

	@Test
	void aTryBehindOthersFailsAtOnce() {
		Command.Attempt asking = ask();
		release(this.queue.attemptAnswered(asking, waiting()));
		assertThat(this.once.outcome()).isInstanceOf(Outcome.Refused.class);
	}

	@Test
	void aTryWithoutAnAnswerFailsAfterOneCommandTimeOut() {
		Command.Attempt asking = ask();
		this.queue.attemptAnswered(asking, FIRST);
		assertThat(this.timerDelays).contains(ANSWER_TIMEOUT.toNanos());
		this.clock.pass(ANSWER_TIMEOUT.minusNanos(1));
		assertThat(this.queue.timerFired().command()).isNull();
		assertThat(this.once.outcome()).isNull();
		this.clock.pass(Duration.ofNanos(1));
		release(this.queue.timerFired());
		assertThat(this.once.outcome()).isInstanceOf(Outcome.Refused.class);
	}

	@Test
	void aTryWhoseAnswerIsNotLateGoesOnAfterAnErrorOfTheTimer() {
		Command.Attempt asking = ask();
		this.queue.attemptAnswered(asking, FIRST);
		this.queue.sweep();
		assertThat(this.once.outcome()).isNull();
	}

	@Test
	void aTryWhoseSecondAttemptFailsGetsTheFailure() {
		this.queue.failed(ask(), FAILURE);
		assertThat(this.once.outcome()).isInstanceOf(Outcome.Failure.class);
	}

	@Test
	void aTryForWhichNoTimerCanBeSetFailsWithASweepAfterItsTime() {
		this.timersFail = true;
		ask();
		this.clock.pass(ANSWER_TIMEOUT);
		this.queue.sweep();
		assertThat(this.once.outcome()).isInstanceOf(Outcome.Refused.class);
	}

	@Test
	void aRefusalChangesNothingForOtherTicketsAndForCallersThatWait() {
		Waiter patient = waiter(LEASE);
		Command.Attempt attempt = attempt(this.queue.join(patient));
		this.queue.attemptAnswered(attempt, FIRST);
		assertThat(this.queue.refused(attempt.ticket).command()).isNull();
		assertThat(this.queue.refused(newTicket("key", LockMode.EXCLUSIVE)).command()).isNull();
		assertThat(patient.outcome()).isNull();
	}

	@Test
	void aRefusalOfAnEarlierTicketChangesNothingForATryThatAsks() {
		ask();
		this.queue.refused(newTicket("key", LockMode.EXCLUSIVE));
		assertThat(this.once.outcome()).isNull();
	}

	@Test
	void aRefusedTryDoesNotTakeItsTicketFromACallerThatWaits() {
		Command.Attempt asking = ask();
		Waiter patient = waiter(LEASE);
		this.queue.join(patient);
		this.queue.attemptAnswered(asking, FIRST);
		assertThat(this.queue.refused(asking.ticket).command()).isNull();
		assertThat(this.once.outcome()).isInstanceOf(Outcome.Refused.class);
		this.queue.granted(asking.ticket, grant(LEASE));
		assertThat(holder(patient)).isNotNull();
	}

	@Test
	void aSecondTryFailsAtOnceWhileTheFirstOneAsks() {
		ask();
		Waiter second = waiter(Duration.ZERO);
		this.queue.join(second);
		assertThat(second.outcome()).isInstanceOf(Outcome.Refused.class);
	}

	@Test
	void aCallerThatMayWaitIsQueuedWithoutAnAnswer() {
		Command.Attempt first = attempt(this.queue.join(this.once));
		this.queue.giveUp(this.once, false);
		this.queue.join(waiter(LEASE));
		Command.Attempt second = attempt(this.queue.attemptAnswered(first, KEPT));
		assertThat(second.options.queue()).isTrue();
		assertThat(second.options.answerWanted()).isFalse();
	}

	@Test
	void aTryThatGivesUpWhileItAsksIsCancelled() {
		Command.Attempt asking = ask();
		this.queue.giveUp(this.once, false);
		Command.Release cancel = release(this.queue.attemptAnswered(asking, FIRST));
		this.queue.releaseAnswered(cancel, new ReleaseResult(true, null));
		assertThat(this.removed).isTrue();
	}

	private Command.Attempt ask() {
		return attempt(this.queue.attemptAnswered(attempt(this.queue.join(this.once)), KEPT));
	}

}
