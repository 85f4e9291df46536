package io.github.distlock.waiting;

import java.time.Duration;

import io.github.distlock.HandOff;
import io.github.distlock.LockMode;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.backend.Ticket;
import io.github.distlock.waiting.Effects.Command;
import io.github.distlock.waiting.Waiter.Outcome;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The queue of one key, event by event.
 */
class KeyQueueTests extends KeyQueueFixture {

	@Test
	void theFirstCallerAttemptsAndALaterOneWaitsForItsAnswer() {
		Waiter first = waiter(Duration.ofSeconds(5));
		Waiter second = waiter(Duration.ofSeconds(5));
		Command.Attempt attempt = attempt(this.queue.join(first));
		assertThat(attempt.options.queue()).isTrue();
		assertThat(this.queue.join(second).command()).isNull();
		Effects effects = this.queue.attemptAnswered(attempt, granted());
		assertThat(effects.woken()).containsExactly(first);
		assertThat(holder(first).handOff()).isEqualTo(HandOff.NONE);
		assertThat(effects.command()).isNull();
		assertThat(second.outcome()).isNull();
	}

	@Test
	void aReleaseQueuesTheNextWaiterWithTheSameCommandAndANewTicket() {
		Waiter first = waiter(Duration.ofSeconds(5));
		Waiter second = waiter(Duration.ofSeconds(5));
		Command.Attempt attempt = attempt(this.queue.join(first));
		this.queue.attemptAnswered(attempt, granted());
		this.queue.join(second);
		Command.Release release = release(this.queue.release(holder(first), deadline(), null));
		assertThat(release.pending.ticket).isEqualTo(attempt.ticket);
		assertThat(release.next).isNotNull();
		assertThat(release.next.ticket()).isNotEqualTo(attempt.ticket);
		Effects effects = this.queue.releaseAnswered(release, new ReleaseResult(true, granted()));
		assertThat(effects.woken()).containsExactly(second);
		assertThat(holder(second).handOff()).isEqualTo(HandOff.REMOTE);
		release = release(this.queue.release(holder(second), deadline(), null));
		assertThat(release.next).isNull();
		this.queue.releaseAnswered(release, new ReleaseResult(true, null));
		assertThat(this.removed).isTrue();
		assertThat(this.queue.join(waiter(LEASE))).isNull();
	}

	@Test
	void aSuccessorWithoutAnAnswerAttemptsAtOnce() {
		Waiter first = waiter(LEASE);
		Command.Attempt attempt = attempt(this.queue.join(first));
		this.queue.attemptAnswered(attempt, granted());
		this.queue.join(waiter(LEASE));
		Command.Release release = release(this.queue.release(holder(first), deadline(), null));
		// Gone: the successor was not queued, although the release asked for it.
		Command.Attempt asks = attempt(this.queue.releaseAnswered(release, new ReleaseResult(false, null)));
		assertThat(asks.ticket).isEqualTo(release.next.ticket());
	}

	@Test
	void aMessageMayComeBeforeTheReply() {
		Waiter first = waiter(LEASE);
		Command.Attempt attempt = attempt(this.queue.join(first));
		assertThat(this.queue.granted(attempt.ticket, grant(LEASE)).woken()).containsExactly(first);
		// The holder leaves while the reply is still on its way: the release waits for
		// it.
		assertThat(this.queue.release(holder(first), deadline(), null).command()).isNull();
		Command.Release release = release(this.queue.attemptAnswered(attempt, waiting()));
		assertThat(release.pending.ticket).isEqualTo(attempt.ticket);
	}

