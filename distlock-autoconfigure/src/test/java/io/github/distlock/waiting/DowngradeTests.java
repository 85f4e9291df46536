package io.github.distlock.waiting;

import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;

import io.github.distlock.LockMode;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.environment.EngineEnvironment;
import io.github.distlock.waiting.Effects.Command;
import io.github.distlock.waiting.Waiter.DowngradeWaiter;
import io.github.distlock.waiting.Waiter.Outcome;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A downgrade from writer to reader, event by event.
 */
class DowngradeTests extends KeyQueueFixture {

	private final KeyQueue readers = new KeyQueue("key", new ReentrantLock(), this);

	private final DowngradeWaiter reader = new DowngradeWaiter(WaitRequest.forDowngrade("key", LEASE),
			this.clock.nanoTime(), LEASE.toNanos(), EngineEnvironment.SYSTEM);

	private final PendingDowngrade downgrade = this.readers.prepareDowngrade(this.reader);

	/** The writer's release makes the reader's attempt, before any other attempt. */
	private Command.Release downgrade(Waiter writer) {
		Command.Release release = release(this.queue.release(holder(writer), deadline(), this.downgrade));
		assertThat(release.pending().releasesLock).isTrue();
		assertThat(release.downgrade()).isSameAs(this.downgrade);
		assertThat(release.next()).isNotNull();
		assertThat(release.next().ticket().mode()).isEqualTo(LockMode.READ);
		assertThat(release.next().lease()).isEqualTo(LEASE);
		return release;
	}

	private Waiter writer() {
		Waiter writer = waiter(LEASE);
		this.queue.attemptAnswered(attempt(this.queue.join(writer)), granted());
		return writer;
	}

	@Test
	void theReleaseGrantsTheReaderTheLockBeforeTheNextWriterAttempts() {
		Waiter writer = writer();
		Waiter next = waiter(LEASE);
		this.queue.join(next);
		Command.Release release = downgrade(writer);
		ReleaseResult result = new ReleaseResult(true, granted());
		Command.Attempt attempt = attempt(this.queue.releaseAnswered(release.pending(), result));
		assertThat(attempt.ticket()).isNotEqualTo(release.next().ticket());
		assertThat(this.downgrade.answered(result).woken()).as("this thread is awake").isEmpty();
		Holder readingHolder = holder(this.reader);
		assertThat(readingHolder.ticket()).isEqualTo(release.next().ticket());
		Command.Release last = release(this.readers.release(readingHolder, deadline()));
		assertThat(last.next()).isNull();
		this.readers.releaseAnswered(last.pending(), new ReleaseResult(true, null));
		assertThat(this.removed).isTrue();
		assertThat(next.outcome()).isNull();
	}

	@Test
	void aCommandOnItsWayIsAnsweredBeforeTheDowngradeIsSent() {
		Waiter writer = waiter(LEASE);
		Command.Attempt attempt = attempt(this.queue.join(writer));
		this.queue.granted(attempt.ticket(), grant(LEASE));
		assertThat(this.queue.release(holder(writer), deadline(), this.downgrade).command()).isNull();
		Command.Release release = release(this.queue.attemptAnswered(attempt, waiting()));
		assertThat(release.downgrade()).isSameAs(this.downgrade);
		assertThat(this.reader.outcome()).isNull();
	}

	@Test
	void withoutAnAnswerTheDowngradeFailsAndTheReaderIsCancelledTwice() {
		Command.Release release = downgrade(writer());
		assertThat(this.queue.releaseFailed(release.pending(), FAILURE).command()).isNull();
		Command.Release cancel = release(this.downgrade.unanswered(FAILURE));
		assertThat(this.reader.outcome()).isInstanceOf(Outcome.Failure.class);
		assertThat(cancel.pending().releasesLock).isFalse();
		assertThat(cancel.pending().ticket).isEqualTo(release.next().ticket());
		assertThat(this.readers.releaseAnswered(cancel.pending(), null).stray()).isEqualTo(release.next().ticket());
		this.clock.pass(Duration.ofSeconds(1));
		Command.Release repeated = release(this.queue.timerFired());
		assertThat(repeated.pending()).isSameAs(release.pending());
		assertThat(repeated.next()).isNull();
		assertThat(repeated.downgrade()).isNull();
	}

	@Test
	void aWriterThatTheStoreNoLongerKnewDoesNotBecomeAReaderAndNothingIsLeft() {
		Command.Release release = downgrade(writer());
		this.queue.releaseAnswered(release.pending(), new ReleaseResult(false, null));
		this.removed = false;
		assertThat(this.downgrade.answered(new ReleaseResult(false, null)).command()).isNull();
		assertThat(this.reader.outcome()).isInstanceOf(Outcome.TimedOut.class);
		assertThat(this.removed).isTrue();
	}

	@Test
	void anEarlierCopyOfTheReleaseMayHaveMadeTheReaderAHolder() {
		downgrade(writer());
		this.downgrade.answered(new ReleaseResult(false, granted()));
		assertThat(holder(this.reader).fencingToken()).isEqualTo(1);
	}

	@Test
	void anAnswerThatDoesNotReportWhetherTheReaderHoldsIsAFailure() {
		downgrade(writer());
		assertThat(release(this.downgrade.answered(new ReleaseResult(true, null))).pending().releasesLock).isFalse();
		assertThat(this.reader.outcome()).isInstanceOf(Outcome.Failure.class);
	}

	@Test
	void aReaderThatCouldNotWaitForTheAnswerIsReleased() {
		downgrade(writer());
		assertThat(this.reader.isEndless()).isFalse();
		assertThat(this.reader.remainingNanos(this.clock.nanoTime() + LEASE.toNanos())).isZero();
		assertThat(this.readers.giveUp(this.reader, true).command()).isNull();
		Command.Release release = release(this.downgrade.answered(new ReleaseResult(true, granted())));
		assertThat(release.pending().releasesLock).isTrue();
		assertThat(release.pending().ticket.mode()).isEqualTo(LockMode.READ);
	}

	@Test
	void aReaderWhoseGrantHasExpiredDoesNotAttemptAgain() {
		Command.Release release = downgrade(writer());
		ReleaseResult late = new ReleaseResult(true, granted());
		this.clock.pass(LEASE);
		Command.Release cancel = release(this.downgrade.answered(late));
		assertThat(this.reader.outcome()).isInstanceOf(Outcome.TimedOut.class);
		assertThat(cancel.pending().ticket).isEqualTo(release.next().ticket());
		assertThat(cancel.pending().releasesLock).isFalse();
		this.readers.releaseAnswered(cancel.pending(), null);
		assertThat(this.removed).isTrue();
	}

	@Test
	void theReaderGetsItsAnswerAlthoughAllWaitersFail() {
		downgrade(writer());
		assertThat(this.readers.failWaiters(FAILURE).woken()).isEmpty();
		this.downgrade.answered(new ReleaseResult(true, granted()));
		assertThat(holder(this.reader).ticket().mode()).isEqualTo(LockMode.READ);
	}

}
