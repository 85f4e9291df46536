package io.github.distlock.waiting;

import java.time.Duration;

import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.waiting.Waiter.Outcome;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the state machine of one key makes of failures.
 */
class KeyQueueFailureTests extends OneKey {

	@Test
	void anExitThatRestsIsWokenAlthoughAMessageGrantedItsSuccessorMeanwhile() {
		Waiter first = waiter(LEASE);
		Waiter second = waiter(LEASE);
		this.entry.attempted(attempt(this.entry.join(first)), granted());
		this.entry.join(second);
		Command.Leave release = leave(this.entry.depart(admission(first), deadline()));
		this.entry.leaveFailed(release.exit(), FAILURE);
		// The server did release: the successor hears of its grant before the repetition.
		this.entry.granted(release.next().ticket(), grant(LEASE));
		this.entry.depart(admission(second), deadline());
		this.clock.pass(Duration.ofSeconds(1));
		assertThat(leave(this.entry.ring()).exit()).isSameAs(release.exit());
	}

	@Test
	void oneFailureAfterALongHoldIsNoLongSilence() {
		Waiter first = waiter(LEASE);
		Waiter second = waiter(LEASE);
		this.entry.attempted(attempt(this.entry.join(first)), granted());
		this.entry.join(second);
		// Longer than the store may be silent, but nothing was asked.
		this.clock.pass(Duration.ofSeconds(4));
		Command.Leave release = leave(this.entry.depart(admission(first), deadline()));
		this.entry.leaveFailed(release.exit(), FAILURE);
		assertThat(second.outcome()).isNull();
		this.clock.pass(Duration.ofSeconds(3));
		this.entry.leaveFailed(leave(this.entry.ring()).exit(), FAILURE);
		assertThat(second.outcome()).isInstanceOf(Outcome.Failed.class);
	}

	@Test
	void anAttemptThatFailsAfterItsHolderHasLeftMakesTheExitDoubtful() {
		Waiter first = waiter(LEASE);
		Command.Attempt attempt = attempt(this.entry.join(first));
		this.entry.granted(attempt.ticket(), grant(LEASE));
		this.entry.depart(admission(first), deadline());
		Command.Leave release = leave(this.entry.attemptFailed(attempt, FAILURE));
		assertThat(this.entry.left(release.exit(), new ReleaseResult(true, null)).stray()).isEqualTo(attempt.ticket());
	}

	@Test
	void anAttemptThatFailsWhileItsTicketIsHeldMakesTheExitDoubtful() {
		Waiter first = waiter(LEASE);
		Command.Attempt attempt = attempt(this.entry.join(first));
		this.entry.granted(attempt.ticket(), grant(LEASE));
		this.entry.attemptFailed(attempt, FAILURE);
		Command.Leave release = leave(this.entry.depart(admission(first), deadline()));
		assertThat(this.entry.left(release.exit(), new ReleaseResult(true, null)).stray()).isEqualTo(attempt.ticket());
	}

	@Test
	void anAttemptThatFailedBeforeItsTicketWasGrantedMakesTheExitDoubtful() {
		Waiter first = waiter(LEASE);
		Command.Attempt attempt = attempt(this.entry.join(first));
		this.entry.attemptFailed(attempt, FAILURE);
		this.entry.granted(attempt.ticket(), grant(LEASE));
		Command.Leave release = leave(this.entry.depart(admission(first), deadline()));
		assertThat(this.entry.left(release.exit(), new ReleaseResult(true, null)).stray()).isEqualTo(attempt.ticket());
	}

	@Test
	void aFairCallerWhoseGrantCameTooLateAsksAgainItself() {
		this.lookout = false;
		Waiter waiter = waiter(LEASE);
		Command.Attempt attempt = attempt(this.entry.join(waiter));
		AttemptResult granted = granted();
		this.clock.pass(LEASE);
		this.entry.attempted(attempt, granted);
		this.clock.pass(Duration.ofMillis(20));
		Effects steps = this.entry.ring();
		assertThat(this.alarms).as("a timer that fires at once, again and again").doesNotContain(0L);
		assertThat(attempt(steps).ticket()).isEqualTo(attempt.ticket());
	}

	@Test
	void aFairCallerThatGivesUpIsLookoutNoMore() {
		Waiter waiter = waiter(LEASE);
		this.entry.attempted(attempt(this.entry.join(waiter)), waiting());
		Command.Leave cancel = leave(this.entry.giveUp(waiter, true));
		this.entry.leaveFailed(cancel.exit(), FAILURE);
		assertThat(this.admitted).as("others may look out").isTrue();
	}

	@Test
	void aPlaceIsLostOnlyIfThereWasOne() {
		Waiter waiter = waiter(LEASE);
		Command.Attempt attempt = attempt(this.entry.join(waiter));
		AttemptResult notQueued = new AttemptResult.Waiting(Duration.ofMillis(200), false);
		this.entry.attempted(attempt, notQueued);
		this.entry.attempted(attempt(this.entry.look(null)), waiting());
		assertThat(this.lostPlaces).isZero();
		this.entry.attempted(attempt(this.entry.look(null)), waiting());
		assertThat(this.lostPlaces).isEqualTo(1);
	}

	@Test
	void aPlaceThatAnAttemptWithoutAnswerTookCanBeLostToo() {
		Command.Attempt attempt = attempt(this.entry.join(waiter(LEASE)));
		this.entry.attemptFailed(attempt, FAILURE);
		this.entry.attempted(attempt(this.entry.look(null)), new AttemptResult.Waiting(Duration.ofSeconds(2), false));
		assertThat(this.lostPlaces).isZero();
		this.entry.attempted(attempt(this.entry.look(null)), waiting());
		assertThat(this.lostPlaces).isEqualTo(1);
	}

}