	@Test
	void aSuccessorGrantedByMessageBeforeTheReleaseIsAnsweredMayLeaveBeforeItToo() {
		Waiter first = waiter(LEASE);
		Waiter second = waiter(LEASE);
		this.queue.attemptAnswered(attempt(this.queue.join(first)), granted());
		this.queue.join(second);
		Command.Release release = release(this.queue.release(holder(first), deadline(), null));
		Ticket successor = release.next.ticket();
		this.queue.granted(successor, grant(LEASE));
		assertThat(this.queue.release(holder(second), deadline(), null).command()).isNull();
		// The first release is repeated without the successor, whose ticket has left.
		assertThat(this.queue.failed(release, FAILURE).command()).isNull();
		this.clock.pass(Duration.ofSeconds(1));
		Command.Release repeated = release(this.queue.timerFired());
		assertThat(repeated.pending).isSameAs(release.pending);
		assertThat(repeated.next).isNull();
		Command.Release last = release(this.queue.releaseAnswered(repeated, new ReleaseResult(false, null)));
		assertThat(last.pending.ticket).isEqualTo(successor);
		this.queue.releaseAnswered(last, new ReleaseResult(true, null));
		assertThat(this.removed).isTrue();
	}

	@Test
	void theQueuedTicketIsKeptWhileACallerWaitsAndCancelledByTheLast() {
		Waiter first = waiter(LEASE);
		Waiter second = waiter(LEASE);
		Command.Attempt attempt = attempt(this.queue.join(first));
		this.queue.join(second);
		this.queue.attemptAnswered(attempt, waiting());
		assertThat(this.queue.giveUp(first, true).command()).isNull();
		assertThat(first.outcome()).isInstanceOf(Outcome.Refused.class);
		Command.Release cancel = release(this.queue.giveUp(second, false));
		assertThat(second.outcome()).isInstanceOf(Outcome.GaveUp.class);
		assertThat(cancel.pending.releasesLock).isFalse();
		assertThat(cancel.pending.ticket).isEqualTo(attempt.ticket);
		// A later caller waits for the answer, then attempts with a new ticket.
		Waiter third = waiter(LEASE);
		assertThat(this.queue.join(third).command()).isNull();
		assertThat(attempt(this.queue.releaseAnswered(cancel, null)).ticket).isNotEqualTo(attempt.ticket);
	}

	@Test
	void aGrantThatNoCallerWantsIsReleased() {
		Waiter first = waiter(LEASE);
		Command.Attempt attempt = attempt(this.queue.join(first));
		assertThat(this.queue.giveUp(first, false).command()).isNull();
		Command.Release release = release(this.queue.attemptAnswered(attempt, granted()));
		assertThat(release.pending.ticket).isEqualTo(attempt.ticket);
	}

	@Test
	void anExpiredGrantIsNotUsed() {
		Waiter first = waiter(LEASE);
		Command.Attempt attempt = attempt(this.queue.join(first));
		this.queue.attemptAnswered(attempt, waiting());
		Grant stale = grant(Duration.ZERO);
		Command.Attempt again = attempt(this.queue.granted(attempt.ticket, stale));
		assertThat(first.outcome()).isNull();
		assertThat(again.ticket).isEqualTo(attempt.ticket);
		Effects effects = this.queue.attemptAnswered(again, new AttemptResult.Granted(stale));
		assertThat(effects.command()).isNull();
		assertThat(first.outcome()).isNull();
		assertThat(this.timerDelays).isNotEmpty();
	}

	@Test
	void anUnknownTicketIsRefused() {
		Waiter first = waiter(LEASE);
		this.queue.join(first);
		assertThat(this.queue.granted(new Ticket("key", LockMode.EXCLUSIVE, "me", 99, false), grant(LEASE))).isNull();
		assertThat(first.outcome()).isNull();
	}

	@Test
	void oneAnswerEndsTheWaitOfACallerThatTriesOnceAndOthersThenQueue() {
		Waiter once = waiter(Duration.ZERO);
		Command.Attempt attempt = attempt(this.queue.join(once));
		assertThat(attempt.options.queue()).isFalse();
		Waiter patient = waiter(LEASE);
		this.queue.join(patient);
		Effects effects = this.queue.attemptAnswered(attempt, new AttemptResult.Busy(LEASE));
		assertThat(effects.woken()).containsExactly(once);
		assertThat(once.outcome()).isInstanceOf(Outcome.Refused.class);
		assertThat(attempt(effects).options.queue()).isTrue();
		// While the lock is held or waited for, no command is needed to refuse it.
		Waiter late = waiter(Duration.ZERO);
		assertThat(this.queue.join(late).command()).isNull();
		assertThat(late.outcome()).isInstanceOf(Outcome.Refused.class);
	}

