package io.github.distlock.waiting;

import java.time.Duration;

import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.waiting.Effects.Command;
import io.github.distlock.waiting.Waiter.Outcome;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which lease the ticket of a key asks for when its callers ask for different ones, and
 * how a caller that gives up or tries once leaves.
 */
class QueuedTicketLeaseTests extends KeyQueueFixture {

	private static final Duration LONG = Duration.ofHours(1);

	private static final Duration SHORT = Duration.ofMillis(100);

	@ParameterizedTest
	@ValueSource(longs = { 100, 3_600_000 })
	void theTicketAsksForTheLeaseOfTheCallerThatIsFirstNow(long leaseOfTheFirst) {
		Waiter first = waiter(LEASE, Duration.ofMillis(leaseOfTheFirst));
		Command.Attempt attempt = attempt(this.queue.join(first));
		assertThat(attempt.lease).isEqualTo(Duration.ofMillis(leaseOfTheFirst));
		this.queue.attemptAnswered(attempt, waiting());
		Waiter second = waiter(LEASE, LEASE);
		assertThat(this.queue.join(second).command()).isNull();
		Command.Attempt again = attempt(this.queue.giveUp(first, true));
		assertThat(again.ticket).isEqualTo(attempt.ticket);
		assertThat(again.lease).isEqualTo(LEASE);
		// The same caller stays first: nothing more is sent.
		assertThat(this.queue.attemptAnswered(again, waiting()).command()).isNull();
		this.queue.granted(again.ticket, grant(LEASE));
		assertThat(holder(second).lease()).isEqualTo(LEASE);
	}

	@Test
	void aGrantForTheLongLeaseOfACallerThatHasLeftIsGivenBack() {
		Waiter holder = waiter(LEASE);
		this.queue.attemptAnswered(attempt(this.queue.join(holder)), granted());
		Waiter first = waiter(LEASE, LONG);
		this.queue.join(first);
		Command.Release release = release(this.queue.release(holder(holder), deadline(), null));
		assertThat(release.next.lease()).isEqualTo(LONG);
		Waiter second = waiter(LEASE, LEASE);
		this.queue.join(second);
		this.queue.giveUp(first, true);
		Effects effects = this.queue.releaseAnswered(release, new ReleaseResult(true, granted()));
		assertThat(second.outcome()).isNull();
		Command.Release back = release(effects);
		assertThat(back.pending.ticket).isEqualTo(release.next.ticket());
		assertThat(back.next.lease()).isEqualTo(LEASE);
		this.queue.releaseAnswered(back, new ReleaseResult(true, granted()));
		assertThat(holder(second).lease()).isEqualTo(LEASE);
	}

	@Test
	void aCallerThatAsksOnceEndsWithAGrantThatHasPassed() {
		Waiter once = waiter(Duration.ZERO, SHORT);
		Command.Attempt attempt = attempt(this.queue.join(once));
		AttemptResult granted = new AttemptResult.Granted(grant(SHORT));
		this.clock.pass(SHORT);
		Effects effects = this.queue.attemptAnswered(attempt, granted);
		assertThat(once.outcome()).isInstanceOf(Outcome.Refused.class);
		// The ticket holds the lock in the store: the caller returns when it has left.
		assertThat(effects.woken()).isEmpty();
		Command.Release cancel = release(effects);
		assertThat(cancel.pending.ticket).isEqualTo(attempt.ticket);
		assertThat(this.queue.releaseAnswered(cancel, null).woken()).containsExactly(once);
		assertThat(this.removed).isTrue();
	}

	@Test
	void aCallerThatGivesUpIsWokenWhenItsTicketHasLeft() {
		Waiter waiter = waiter(LEASE);
		this.queue.attemptAnswered(attempt(this.queue.join(waiter)), waiting());
		Effects effects = this.queue.giveUp(waiter, true);
		assertThat(effects.woken()).isEmpty();
		assertThat(waiter.isDeparting()).isTrue();
		assertThat(this.queue.releaseAnswered(release(effects), null).woken()).containsExactly(waiter);
		assertThat(waiter.isDeparting()).isFalse();
	}

	@Test
	void aCallerThatGivesUpIsWokenWhenItsCancelFails() {
		Waiter waiter = waiter(LEASE);
		this.queue.attemptAnswered(attempt(this.queue.join(waiter)), waiting());
		Command.Release cancel = release(this.queue.giveUp(waiter, true));
		assertThat(this.queue.failed(cancel, FAILURE).woken()).containsExactly(waiter);
	}

	@Test
	void aCallerThatGivesUpIsWokenWhenAllWaitersFail() {
		Waiter waiter = waiter(LEASE);
		this.queue.attemptAnswered(attempt(this.queue.join(waiter)), waiting());
		this.queue.giveUp(waiter, true);
		assertThat(this.queue.failWaiters(FAILURE).woken()).containsExactly(waiter);
	}

	@Test
	void aCallerThatGivesUpWhileOthersKeepTheTicketReturnsAtOnce() {
		Waiter first = waiter(LEASE);
		this.queue.attemptAnswered(attempt(this.queue.join(first)), waiting());
		this.queue.join(waiter(LEASE));
		assertThat(this.queue.giveUp(first, true).woken()).containsExactly(first);
	}

	@Test
	void aCallerThatGivesUpWhileTheStoreIsDownReturnsAtOnce() {
		Waiter waiter = waiter(LEASE);
		this.queue.failed(attempt(this.queue.join(waiter)), FAILURE);
		assertThat(this.queue.giveUp(waiter, true).woken()).containsExactly(waiter);
	}

	@Test
	void aCallerThatGivesUpWhileItsAttemptIsOnItsWayReturnsWhenItsTicketHasLeft() {
		Waiter waiter = waiter(LEASE);
		Command.Attempt attempt = attempt(this.queue.join(waiter));
		assertThat(this.queue.giveUp(waiter, true).woken()).isEmpty();
		Effects effects = this.queue.attemptAnswered(attempt, waiting());
		assertThat(effects.woken()).isEmpty();
		assertThat(this.queue.releaseAnswered(release(effects), null).woken()).containsExactly(waiter);
	}

}
