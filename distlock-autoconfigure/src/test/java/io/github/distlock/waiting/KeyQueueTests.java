package io.github.distlock.waiting;

import java.time.Duration;

import io.github.distlock.HandOff;
import io.github.distlock.LockMode;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.Ticket;
import io.github.distlock.waiting.Waiter.Outcome;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The state machine of one key, event by event.
 */
class KeyQueueTests extends OneKey {

	@Test
	void theFirstCallerAttemptsAndALaterOneWaitsForItsAnswer() {
		Waiter first = waiter(Duration.ofSeconds(5));
		Waiter second = waiter(Duration.ofSeconds(5));
		Command.Attempt attempt = attempt(this.entry.join(first));
		assertThat(attempt.queue()).isTrue();
		assertThat(this.entry.join(second).command()).isNull();
		Effects steps = this.entry.attempted(attempt, granted());
		assertThat(steps.woken()).containsExactly(first);
		assertThat(admission(first).handOff()).isEqualTo(HandOff.NONE);
		assertThat(steps.command()).isNull();
		assertThat(second.outcome()).isNull();
	}

	@Test
	void aReleaseQueuesTheNextWaiterInTheSameTripWithANewTicket() {
		Waiter first = waiter(Duration.ofSeconds(5));
		Waiter second = waiter(Duration.ofSeconds(5));
		Command.Attempt attempt = attempt(this.entry.join(first));
		this.entry.attempted(attempt, granted());
		this.entry.join(second);
		Command.Leave leave = leave(this.entry.depart(admission(first), deadline()));
		assertThat(leave.exit().ticket).isEqualTo(attempt.ticket());
		assertThat(leave.next()).isNotNull();
		assertThat(leave.next().ticket()).isNotEqualTo(attempt.ticket());
		Effects steps = this.entry.left(leave.exit(), new ReleaseResult(true, granted()));
		assertThat(steps.woken()).containsExactly(second);
		assertThat(admission(second).handOff()).isEqualTo(HandOff.REMOTE);
		leave = leave(this.entry.depart(admission(second), deadline()));
		assertThat(leave.next()).isNull();
		this.entry.left(leave.exit(), new ReleaseResult(true, null));
		assertThat(this.removed).isTrue();
		assertThat(this.entry.join(waiter(LEASE))).isNull();
	}

	@Test
	void aSuccessorThatNobodyAnsweredForAsksAtOnce() {
		Waiter first = waiter(LEASE);
		Command.Attempt attempt = attempt(this.entry.join(first));
		this.entry.attempted(attempt, granted());
		this.entry.join(waiter(LEASE));
		Command.Leave leave = leave(this.entry.depart(admission(first), deadline()));
		// Gone: the next was not queued, though the release said so.
		Command.Attempt asks = attempt(this.entry.left(leave.exit(), new ReleaseResult(false, null)));
		assertThat(asks.ticket()).isEqualTo(leave.next().ticket());
	}

	@Test
	void aMessageMayComeBeforeTheReply() {
		Waiter first = waiter(LEASE);
		Command.Attempt attempt = attempt(this.entry.join(first));
		assertThat(this.entry.granted(attempt.ticket(), grant(LEASE)).woken()).containsExactly(first);
		// The holder leaves while the reply is still on its way: nothing overtakes it.
		assertThat(this.entry.depart(admission(first), deadline()).command()).isNull();
		Command.Leave leave = leave(this.entry.attempted(attempt, waiting()));
		assertThat(leave.exit().ticket).isEqualTo(attempt.ticket());
	}

