package io.github.distlock.waiting;

import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;

import io.github.distlock.LockMode;
import io.github.distlock.LockOutcome;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.Validity;
import io.github.distlock.waiting.Effects.Command;
import io.github.distlock.waiting.Waiter.Outcome;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How many callers may wait for a key: which callers are counted, from when on and until
 * when.
 */
class WaiterLimitTests extends KeepFixture {

	/** A caller that waits only if no other does. */
	private Waiter only() {
		return waiter(LEASE, LEASE, 1);
	}

	/** The queue of a caller with its own ticket. */
	private KeyQueue ownQueue() {
		return new KeyQueue("key", new ReentrantLock(), this);
	}

	private void assertRefused(Waiter waiter) {
		assertThat(waiter.outcome()).isInstanceOfSatisfying(Outcome.Refused.class,
				(refused) -> assertThat(refused.reason()).isEqualTo(LockOutcome.TOO_MANY_WAITING));
	}

	/** Whether one more caller with a limit of one waits, or is refused. */
	private void assertPlaceIsFree(boolean free) {
		Waiter waiter = only();
		Effects effects = this.queue.join(waiter);
		assertThat(effects).isNotNull();
		if (free) {
			assertThat(waiter.outcome()).isNull();
			this.queue.giveUp(waiter, false);
		}
		else {
			assertRefused(waiter);
			assertThat(effects.command()).as("a command for a refused caller").isNull();
		}
	}

	/** A caller that has the lock. */
	private Waiter inside() {
		Waiter waiter = waiter(LEASE);
		this.queue.attemptAnswered(attempt(this.queue.join(waiter)), granted());
		holder(waiter);
		return waiter;
	}

	@Test
	void theCallerWhoseFirstAttemptIsOnItsWayDoesNotWait() {
		Command.Attempt attempt = attempt(this.queue.join(waiter(LEASE)));
		Waiter behind = only();
		this.queue.join(behind);
		assertThat(behind.outcome()).isNull();
		assertPlaceIsFree(false);
		this.queue.attemptAnswered(attempt, granted());
		assertThat(behind.outcome()).isNull();
		assertPlaceIsFree(false);
	}

	@Test
	void aCallerIsTheNextOneWhenItsFirstAttemptDoesNotGetTheLock() {
		Waiter first = only();
		Command.Attempt attempt = attempt(this.queue.join(first));
		Waiter behind = only();
		this.queue.join(behind);
		Effects effects = this.queue.attemptAnswered(attempt, waiting());
		assertRefused(first);
		assertThat(effects.woken()).containsExactly(first);
		assertThat(effects.command()).as("the ticket waits for the other caller").isNull();
		assertThat(behind.outcome()).isNull();
		this.queue.granted(attempt.ticket, grant(LEASE));
		holder(behind);
	}

	@Test
	void aCallerWaitsFromTheAnswerToItsFirstAttemptOn() {
		Waiter first = only();
		this.queue.attemptAnswered(attempt(this.queue.join(first)), new AttemptResult.Busy(LEASE));
		assertThat(first.outcome()).isNull();
		assertPlaceIsFree(false);
	}

	@Test
	void aCallerWaitsFromAGrantOnThatHasExpiredOnItsWay() {
		Waiter first = only();
		this.queue.attemptAnswered(attempt(this.queue.join(first)), new AttemptResult.Granted(grant(Duration.ZERO)));
		assertThat(first.outcome()).isNull();
		assertPlaceIsFree(false);
	}

	@Test
	void aCallerWaitsFromTheFailureOfItsFirstAttemptOn() {
		Waiter first = only();
		this.queue.failed(attempt(this.queue.join(first)), FAILURE);
		assertThat(first.outcome()).isNull();
		assertPlaceIsFree(false);
	}

	@Test
	void furtherAnswersDoNotCountACallerAgain() {
		Waiter first = waiter(LEASE);
		Command.Attempt attempt = attempt(this.queue.join(first));
		this.queue.attemptAnswered(attempt, waiting());
		for (int i = 0; i < 3; i++) {
			this.queue.attemptAnswered(attempt(this.queue.retry(null)), waiting());
		}
		this.queue.failed(attempt(this.queue.retry(null)), FAILURE);
		Waiter second = waiter(LEASE, LEASE, 2);
		this.queue.join(second);
		assertThat(second.outcome()).isNull();
		this.queue.giveUp(second, false);
		this.queue.giveUp(first, false);
		assertThat(this.waiterCounts.add(only(), false)).as("nothing is left").isTrue();
		assertThat(this.waiterCounts.add(only(), true)).isTrue();
	}

