package io.github.distlock.waiting;

import java.time.Duration;

import io.github.distlock.backend.Grant;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.Validity;
import io.github.distlock.waiting.Effects.Command;
import io.github.distlock.waiting.Waiter.Outcome;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A sweep repeats what an error, or a task that no thread took, has prevented.
 */
class SweepTests extends KeyQueueFixture {

	@Test
	void anAttemptWhoseEventIsMissingIsRepeated() {
		Waiter waiter = waiter(LEASE);
		Command.Attempt lost = attempt(this.queue.join(waiter));
		lost.ended = true;
		assertThat(this.queue.sweep().command()).as("the event may come yet").isNull();
		assertThat(this.queue.sweep().command()).as("as after a failure").isNull();
		this.clock.pass(Duration.ofSeconds(1));
		Command.Attempt again = attempt(this.queue.sweep());
		assertThat(again.ticket).isEqualTo(lost.ticket);
		assertThat(this.queue.attemptAnswered(lost, granted())).as("an answer that is late").isNull();
		this.queue.attemptAnswered(again, granted());
		Command.Release release = release(this.queue.release(holder(waiter), deadline(), null));
		assertThat(this.queue.releaseAnswered(release, new ReleaseResult(true, null)).stray()).as("cancelled once more")
			.isEqualTo(lost.ticket);
	}

	@Test
	void aReleaseWhoseEventIsMissingIsRepeated() {
		Waiter first = waiter(LEASE);
		this.queue.attemptAnswered(attempt(this.queue.join(first)), granted());
		Command.Release lost = release(this.queue.release(holder(first), deadline(), null));
		lost.ended = true;
		this.queue.sweep();
		this.queue.sweep();
		this.clock.pass(Duration.ofSeconds(1));
		assertThat(release(this.queue.sweep()).pending).isSameAs(lost.pending);
	}

	@Test
	void aCommandThatNoThreadSendsIsNotSentAnyMoreAfterTwoMinutes() {
		Waiter once = waiter(Duration.ZERO);
		Command.Attempt lost = attempt(this.queue.join(once));
		for (int sweep = 0; sweep < Command.MOST_SWEEPS; sweep++) {
			this.queue.sweep();
		}
		assertThat(once.outcome()).isNull();
		this.queue.sweep();
		assertThat(once.outcome()).isInstanceOf(Outcome.Failure.class);
		assertThat(lost.take()).as("whether a copy in the queue of the executor may be sent").isFalse();
	}

	@Test
	void aCommandThatHasJustEndedIsNotLostHoweverLongItTook() {
		Command.Attempt attempt = attempt(this.queue.join(waiter(LEASE)));
		for (int sweep = 0; sweep < Command.MOST_SWEEPS; sweep++) {
			this.queue.sweep();
		}
		attempt.ended = true;
		this.queue.sweep();
		assertThat(this.queue.attemptAnswered(attempt, granted())).isNotNull();
	}

	@Test
	void theLockOfAHolderThatHasLeftIsReleased() {
		Waiter waiter = waiter(LEASE);
		this.queue.attemptAnswered(attempt(this.queue.join(waiter)), granted());
		assertThat(this.queue.sweep()).isSameAs(Effects.NONE);
		holder(waiter).leave();
		assertThat(release(this.queue.sweep()).pending.ticket).isEqualTo(holder(waiter).ticket());
	}

	@Test
	void aGrantThatNoCallerHasTakenOverIsReleasedWhenItHasExpired() {
		Waiter waiter = waiter(LEASE);
		this.queue.attemptAnswered(attempt(this.queue.join(waiter)), granted());
		this.clock.pass(LEASE);
		assertThat(release(this.queue.sweep()).pending.ticket).isEqualTo(holder(waiter).ticket());
	}

	@Test
	void aGrantThatACallerHasTakenOverIsNot() {
		Waiter waiter = waiter(LEASE);
		this.queue.attemptAnswered(attempt(this.queue.join(waiter)), granted());
		holder(waiter).takeValidity();
		this.clock.pass(LEASE);
		assertThat(this.queue.sweep().command()).isNull();
	}

	@Test
	void aTicketThatWaitsWithoutATimerIsAttemptedAgain() {
		this.timersFail = true;
		Command.Attempt attempt = attempt(this.queue.join(waiter(LEASE)));
		this.queue.attemptAnswered(attempt, waiting());
		assertThat(this.queue.sweep().command()).as("not before its time").isNull();
		this.clock.pass(Duration.ofSeconds(2));
		assertThat(attempt(this.queue.sweep()).ticket).isEqualTo(attempt.ticket);
	}

	@Test
	void aGrantByMessageEndsNoCommand() {
		Waiter waiter = waiter(LEASE);
		Command.Attempt attempt = attempt(this.queue.join(waiter));
		this.queue.granted(attempt.ticket, new Grant(1, 1, Validity.until(this.clock.now(), LEASE)));
		assertThat(this.queue.release(holder(waiter), deadline(), null).command()).as("one command at a time").isNull();
		release(this.queue.attemptAnswered(attempt, waiting()));
	}

}
