package io.github.distlock.waiting;

import java.time.Duration;
import java.util.Objects;

import io.github.distlock.HandOff;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.waiting.Effects.Command;
import io.github.distlock.waiting.Waiter.Outcome;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the queue of one key sends while the release of its last holder is unanswered.
 */
class KeyQueueBackgroundReleaseTests extends KeyQueueFixture implements ReleaseObserver {

	private static final ReleaseResult RELEASED = new ReleaseResult(true, null);

	private static final ReleaseResult GONE = new ReleaseResult(false, null);

	private static final AttemptResult BUSY = new AttemptResult.Busy(LEASE);

	private final BackgroundRelease.Limit limit = new BackgroundRelease.Limit(this.clock);

	@Test
	void anAttemptFollowsAReleaseThatWasSentInOrder() {
		Command.Release release = releaseSent();
		Waiter second = waiter(LEASE);
		Command.Attempt attempt = attempt(this.queue.join(second));
		assertThat(attempt.ticket()).isNotEqualTo(release.pending().ticket);
		assertThat(this.queue.releaseAnswered(release.pending(), RELEASED).command()).isNull();
		this.queue.attemptAnswered(attempt, granted());
		assertThat(holder(second).ticket()).isEqualTo(attempt.ticket());
		assertThat(holder(second).handOff()).isEqualTo(HandOff.NONE);
		assertThat(this.limit.isAny()).isFalse();
	}

	@Test
	void anAttemptThatIsQueuedBehindAnAnsweredReleaseIsNotRepeated() {
		Command.Release release = releaseSent();
		Command.Attempt attempt = attempt(this.queue.join(waiter(LEASE)));
		this.queue.releaseAnswered(release.pending(), RELEASED);
		assertThat(this.queue.attemptAnswered(attempt, waiting()).command()).isNull();
	}

	@Test
	void noAttemptIsSentBeforeTheReleaseWasSent() {
		Command.Release release = releaseOfAHolder();
		assertThat(this.queue.join(waiter(LEASE)).command()).isNull();
		assertThat(attempt(this.queue.releaseSent(release)).follows()).isSameAs(release.pending());
	}

	@Test
	void anAttemptWaitsForTheAnswerOfAReleaseWithoutOrder() {
		Command.Release release = releaseOfAHolder();
		assertThat(this.queue.join(waiter(LEASE)).command()).isNull();
		assertThat(attempt(this.queue.releaseAnswered(release.pending(), RELEASED)).follows()).isNull();
	}

	@Test
	void aRefusalAfterTheAnswerOfTheReleaseEndsASingleTry() {
		Command.Release release = releaseSent();
		Waiter once = waiter(Duration.ZERO);
		Command.Attempt attempt = attempt(this.queue.join(once));
		this.queue.releaseAnswered(release.pending(), RELEASED);
		this.queue.attemptAnswered(attempt, BUSY);
		assertThat(once.outcome()).isInstanceOf(Outcome.Refused.class);
	}

	@Test
	void aRefusalBeforeTheAnswerOfTheReleaseIsRepeatedAfterIt() {
		Command.Release release = releaseSent();
		Waiter once = waiter(Duration.ZERO);
		Command.Attempt early = attempt(this.queue.join(once));
		assertThat(this.queue.attemptAnswered(early, BUSY).command()).isNull();
		assertThat(once.outcome()).isNull();
		Command.Attempt repeated = attempt(this.queue.releaseAnswered(release.pending(), RELEASED));
		assertThat(repeated.ticket()).isEqualTo(early.ticket());
		this.queue.attemptAnswered(repeated, granted());
		assertThat(once.outcome()).isInstanceOf(Outcome.Success.class);
	}

