package io.github.distlock.waiting;

import java.time.Duration;

import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.waiting.Waiter.Outcome;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * With which lease the ticket of a key asks when its callers want different ones, and
 * what becomes of a grant that came too late for a caller that asks once.
 */
class QueuedTicketLeaseTests extends OneKey {

	private static final Duration LONG = Duration.ofHours(1);

	private static final Duration SHORT = Duration.ofMillis(100);

	@ParameterizedTest
	@ValueSource(longs = { 100, 3_600_000 })
	void theTicketAsksForTheLeaseOfTheCallerThatIsFirstNow(long leaseOfTheFirst) {
		Waiter first = waiter(LEASE, Duration.ofMillis(leaseOfTheFirst));
		Command.Attempt attempt = attempt(this.entry.join(first));
		assertThat(attempt.lease()).isEqualTo(Duration.ofMillis(leaseOfTheFirst));
		this.entry.attempted(attempt, waiting());
		Waiter second = waiter(LEASE, LEASE);
		assertThat(this.entry.join(second).command()).isNull();
		Command.Attempt again = attempt(this.entry.giveUp(first, true));
		assertThat(again.ticket()).isEqualTo(attempt.ticket());
		assertThat(again.lease()).isEqualTo(LEASE);
		// The same caller stays first: nothing more is sent.
		assertThat(this.entry.attempted(again, waiting()).command()).isNull();
		this.entry.granted(again.ticket(), grant(LEASE));
		assertThat(admission(second).lease()).isEqualTo(LEASE);
	}

	@Test
	void aGrantForTheLongLeaseOfACallerThatHasLeftIsGivenBack() {
		Waiter holder = waiter(LEASE);
		this.entry.attempted(attempt(this.entry.join(holder)), granted());
		Waiter first = waiter(LEASE, LONG);
		this.entry.join(first);
		Command.Leave release = leave(this.entry.depart(admission(holder), deadline()));
		assertThat(release.next().lease()).isEqualTo(LONG);
		Waiter second = waiter(LEASE, LEASE);
		this.entry.join(second);
		this.entry.giveUp(first, true);
		Effects steps = this.entry.left(release.exit(), new ReleaseResult(true, granted()));
		assertThat(second.outcome()).isNull();
		Command.Leave back = leave(steps);
		assertThat(back.exit().ticket).isEqualTo(release.next().ticket());
		assertThat(back.next().lease()).isEqualTo(LEASE);
		this.entry.left(back.exit(), new ReleaseResult(true, granted()));
		assertThat(admission(second).lease()).isEqualTo(LEASE);
	}

	@Test
	void aCallerThatAsksOnceEndsWithAGrantThatHasPassed() {
		Waiter once = waiter(Duration.ZERO, SHORT);
		Command.Attempt attempt = attempt(this.entry.join(once));
		AttemptResult granted = new AttemptResult.Granted(grant(SHORT));
		this.clock.pass(SHORT);
		Effects steps = this.entry.attempted(attempt, granted);
		assertThat(once.outcome()).isInstanceOf(Outcome.TimedOut.class);
		// The ticket holds the lock in the store: it returns when that is over.
		assertThat(steps.woken()).isEmpty();
		Command.Leave cancel = leave(steps);
		assertThat(cancel.exit().ticket).isEqualTo(attempt.ticket());
		assertThat(this.entry.left(cancel.exit(), null).woken()).containsExactly(once);
		assertThat(this.removed).isTrue();
	}

	@Test
	void aCallerThatGivesUpIsWokenWhenItsTicketHasLeft() {
		Waiter waiter = waiter(LEASE);
		this.entry.attempted(attempt(this.entry.join(waiter)), waiting());
		Effects steps = this.entry.giveUp(waiter, true);
		assertThat(steps.woken()).isEmpty();
		assertThat(waiter.isLeaving()).isTrue();
		assertThat(this.entry.left(leave(steps).exit(), null).woken()).containsExactly(waiter);
		assertThat(waiter.isLeaving()).isFalse();
	}

	@Test
	void aCallerThatGivesUpIsWokenWhenItsCancelFails() {
		Waiter waiter = waiter(LEASE);
		this.entry.attempted(attempt(this.entry.join(waiter)), waiting());
		Command.Leave cancel = leave(this.entry.giveUp(waiter, true));
		assertThat(this.entry.leaveFailed(cancel.exit(), FAILURE).woken()).containsExactly(waiter);
	}

	@Test
	void aCallerThatGivesUpIsWokenWhenTheRoomCloses() {
		Waiter waiter = waiter(LEASE);
		this.entry.attempted(attempt(this.entry.join(waiter)), waiting());
		this.entry.giveUp(waiter, true);
		assertThat(this.entry.failWaiters(FAILURE).woken()).containsExactly(waiter);
	}

	@Test
	void aCallerThatGivesUpWhileOthersKeepThePlaceReturnsAtOnce() {
		Waiter first = waiter(LEASE);
		this.entry.attempted(attempt(this.entry.join(first)), waiting());
		this.entry.join(waiter(LEASE));
		assertThat(this.entry.giveUp(first, true).woken()).containsExactly(first);
	}

	@Test
	void aCallerThatGivesUpWhileTheStoreIsDownReturnsAtOnce() {
		Waiter waiter = waiter(LEASE);
		this.entry.attemptFailed(attempt(this.entry.join(waiter)), FAILURE);
		assertThat(this.entry.giveUp(waiter, true).woken()).containsExactly(waiter);
	}

	@Test
	void aCallerThatGivesUpWhileItsAttemptIsOnItsWayReturnsWhenThePlaceIsLeft() {
		Waiter waiter = waiter(LEASE);
		Command.Attempt attempt = attempt(this.entry.join(waiter));
		assertThat(this.entry.giveUp(waiter, true).woken()).isEmpty();
		Effects steps = this.entry.attempted(attempt, waiting());
		assertThat(steps.woken()).isEmpty();
		assertThat(this.entry.left(leave(steps).exit(), null).woken()).containsExactly(waiter);
	}

}
