package io.github.distlock.waiting;

import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.waiting.Effects.Command;
import io.github.distlock.waiting.Waiter.Outcome;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * If an error prevented even its own handler, the next event of the key settles what was
 * lost: a command without a sender, and a caller that has left.
 */
class LostCommandTests extends KeyQueueFixture {

	@Test
	void anAttemptWhoseOutcomeIsLostIsRepeatedWithTheNextEvent() {
		Command.Attempt lost = attempt(this.queue.join(waiter(LEASE)));
		lost.outcomeLost = true;
		Command.Attempt again = attempt(this.queue.join(waiter(LEASE)));
		assertThat(again.ticket()).isEqualTo(lost.ticket());
	}

	@Test
	void aReleaseWhoseOutcomeIsLostIsRepeatedWithTheNextEvent() {
		Waiter first = waiter(LEASE);
		this.queue.attemptAnswered(attempt(this.queue.join(first)), granted());
		Command.Release lost = release(this.queue.release(holder(first), deadline()));
		lost.outcomeLost = true;
		Command.Release again = release(this.queue.join(waiter(LEASE)));
		assertThat(again.pending()).isSameAs(lost.pending());
	}

	@Test
	void aCommandForWhichNoThreadWasFoundIsSettledByTheFirstThatTakesIt() {
		Command.Attempt lost = attempt(this.queue.join(waiter(LEASE)));
		lost.maybeUnsent = true;
		attempt(this.queue.join(waiter(LEASE)));
		assertThat(lost.take()).as("whether a copy in the queue of the executor may be sent").isFalse();
	}

	@Test
	void aCommandThatIsSentAlthoughTheExecutorThrewIsNotSentTwice() {
		Command.Attempt sent = attempt(this.queue.join(waiter(LEASE)));
		assertThat(sent.take()).isTrue();
		sent.maybeUnsent = true;
		assertThat(this.queue.join(waiter(LEASE)).command()).isNull();
	}

	@Test
	void aLateAnswerDoesNotEndTheCommandThatIsInFlightNow() {
		Waiter waiter = waiter(LEASE);
		Command.Attempt lost = attempt(this.queue.join(waiter));
		lost.outcomeLost = true;
		attempt(this.queue.join(waiter(LEASE)));
		assertThat(this.queue.attemptFailed(lost, FAILURE).command()).isNull();
		assertThat(this.queue.retry().command()).as("one command at a time").isNull();
	}

	@Test
	void aCallerWhoseWaitEndedWithAnErrorIsNotGrantedTheLock() {
		Waiter gone = waiter(LEASE);
		Command.Attempt attempt = attempt(this.queue.join(gone));
		Waiter next = waiter(LEASE);
		this.queue.join(next);
		gone.abandoned = true;
		this.queue.attemptAnswered(attempt, granted());
		assertThat(gone.outcome()).isInstanceOf(Outcome.GaveUp.class);
		assertThat(holder(next)).isNotNull();
	}

	@Test
	void aLockIsGivenBackIfTheWaitOfItsOnlyCallerEndedWithAnError() {
		Waiter gone = waiter(LEASE);
		Command.Attempt attempt = attempt(this.queue.join(gone));
		gone.abandoned = true;
		Command.Release back = release(this.queue.attemptAnswered(attempt, granted()));
		this.queue.releaseAnswered(back.pending(), new ReleaseResult(true, null));
		assertThat(this.removed).isTrue();
	}

	@Test
	void aTicketThatWasGrantedWhileItsAttemptWasLostIsCancelledOnceMore() {
		Waiter waiter = waiter(LEASE);
		Command.Attempt attempt = attempt(this.queue.join(waiter));
		this.queue.granted(attempt.ticket(), grant(LEASE));
		this.queue.recover(attempt);
		Command.Release release = release(this.queue.release(holder(waiter), deadline()));
		assertThat(this.queue.releaseAnswered(release.pending(), new ReleaseResult(true, null)).stray())
			.isEqualTo(attempt.ticket());
	}

}