	@Test
	void aSuccessorGrantedByMessageBeforeTheReleaseIsAnsweredMayLeaveBeforeItToo() {
		Waiter first = waiter(LEASE);
		Waiter second = waiter(LEASE);
		this.entry.attempted(attempt(this.entry.join(first)), granted());
		this.entry.join(second);
		Command.Leave release = leave(this.entry.depart(admission(first), deadline()));
		Ticket successor = release.next().ticket();
		this.entry.granted(successor, grant(LEASE));
		assertThat(this.entry.depart(admission(second), deadline()).command()).isNull();
		// The first release is repeated without the successor, whose ticket is dead.
		assertThat(this.entry.leaveFailed(release.exit(), FAILURE).command()).isNull();
		this.clock.pass(Duration.ofSeconds(1));
		Command.Leave repeated = leave(this.entry.ring());
		assertThat(repeated.exit()).isSameAs(release.exit());
		assertThat(repeated.next()).isNull();
		Command.Leave last = leave(this.entry.left(release.exit(), new ReleaseResult(false, null)));
		assertThat(last.exit().ticket).isEqualTo(successor);
		this.entry.left(last.exit(), new ReleaseResult(true, null));
		assertThat(this.removed).isTrue();
	}

	@Test
	void thePlaceIsKeptWhileAnybodyWaitsAndCancelledByTheLastWhoLeaves() {
		Waiter first = waiter(LEASE);
		Waiter second = waiter(LEASE);
		Command.Attempt attempt = attempt(this.entry.join(first));
		this.entry.join(second);
		this.entry.attempted(attempt, waiting());
		assertThat(this.entry.giveUp(first, true).command()).isNull();
		assertThat(first.outcome()).isInstanceOf(Outcome.TimedOut.class);
		Command.Leave cancel = leave(this.entry.giveUp(second, false));
		assertThat(second.outcome()).isInstanceOf(Outcome.Left.class);
		assertThat(cancel.exit().release).isFalse();
		assertThat(cancel.exit().ticket).isEqualTo(attempt.ticket());
		// A newcomer waits for the answer, then attempts with a new ticket.
		Waiter third = waiter(LEASE);
		assertThat(this.entry.join(third).command()).isNull();
		assertThat(attempt(this.entry.left(cancel.exit(), null)).ticket()).isNotEqualTo(attempt.ticket());
	}

	@Test
	void aGrantThatNobodyWantsAnyMoreIsReleased() {
		Waiter first = waiter(LEASE);
		Command.Attempt attempt = attempt(this.entry.join(first));
		assertThat(this.entry.giveUp(first, false).command()).isNull();
		Command.Leave leave = leave(this.entry.attempted(attempt, granted()));
		assertThat(leave.exit().ticket).isEqualTo(attempt.ticket());
	}

	@Test
	void aGrantWhoseTimeHasPassedIsNotEntered() {
		Waiter first = waiter(LEASE);
		Command.Attempt attempt = attempt(this.entry.join(first));
		this.entry.attempted(attempt, waiting());
		Grant stale = grant(Duration.ZERO);
		Command.Attempt again = attempt(this.entry.granted(attempt.ticket(), stale));
		assertThat(first.outcome()).isNull();
		assertThat(again.ticket()).isEqualTo(attempt.ticket());
		Effects steps = this.entry.attempted(again, new AttemptResult.Granted(stale));
		assertThat(steps.command()).isNull();
		assertThat(first.outcome()).isNull();
		assertThat(this.alarms).isNotEmpty();
	}

	@Test
	void aTicketThatNobodyKnowsIsNobodys() {
		Waiter first = waiter(LEASE);
		this.entry.join(first);
		assertThat(this.entry.granted(new Ticket("key", LockMode.EXCLUSIVE, "me", 99, false), grant(LEASE))).isNull();
		assertThat(first.outcome()).isNull();
	}

	@Test
	void oneAnswerEndsAWaitForOneAnswerAndOthersThenQueue() {
		Waiter once = waiter(Duration.ZERO);
		Command.Attempt attempt = attempt(this.entry.join(once));
		assertThat(attempt.queue()).isFalse();
		Waiter patient = waiter(LEASE);
		this.entry.join(patient);
		Effects steps = this.entry.attempted(attempt, new AttemptResult.Busy(LEASE));
		assertThat(steps.woken()).containsExactly(once);
		assertThat(once.outcome()).isInstanceOf(Outcome.TimedOut.class);
		assertThat(attempt(steps).queue()).isTrue();
		// While somebody is inside or waits, no command is needed to say no.
		Waiter late = waiter(Duration.ZERO);
		assertThat(this.entry.join(late).command()).isNull();
		assertThat(late.outcome()).isInstanceOf(Outcome.TimedOut.class);
	}

