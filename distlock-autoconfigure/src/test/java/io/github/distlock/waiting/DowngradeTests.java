package io.github.distlock.waiting;

import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;

import io.github.distlock.LockMode;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.waiting.Waiter.Outcome;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A writer's entry and that of the reader it becomes, event by event.
 */
class DowngradeTests extends OneKey {

	private final LockedKeyQueue readers = new LockedKeyQueue("key", new ReentrantLock(), this);

	private final DowngradeWaiter reader = new DowngradeWaiter(WaitRequest.ofReader("key", LEASE),
			this.clock.nanoTime(), LEASE.toNanos());

	private final PendingDowngrade heir = this.readers.inherit(this.reader);

	/** The reader's attempt is made by the writer's release, before anybody else's. */
	private Command.Leave downgrade(Waiter writer) {
		Command.Leave leave = leave(this.entry.depart(admission(writer), deadline(), this.heir));
		assertThat(leave.exit().release).isTrue();
		assertThat(leave.heir()).isSameAs(this.heir);
		assertThat(leave.next()).isNotNull();
		assertThat(leave.next().ticket().mode()).isEqualTo(LockMode.READ);
		assertThat(leave.next().lease()).isEqualTo(LEASE);
		return leave;
	}

	private Waiter admitted() {
		Waiter writer = waiter(LEASE);
		this.entry.attempted(attempt(this.entry.join(writer)), granted());
		return writer;
	}

	@Test
	void theReaderIsGrantedTheLockByTheReleaseAndTheNextWriterAsksAfterwards() {
		Waiter writer = admitted();
		Waiter next = waiter(LEASE);
		this.entry.join(next);
		Command.Leave leave = downgrade(writer);
		ReleaseResult result = new ReleaseResult(true, granted());
		Command.Attempt attempt = attempt(this.entry.left(leave.exit(), result));
		assertThat(attempt.ticket()).isNotEqualTo(leave.next().ticket());
		assertThat(this.heir.answered(result).woken()).containsExactly(this.reader);
		Holder stay = admission(this.reader);
		assertThat(stay.ticket()).isEqualTo(leave.next().ticket());
		Command.Leave last = leave(this.readers.depart(stay, deadline()));
		assertThat(last.next()).isNull();
		this.readers.left(last.exit(), new ReleaseResult(true, null));
		assertThat(this.removed).isTrue();
		assertThat(next.outcome()).isNull();
	}

	@Test
	void aCommandOnItsWayIsAnsweredBeforeTheDowngradeIsSent() {
		Waiter writer = waiter(LEASE);
		Command.Attempt attempt = attempt(this.entry.join(writer));
		this.entry.granted(attempt.ticket(), grant(LEASE));
		assertThat(this.entry.depart(admission(writer), deadline(), this.heir).command()).isNull();
		Command.Leave leave = leave(this.entry.attempted(attempt, waiting()));
		assertThat(leave.heir()).isSameAs(this.heir);
		assertThat(this.reader.outcome()).isNull();
	}

	@Test
	void withoutAnAnswerNobodyReadsOnAndTheReaderIsCancelledTwice() {
		Command.Leave leave = downgrade(admitted());
		assertThat(this.entry.leaveFailed(leave.exit(), FAILURE).command()).isNull();
		Command.Leave cancel = leave(this.heir.unanswered(FAILURE));
		assertThat(this.reader.outcome()).isInstanceOf(Outcome.Failed.class);
		assertThat(cancel.exit().release).isFalse();
		assertThat(cancel.exit().ticket).isEqualTo(leave.next().ticket());
		assertThat(this.readers.left(cancel.exit(), null).stray()).isEqualTo(leave.next().ticket());
		this.clock.pass(Duration.ofSeconds(1));
		Command.Leave repeated = leave(this.entry.ring());
		assertThat(repeated.exit()).isSameAs(leave.exit());
		assertThat(repeated.next()).isNull();
		assertThat(repeated.heir()).isNull();
	}

	@Test
	void aWriterThatTheStoreNoLongerKnewDoesNotReadOnAndNothingIsLeft() {
		Command.Leave leave = downgrade(admitted());
		this.entry.left(leave.exit(), new ReleaseResult(false, null));
		this.removed = false;
		assertThat(this.heir.answered(new ReleaseResult(false, null)).command()).isNull();
		assertThat(this.reader.outcome()).isInstanceOf(Outcome.TimedOut.class);
		assertThat(this.removed).isTrue();
	}

	@Test
	void anEarlierCopyOfTheReleaseMayHaveMadeTheReaderAHolder() {
		downgrade(admitted());
		this.heir.answered(new ReleaseResult(false, granted()));
		assertThat(admission(this.reader).fencingToken()).isEqualTo(1);
	}

	@Test
	void anAnswerThatDoesNotSayWhetherTheReaderHoldsIsNone() {
		downgrade(admitted());
		assertThat(leave(this.heir.answered(new ReleaseResult(true, null))).exit().release).isFalse();
		assertThat(this.reader.outcome()).isInstanceOf(Outcome.Failed.class);
	}

	@Test
	void aReaderThatCouldNotWaitForTheAnswerIsReleased() {
		downgrade(admitted());
		assertThat(this.reader.isEndless()).isFalse();
		assertThat(this.reader.remainingNanos(this.clock.nanoTime() + LEASE.toNanos())).isZero();
		assertThat(this.readers.giveUp(this.reader, true).command()).isNull();
		Command.Leave leave = leave(this.heir.answered(new ReleaseResult(true, granted())));
		assertThat(leave.exit().release).isTrue();
		assertThat(leave.exit().ticket.mode()).isEqualTo(LockMode.READ);
	}

	@Test
	void aReaderWhoseGrantHasPassedNeverAsksForAnother() {
		Command.Leave leave = downgrade(admitted());
		ReleaseResult late = new ReleaseResult(true, granted());
		this.clock.pass(LEASE);
		Command.Leave cancel = leave(this.heir.answered(late));
		assertThat(this.reader.outcome()).isInstanceOf(Outcome.TimedOut.class);
		assertThat(cancel.exit().ticket).isEqualTo(leave.next().ticket());
		assertThat(cancel.exit().release).isFalse();
		this.readers.left(cancel.exit(), null);
		assertThat(this.removed).isTrue();
	}

	@Test
	void aRoomThatClosesLeavesAnAnswerToTheReader() {
		downgrade(admitted());
		assertThat(this.readers.failWaiters(FAILURE).woken()).isEmpty();
		this.heir.answered(new ReleaseResult(true, granted()));
		assertThat(admission(this.reader).ticket().mode()).isEqualTo(LockMode.READ);
	}

}
