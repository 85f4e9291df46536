package io.github.distlock.waiting;

import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.waiting.Waiter.Outcome;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The next event of a key settles what an error has lost when not even its handler could
 * run: a command without a sender, and a caller that has gone.
 */
class LostCommandTests extends OneKey {

	@Test
	void anAttemptThatItsSenderDroppedIsMadeAgainWithTheNextEvent() {
		Command.Attempt lost = attempt(this.entry.join(waiter(LEASE)));
		lost.dropped = true;
		Command.Attempt again = attempt(this.entry.join(waiter(LEASE)));
		assertThat(again.ticket()).isEqualTo(lost.ticket());
	}

	@Test
	void aReleaseThatItsSenderDroppedIsMadeAgainWithTheNextEvent() {
		Waiter first = waiter(LEASE);
		this.entry.attempted(attempt(this.entry.join(first)), granted());
		Command.Leave lost = leave(this.entry.depart(admission(first), deadline()));
		lost.dropped = true;
		Command.Leave again = leave(this.entry.join(waiter(LEASE)));
		assertThat(again.exit()).isSameAs(lost.exit());
	}

	@Test
	void aCommandForWhichNoThreadWasFoundIsSettledByTheFirstThatTakesIt() {
		Command.Attempt lost = attempt(this.entry.join(waiter(LEASE)));
		lost.strayed = true;
		attempt(this.entry.join(waiter(LEASE)));
		assertThat(lost.take()).as("a copy in the queue of the executor is sent").isFalse();
	}

	@Test
	void aCommandThatIsSentAlthoughTheExecutorThrewIsNotMadeTwice() {
		Command.Attempt sent = attempt(this.entry.join(waiter(LEASE)));
		assertThat(sent.take()).isTrue();
		sent.strayed = true;
		assertThat(this.entry.join(waiter(LEASE)).command()).isNull();
	}

	@Test
	void aLateAnswerDoesNotEndTheCommandThatIsInFlightNow() {
		Waiter waiter = waiter(LEASE);
		Command.Attempt lost = attempt(this.entry.join(waiter));
		lost.dropped = true;
		attempt(this.entry.join(waiter(LEASE)));
		assertThat(this.entry.attemptFailed(lost, FAILURE).command()).isNull();
		assertThat(this.entry.look(null).command()).as("one command at a time").isNull();
	}

	@Test
	void aCallerThatAnErrorHasEndedIsNotGrantedTheLock() {
		Waiter gone = waiter(LEASE);
		Command.Attempt attempt = attempt(this.entry.join(gone));
		Waiter next = waiter(LEASE);
		this.entry.join(next);
		gone.abandoned = true;
		this.entry.attempted(attempt, granted());
		assertThat(gone.outcome()).isInstanceOf(Outcome.Left.class);
		assertThat(admission(next)).isNotNull();
	}

	@Test
	void aLockWhoseOnlyCallerAnErrorHasEndedIsGivenBack() {
		Waiter gone = waiter(LEASE);
		Command.Attempt attempt = attempt(this.entry.join(gone));
		gone.abandoned = true;
		Command.Leave back = leave(this.entry.attempted(attempt, granted()));
		this.entry.left(back.exit(), new ReleaseResult(true, null));
		assertThat(this.removed).isTrue();
	}

	@Test
	void anHeirWhoseAttemptWasLostIsRefusedAndNeverAsks() {
		DowngradeWaiter reader = new DowngradeWaiter(WaitRequest.ofReader("key", LEASE), this.clock.nanoTime(),
				LEASE.toNanos());
		PendingDowngrade heir = this.entry.inherit(reader);
		Effects steps = this.entry.rescue(heir.attempt());
		assertThat(reader.outcome()).isInstanceOf(Outcome.TimedOut.class);
		assertThat(leave(steps).exit().ticket).isEqualTo(heir.attempt().ticket());
	}

	@Test
	void aTicketThatWasGrantedWhileItsAttemptWasLostLeavesDoubtfully() {
		Waiter waiter = waiter(LEASE);
		Command.Attempt attempt = attempt(this.entry.join(waiter));
		this.entry.granted(attempt.ticket(), grant(LEASE));
		this.entry.rescue(attempt);
		Command.Leave release = leave(this.entry.depart(admission(waiter), deadline()));
		assertThat(this.entry.left(release.exit(), new ReleaseResult(true, null)).stray()).isEqualTo(attempt.ticket());
	}

}