	@Test
	void aTicketThatWasQueuedBeforeTheAnswerOfTheReleaseDoesNotEndASingleTry() {
		Command.Release release = releaseSent();
		Waiter once = waiter(Duration.ZERO);
		Command.Attempt early = attempt(this.queue.join(once));
		this.queue.attemptAnswered(early, waiting());
		assertThat(once.outcome()).isNull();
		// The release grants the lock to the queued ticket, by message.
		this.queue.granted(early.ticket(), grant(LEASE));
		assertThat(once.outcome()).isInstanceOf(Outcome.Success.class);
		assertThat(this.queue.releaseAnswered(release.pending(), RELEASED).command()).isNull();
	}

	@Test
	void aReleaseThatFailsIsRepeatedAfterTheAttemptBehindIt() {
		Command.Release release = releaseSent();
		Waiter once = waiter(Duration.ZERO);
		Command.Attempt attempt = attempt(this.queue.join(once));
		assertThat(this.queue.releaseFailed(release.pending(), FAILURE).command()).isNull();
		assertThat(once.outcome()).isNull();
		this.clock.pass(Duration.ofSeconds(1));
		assertThat(this.queue.timerFired().command()).isNull();
		Command.Release repeated = release(this.queue.attemptAnswered(attempt, granted()));
		assertThat(repeated.isUnawaited()).isFalse();
		assertThat(once.outcome()).isInstanceOf(Outcome.Success.class);
		assertThat(this.queue.releaseAnswered(repeated.pending(), GONE).command()).isNull();
		assertThat(release(this.queue.release(holder(once), deadline())).pending().ticket).isEqualTo(attempt.ticket());
	}

	@Test
	void aRefusalBehindAReleaseThatFailsIsRepeatedAfterTheRepeatedRelease() {
		Command.Release release = releaseSent();
		Waiter patient = waiter(LEASE);
		Command.Attempt attempt = attempt(this.queue.join(patient));
		this.queue.releaseFailed(release.pending(), FAILURE);
		this.queue.attemptAnswered(attempt, BUSY);
		this.clock.pass(Duration.ofSeconds(1));
		Command.Release repeated = release(this.queue.timerFired());
		assertThat(repeated.pending()).isSameAs(release.pending());
		assertThat(attempt(this.queue.releaseAnswered(repeated.pending(), GONE)).ticket()).isEqualTo(attempt.ticket());
	}

	@Test
	void aTicketThatIsQueuedBehindAReleaseThatFailsDoesNotDelayTheRepetitionOfTheRelease() {
		Command.Release release = releaseSent();
		Command.Attempt attempt = attempt(this.queue.join(waiter(LEASE)));
		this.queue.releaseFailed(release.pending(), FAILURE);
		this.queue.attemptAnswered(attempt, waiting());
		this.clock.pass(Duration.ofSeconds(1));
		assertThat(release(this.queue.timerFired()).pending()).isSameAs(release.pending());
	}

	@Test
	void aTicketThatWaitsInTheStoreIsNotAttemptedAgainWhenOthersMayFollowARelease() {
		this.queue.attemptAnswered(attempt(this.queue.join(waiter(LEASE))), waiting());
		assertThat(this.queue.proceed().command()).isNull();
	}

	@Test
	void aSingleTryFailsIfTheReleaseFailsAfterItsRefusal() {
		Command.Release release = releaseSent();
		Waiter once = waiter(Duration.ZERO);
		this.queue.attemptAnswered(attempt(this.queue.join(once)), BUSY);
		this.queue.releaseFailed(release.pending(), FAILURE);
		assertThat(once.outcome()).isInstanceOf(Outcome.Failure.class);
	}

	@Test
	void nothingFollowsAReleaseThatHasFailed() {
		Command.Release release = releaseSent();
		this.queue.releaseFailed(release.pending(), FAILURE);
		assertThat(this.queue.join(waiter(LEASE)).command()).isNull();
	}

	@Test
	void anAttemptThatFailsBehindAReleaseIsRepeatedAfterItsAnswer() {
		Command.Release release = releaseSent();
		Command.Attempt attempt = attempt(this.queue.join(waiter(LEASE)));
		assertThat(this.queue.attemptFailed(attempt, FAILURE).command()).isNull();
		this.clock.pass(Duration.ofSeconds(1));
		assertThat(this.queue.timerFired().command()).isNull();
		Command.Attempt repeated = attempt(this.queue.releaseAnswered(release.pending(), RELEASED));
		assertThat(repeated.ticket()).isEqualTo(attempt.ticket());
	}

