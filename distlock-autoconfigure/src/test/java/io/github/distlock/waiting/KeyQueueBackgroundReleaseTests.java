package io.github.distlock.waiting;

import java.time.Duration;
import java.util.Objects;

import io.github.distlock.HandOff;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.waiting.Effects.Command;
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
	void anAttemptWaitsForTheAnswerOfTheRelease() {
		Command.Release release = releaseOfAHolder();
		Waiter once = waiter(Duration.ZERO);
		assertThat(this.queue.join(once).command()).isNull();
		assertThat(this.limit.isAny()).isTrue();
		Command.Attempt attempt = attempt(this.queue.releaseAnswered(release, RELEASED));
		assertThat(attempt.ticket).isNotEqualTo(release.pending.ticket);
		assertThat(this.limit.isAny()).isFalse();
		this.queue.attemptAnswered(attempt, granted());
		assertThat(holder(once).handOff()).isEqualTo(HandOff.NONE);
	}

	@Test
	void aRepetitionIsNotReportedAgain() {
		Command.Release release = releaseOfAHolder();
		assertThat(release.isUnawaited()).isTrue();
		this.queue.failed(release, FAILURE);
		this.clock.pass(Duration.ofSeconds(1));
		assertThat(release(this.queue.timerFired()).isUnawaited()).isFalse();
		assertThat(release.isUnawaited()).isTrue();
	}

	@Test
	void atMostAThousandReleasesAreUnanswered() {
		BackgroundRelease first = background();
		for (int i = 1; i < 1000; i++) {
			background();
		}
		assertThat(this.limit.begin(this)).isNull();
		first.end();
		assertThat(this.limit.begin(this)).isNotNull();
		assertThat(this.limit.begin(this)).isNull();
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