	@Test
	void whoFindsTheLockBusyAndDoesNotWaitSendsNothingMore() {
		Command.Attempt attempt = attempt(this.entry.join(waiter(Duration.ZERO)));
		assertThat(this.entry.attempted(attempt, new AttemptResult.Busy(LEASE)).command()).isNull();
		assertThat(this.removed).isTrue();
	}

	@Test
	void aFailureIsRepeatedUntilTheStoreHasBeenSilentForTooLong() {
		Waiter first = waiter(LockRequest.FOREVER);
		Command.Attempt attempt = attempt(this.entry.join(first));
		Effects steps = this.entry.attemptFailed(attempt, FAILURE);
		assertThat(steps.command()).isNull();
		assertThat(first.outcome()).isNull();
		this.clock.pass(Duration.ofSeconds(1));
		Command.Attempt again = attempt(this.entry.ring());
		assertThat(again.ticket()).isEqualTo(attempt.ticket());
		this.clock.pass(Duration.ofSeconds(2));
		steps = this.entry.attemptFailed(again, FAILURE);
		assertThat(first.outcome()).isInstanceOf(Outcome.Failed.class);
		// Nobody knows what became of the attempt: it is cancelled, and once more later.
		Command.Leave cancel = leave(steps);
		assertThat(this.entry.left(cancel.exit(), null).stray()).isEqualTo(attempt.ticket());
	}

	@Test
	void aWaitThatEndsAfterAFailureWasNoContention() {
		Waiter first = waiter(Duration.ofSeconds(1));
		Command.Attempt attempt = attempt(this.entry.join(first));
		this.entry.attemptFailed(attempt, FAILURE);
		this.entry.giveUp(first, true);
		assertThat(first.outcome()).isInstanceOf(Outcome.Failed.class);
	}

	@Test
	void aHolderThatWasDetachedCannotLeaveAgain() {
		Waiter first = waiter(LEASE);
		this.entry.attempted(attempt(this.entry.join(first)), granted());
		Holder admission = admission(first);
		assertThat(this.entry.depart(admission, deadline())).isNotNull();
		assertThat(this.entry.depart(admission, deadline())).isNull();
	}

	@Test
	void aReleaseWithoutAnAnswerIsGivenUpWhenTheLeaseHasPassed() {
		Waiter first = waiter(LEASE);
		this.entry.attempted(attempt(this.entry.join(first)), granted());
		Command.Leave leave = leave(this.entry.depart(admission(first), deadline()));
		assertThat(this.entry.leaveFailed(leave.exit(), FAILURE).command()).isNull();
		assertThat(this.removed).isFalse();
		this.clock.pass(LEASE);
		leave = leave(this.entry.ring());
		this.entry.leaveFailed(leave.exit(), FAILURE);
		assertThat(this.removed).isTrue();
	}

	@Test
	void aSnapshotShowsTheHolderTheWaitersAndWhetherACommandIsUnfinished() {
		Waiter first = waiter(LEASE);
		Command.Attempt attempt = attempt(this.entry.join(first));
		assertThat(this.entry.snapshot()).isEqualTo(new KeySnapshot("key", null, 1, true));
		this.entry.attempted(attempt, granted());
		this.entry.join(waiter(LEASE));
		this.entry.join(waiter(LEASE));
		assertThat(this.entry.snapshot()).isEqualTo(new KeySnapshot("key", attempt.ticket(), 2, false));
		this.entry.depart(admission(first), deadline());
		assertThat(this.entry.snapshot()).isEqualTo(new KeySnapshot("key", null, 2, true));
	}

}