	@Test
	void aHolderThatLeavesBehindAnUnansweredReleaseWaitsForItsAnswer() {
		Command.Release first = releaseSent();
		Waiter second = waiter(LEASE);
		this.queue.attemptAnswered(attempt(this.queue.join(second)), granted());
		assertThat(this.queue.release(holder(second), deadline()).command()).isNull();
		assertThat(this.queue.join(waiter(LEASE)).command()).isNull();
		Command.Release next = release(this.queue.releaseAnswered(first.pending(), RELEASED));
		assertThat(next.pending()).isNotSameAs(first.pending());
	}

	@Test
	void nothingFollowsAReleaseThatQueuesTheNextTicket() {
		Waiter first = waiter(LEASE);
		this.queue.attemptAnswered(attempt(this.queue.join(first)), granted());
		this.queue.join(waiter(LEASE));
		Command.Release release = release(this.queue.release(holder(first), deadline(), background()));
		assertThat(release.next()).isNotNull();
		assertThat(this.queue.releaseSent(release).command()).isNull();
		assertThat(this.queue.retry().command()).isNull();
	}

	@Test
	void aReleaseWhoseOutcomeIsLostIsSentAgain() {
		Command.Release release = releaseSent();
		release.outcomeLost = true;
		assertThat(release(this.queue.retry()).pending()).isSameAs(release.pending());
	}

	@Test
	void anotherQueueOfTheKeyWaitsForAReleaseThatItCouldOvertake() {
		this.mustWaitForRelease = true;
		Waiter once = waiter(Duration.ZERO);
		assertThat(this.queue.join(once).command()).isNull();
		this.mustWaitForRelease = false;
		this.queue.attemptAnswered(attempt(this.queue.proceed()), granted());
		assertThat(once.outcome()).isInstanceOf(Outcome.Success.class);
	}

	@Test
	void otherQueuesMayFollowWhenTheReleaseWasSentInOrder() {
		Command.Release release = releaseOfAHolder();
		assertThat(this.queue.isOvertakable()).isTrue();
		this.queue.releaseSent(release);
		assertThat(this.queue.isOvertakable()).isFalse();
		assertThat(this.followers).isOne();
	}

	@Test
	void otherQueuesMayFollowWhenTheReleaseHasFailedAndDoNotWaitForItsRepetition() {
		Command.Release release = releaseOfAHolder();
		this.queue.releaseFailed(release.pending(), FAILURE);
		assertThat(this.queue.isOvertakable()).isFalse();
		assertThat(this.followers).isOne();
		this.clock.pass(Duration.ofSeconds(1));
		release(this.queue.timerFired());
		assertThat(this.queue.isOvertakable()).isFalse();
	}

	@Test
	void atMostAThousandReleasesAreUnanswered() {
		BackgroundRelease first = background();
		for (int i = 1; i < 1000; i++) {
			background();
		}
		assertThat(this.limit.begin(this)).isNull();
		first.end();
		first.end();
		assertThat(this.limit.begin(this)).isNotNull();
		assertThat(this.limit.begin(this)).isNull();
	}

	private Command.Release releaseSent() {
		Command.Release release = releaseOfAHolder();
		assertThat(this.queue.releaseSent(release).command()).isNull();
		return release;
	}

	private Command.Release releaseOfAHolder() {
		Waiter first = waiter(LEASE);
		this.queue.attemptAnswered(attempt(this.queue.join(first)), granted());
		return release(this.queue.release(holder(first), deadline(), background()));
	}

	private BackgroundRelease background() {
		return Objects.requireNonNull(this.limit.begin(this));
	}

	@Override
	public void gone() {
	}

	@Override
	public void unanswered() {
	}

}