	@Test
	void aCallerThatFindsTheLockBusyAndDoesNotWaitSendsNothingMore() {
		Command.Attempt attempt = attempt(this.queue.join(waiter(Duration.ZERO)));
		assertThat(this.queue.attemptAnswered(attempt, new AttemptResult.Busy(LEASE)).command()).isNull();
		assertThat(this.removed).isTrue();
	}

	@Test
	void aFailedCommandIsRepeatedUntilTheStoreHasNotAnsweredForTooLong() {
		Waiter first = waiter(LockRequest.FOREVER);
		Command.Attempt attempt = attempt(this.queue.join(first));
		Effects effects = this.queue.failed(attempt, FAILURE);
		assertThat(effects.command()).isNull();
		assertThat(first.outcome()).isNull();
		this.clock.pass(Duration.ofSeconds(1));
		Command.Attempt again = attempt(this.queue.timerFired());
		assertThat(again.ticket).isEqualTo(attempt.ticket);
		this.clock.pass(Duration.ofSeconds(2));
		effects = this.queue.failed(again, FAILURE);
		assertThat(first.outcome()).isInstanceOf(Outcome.Failure.class);
		// The outcome of the attempt is unknown: it is cancelled, and once more later.
		Command.Release cancel = release(effects);
		assertThat(this.queue.releaseAnswered(cancel, null).stray()).isEqualTo(attempt.ticket);
	}

	@Test
	void aWaitThatEndsAfterAFailureIsNotATimeout() {
		Waiter first = waiter(Duration.ofSeconds(1));
		Command.Attempt attempt = attempt(this.queue.join(first));
		this.queue.failed(attempt, FAILURE);
		this.queue.giveUp(first, true);
		assertThat(first.outcome()).isInstanceOf(Outcome.Failure.class);
	}

	@Test
	void aHolderCannotReleaseTwice() {
		Waiter first = waiter(LEASE);
		this.queue.attemptAnswered(attempt(this.queue.join(first)), granted());
		Holder holder = holder(first);
		assertThat(this.queue.release(holder, deadline(), null)).isNotNull();
		assertThat(this.queue.release(holder, deadline(), null)).isNull();
	}

	@Test
	void aReleaseWithoutAnAnswerIsGivenUpWhenTheLeaseHasPassed() {
		Waiter first = waiter(LEASE);
		this.queue.attemptAnswered(attempt(this.queue.join(first)), granted());
		Command.Release release = release(this.queue.release(holder(first), deadline(), null));
		assertThat(this.queue.failed(release, FAILURE).command()).isNull();
		assertThat(this.removed).isFalse();
		this.clock.pass(LEASE);
		release = release(this.queue.timerFired());
		this.queue.failed(release, FAILURE);
		assertThat(this.removed).isTrue();
	}

	@Test
	void aSnapshotShowsTheHolderTheWaitersAndWhetherACommandIsUnfinished() {
		Waiter first = waiter(LEASE);
		Command.Attempt attempt = attempt(this.queue.join(first));
		assertThat(this.queue.snapshot()).isEqualTo(new KeySnapshot("key", null, 1, true, null, null, 0));
		this.queue.attemptAnswered(attempt, granted());
		this.queue.join(waiter(LEASE));
		this.queue.join(waiter(LEASE));
		assertThat(this.queue.snapshot()).isEqualTo(new KeySnapshot("key", attempt.ticket, 2, false,
				new StoredHolder(attempt.ticket.instance(), attempt.ticket.mode(), null, null, 1), null, 0));
		this.queue.release(holder(first), deadline(), null);
		assertThat(this.queue.snapshot()).isEqualTo(new KeySnapshot("key", null, 2, true, null, null, 0));
	}

}
