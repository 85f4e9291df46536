package io.github.distlock.waiting;

import java.time.Duration;

import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.waiting.Effects.Command;
import io.github.distlock.waiting.Waiter.Outcome;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How the queue of one key handles failures.
 */
class KeyQueueFailureTests extends KeyQueueFixture {

	@Test
	void aDeferredReleaseIsRepeatedAlthoughAMessageGrantedItsSuccessorMeanwhile() {
		Waiter first = waiter(LEASE);
		Waiter second = waiter(LEASE);
		this.queue.attemptAnswered(attempt(this.queue.join(first)), granted());
		this.queue.join(second);
		Command.Release release = release(this.queue.release(holder(first), deadline(), null));
		this.queue.failed(release, FAILURE);
		// The server did release: the grant message arrives before the repetition.
		this.queue.granted(release.next.ticket(), grant(LEASE));
		this.queue.release(holder(second), deadline(), null);
		this.clock.pass(Duration.ofSeconds(1));
		assertThat(release(this.queue.timerFired()).pending).isSameAs(release.pending);
	}

	@Test
	void oneFailureAfterALongHoldIsNotALongOutage() {
		Waiter first = waiter(LEASE);
		Waiter second = waiter(LEASE);
		this.queue.attemptAnswered(attempt(this.queue.join(first)), granted());
		this.queue.join(second);
		// Longer than the store may fail to answer, but no command was sent.
		this.clock.pass(Duration.ofSeconds(4));
		Command.Release release = release(this.queue.release(holder(first), deadline(), null));
		this.queue.failed(release, FAILURE);
		assertThat(second.outcome()).isNull();
		this.clock.pass(Duration.ofSeconds(3));
		this.queue.failed(release(this.queue.timerFired()), FAILURE);
		assertThat(second.outcome()).isInstanceOf(Outcome.Failure.class);
	}

	@Test
	void aTicketWhoseAttemptFailsAfterItsHolderHasLeftIsCancelledOnceMore() {
		Waiter first = waiter(LEASE);
		Command.Attempt attempt = attempt(this.queue.join(first));
		this.queue.granted(attempt.ticket, grant(LEASE));
		this.queue.release(holder(first), deadline(), null);
		Command.Release release = release(this.queue.failed(attempt, FAILURE));
		assertThat(this.queue.releaseAnswered(release, new ReleaseResult(true, null)).stray())
			.isEqualTo(attempt.ticket);
	}

	@Test
	void aTicketWhoseAttemptFailsWhileItIsHeldIsCancelledOnceMore() {
		Waiter first = waiter(LEASE);
		Command.Attempt attempt = attempt(this.queue.join(first));
		this.queue.granted(attempt.ticket, grant(LEASE));
		this.queue.failed(attempt, FAILURE);
		Command.Release release = release(this.queue.release(holder(first), deadline(), null));
		assertThat(this.queue.releaseAnswered(release, new ReleaseResult(true, null)).stray())
			.isEqualTo(attempt.ticket);
	}

	@Test
	void aTicketWhoseAttemptFailedBeforeItWasGrantedIsCancelledOnceMore() {
		Waiter first = waiter(LEASE);
		Command.Attempt attempt = attempt(this.queue.join(first));
		this.queue.failed(attempt, FAILURE);
		this.queue.granted(attempt.ticket, grant(LEASE));
		Command.Release release = release(this.queue.release(holder(first), deadline(), null));
		assertThat(this.queue.releaseAnswered(release, new ReleaseResult(true, null)).stray())
			.isEqualTo(attempt.ticket);
	}

	@Test
	void aFairCallerWhoseGrantHasExpiredRetriesItself() {
		this.retriesForKey = false;
		Waiter waiter = waiter(LEASE);
		Command.Attempt attempt = attempt(this.queue.join(waiter));
		AttemptResult granted = granted();
		this.clock.pass(LEASE);
		this.queue.attemptAnswered(attempt, granted);
		this.clock.pass(Duration.ofMillis(20));
		Effects effects = this.queue.timerFired();
		assertThat(this.timerDelays).as("delays of timers that fire at once, again and again").doesNotContain(0L);
		assertThat(attempt(effects).ticket).isEqualTo(attempt.ticket);
	}

	@Test
	void aFairCallerThatGivesUpLeavesTheOrderAtOnce() {
		Waiter waiter = waiter(LEASE);
		this.queue.attemptAnswered(attempt(this.queue.join(waiter)), waiting());
		Command.Release cancel = release(this.queue.giveUp(waiter, true));
		this.queue.failed(cancel, FAILURE);
		assertThat(this.leftQueue).as("another ticket may retry").isTrue();
	}

	@Test
	void aTicketIsRequeuedOnlyIfItWasQueuedBefore() {
		Waiter waiter = waiter(LEASE);
		Command.Attempt attempt = attempt(this.queue.join(waiter));
		AttemptResult notQueued = new AttemptResult.Queued(Duration.ofMillis(200), false);
		this.queue.attemptAnswered(attempt, notQueued);
		this.queue.attemptAnswered(attempt(this.queue.retry(null)), waiting());
		assertThat(this.requeuedAtEndCalls).isZero();
		this.queue.attemptAnswered(attempt(this.queue.retry(null)), waiting());
		assertThat(this.requeuedAtEndCalls).isEqualTo(1);
	}

	@Test
	void aTicketThatAnUnansweredAttemptQueuedCanBeRequeued() {
		Command.Attempt attempt = attempt(this.queue.join(waiter(LEASE)));
		this.queue.failed(attempt, FAILURE);
		this.queue.attemptAnswered(attempt(this.queue.retry(null)),
				new AttemptResult.Queued(Duration.ofSeconds(2), false));
		assertThat(this.requeuedAtEndCalls).isZero();
		this.queue.attemptAnswered(attempt(this.queue.retry(null)), waiting());
		assertThat(this.requeuedAtEndCalls).isEqualTo(1);
	}

	@Test
	void aTimeOutBeforeTheFirstAnswerBecomesAFailureIfThatAttemptFails() {
		Waiter waiter = waiter(Duration.ofMillis(300));
		Command.Attempt attempt = attempt(this.queue.join(waiter));
		this.clock.pass(Duration.ofMillis(300));
		this.queue.giveUp(waiter, true);
		assertThat(waiter.isDeparting()).isTrue();
		this.queue.failed(attempt, FAILURE);
		assertThat(waiter.isDeparting()).isFalse();
		assertThat(waiter.outcome()).isEqualTo(new Outcome.Failure(FAILURE));
	}

	@Test
	void aTimeOutAfterAnAnswerStaysATimeOutIfTheNextAttemptFails() {
		Waiter waiter = waiter(Duration.ofMillis(300));
		this.queue.attemptAnswered(attempt(this.queue.join(waiter)), waiting());
		Command.Attempt second = attempt(this.queue.retry(null));
		this.clock.pass(Duration.ofMillis(300));
		this.queue.giveUp(waiter, true);
		this.queue.failed(second, FAILURE);
		assertThat(waiter.isDeparting()).isFalse();
		assertThat(waiter.outcome()).isInstanceOf(Outcome.Refused.class);
	}

	@Test
	void aCallerThatGaveUpBeforeTheFirstAnswerGetsNoFailure() {
		Waiter waiter = waiter(LEASE);
		Command.Attempt attempt = attempt(this.queue.join(waiter));
		this.queue.giveUp(waiter, false);
		this.queue.failed(attempt, FAILURE);
		assertThat(waiter.outcome()).isInstanceOf(Outcome.GaveUp.class);
	}

}