	@Test
	void aCallerBehindAReleaseDoesNotWaitBeforeItsOwnAnswer() {
		Waiter inside = inside();
		Command.Release release = release(this.queue.release(holder(inside), deadline(), null));
		Waiter first = only();
		this.queue.join(first);
		assertThat(first.outcome()).isNull();
		Waiter behind = only();
		this.queue.join(behind);
		assertThat(behind.outcome()).isNull();
		assertPlaceIsFree(false);
		Command.Attempt attempt = attempt(this.queue.releaseAnswered(release, null));
		assertThat(first.outcome()).as("its first attempt is on its way now").isNull();
		this.queue.attemptAnswered(attempt, granted());
		holder(first);
	}

	@Test
	void aCallerWaitsFromTheFailureOfTheReleaseBeforeItOn() {
		Waiter inside = inside();
		Command.Release release = release(this.queue.release(holder(inside), deadline(), null));
		Waiter first = only();
		this.queue.join(first);
		Waiter behind = only();
		this.queue.join(behind);
		this.queue.failed(release, FAILURE);
		assertRefused(first);
		assertThat(behind.outcome()).isNull();
	}

	@Test
	void aCallerThatTriesOnceIsNeverCounted() {
		Command.Attempt attempt = attempt(this.queue.join(keeper(Duration.ZERO, LEASE)));
		this.queue.attemptAnswered(attempt, new AttemptResult.Busy(LEASE, null, true));
		assertThat(this.queue.snapshot().waiters()).as("it asks for the kept lock").isEqualTo(1);
		assertPlaceIsFree(true);
	}

	@Test
	void callersThatFailFreeTheirPlaces() {
		Waiter inside = inside();
		this.queue.join(waiter(LEASE));
		this.queue.join(waiter(LEASE));
		this.queue.failWaiters(FAILURE);
		assertPlaceIsFree(true);
		holder(inside);
	}

	@Test
	void aCallerEntersAKeptLockAlthoughOthersWait() {
		keepAfter(10);
		assertThat(this.waiterCounts.add(waiter(LEASE), true)).as("a reader waits").isTrue();
		Waiter next = new Waiter(
				new WaitRequest("key", LockMode.EXCLUSIVE, false, LEASE, LEASE, KEEP.toNanos(), 1, (since) -> {
				}), this.clock.nanoTime()) {

			@Override
			void wake() {
			}

		};
		this.queue.join(next);
		holder(next);
		assertPlaceIsFree(false);
	}

	@Test
	void theCallerForWhichAKeptLockIsGivenBackDoesNotWaitYet() {
		keepAfter(1 + 1);
		Waiter other = waiter(LEASE, LEASE.plusSeconds(1), 1);
		this.queue.join(other);
		assertThat(other.outcome()).isNull();
		assertPlaceIsFree(true);
		assertThat(other.outcome()).isNull();
	}

	@Test
	void aCallerWithItsOwnTicketIsCountedWhenItComesIfOthersWait() {
		inside();
		this.queue.join(only());
		KeyQueue own = ownQueue();
		Waiter reader = waiter(LEASE, LEASE, 2);
		Command.Attempt attempt = attempt(own.join(reader));
		Waiter third = waiter(LEASE, LEASE, 2);
		this.queue.join(third);
		assertRefused(third);
		own.attemptAnswered(attempt, waiting());
		assertThat(reader.outcome()).as("it has its place").isNull();
	}

	@Test
	void theTicketOfACallerThatIsRefusedAfterItsAttemptLeavesTheStore() {
		KeyQueue one = ownQueue();
		KeyQueue two = ownQueue();
		Waiter first = only();
		Waiter second = only();
		Command.Attempt attempt = attempt(one.join(first));
		Command.Attempt later = attempt(two.join(second));
		two.attemptAnswered(later, waiting());
		Effects effects = one.attemptAnswered(attempt, waiting());
		assertRefused(first);
		Command.Release cancel = release(effects);
		assertThat(cancel.pending.ticket).isEqualTo(attempt.ticket);
		assertThat(cancel.pending.releasesLock).isFalse();
		assertThat(effects.woken()).as("before the ticket has left").isEmpty();
		assertThat(one.releaseAnswered(cancel, null).woken()).containsExactly(first);
		assertThat(second.outcome()).isNull();
	}

	@Test
	void aGrantThatComesAfterTheRefusalIsReleased() {
		KeyQueue one = ownQueue();
		KeyQueue two = ownQueue();
		Command.Attempt attempt = attempt(one.join(only()));
		two.attemptAnswered(attempt(two.join(only())), waiting());
		Command.Release cancel = release(one.attemptAnswered(attempt, waiting()));
		assertThat(one.granted(attempt.ticket, new Grant(9, 9, Validity.until(this.clock.now(), LEASE))))
			.as("the queue knows the ticket, which leaves")
			.isNotNull();
		assertThat(cancel.pending.ticket).isEqualTo(attempt.ticket);
	}

}
