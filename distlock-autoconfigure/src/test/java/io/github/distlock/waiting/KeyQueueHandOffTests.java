package io.github.distlock.waiting;

import java.time.Duration;

import io.github.distlock.HandOff;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.Validity;
import io.github.distlock.waiting.Effects.Command;
import io.github.distlock.waiting.Waiter.Outcome;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * When a lock is handed off inside the JVM, and when it goes back to the store.
 */
class KeyQueueHandOffTests extends KeyQueueFixture {

	private static final long FIRST_TOKEN = 100;

	private Validity validity = Validity.session(() -> Long.MAX_VALUE);

	@BeforeEach
	void allowHandOffs() {
		this.limits = new HandOffLimits(3, Duration.ofMillis(50));
	}

	@Test
	void theNextWaiterHoldsTheLockWithTheNextTokenWithoutACommand() {
		Waiter first = enter(10);
		Waiter second = joins();
		Effects effects = tryHandOff(first);
		assertThat(effects.command()).isNull();
		assertThat(effects.woken()).containsExactly(second);
		assertThat(holder(second).handOff()).isEqualTo(HandOff.LOCAL);
		assertThat(holder(second).fencingToken()).isEqualTo(FIRST_TOKEN + 1);
		assertThat(holder(second).ticket()).isEqualTo(holder(first).ticket());
		assertThat(tryHandOff(first)).as("by a holder that has left").isNull();
		assertThat(this.queue.release(holder(first), deadline(), null)).isNull();
	}

	@Test
	void theNextHolderGetsTheCurrentValidity() {
		Waiter first = enter(10);
		Waiter second = joins();
		this.clock.pass(Duration.ofMillis(10));
		this.validity = Validity.until(this.clock.now(), LEASE);
		tryHandOff(first);
		assertThat(holder(second).takeValidity()).isSameAs(this.validity);
	}

	@Test
	void theLastHolderReleasesWithItsOwnToken() {
		Waiter first = enter(10);
		Waiter second = joins();
		tryHandOff(first);
		assertThat(tryHandOff(second)).isNull();
		Command.Release release = release(this.queue.release(holder(second), deadline(), null));
		assertThat(release.pending.lastToken).isEqualTo(FIRST_TOKEN + 1);
		assertThat(release.next).isNull();
		this.queue.releaseAnswered(release, new ReleaseResult(true, null));
		assertThat(this.removed).isTrue();
	}

	@Test
	void afterTheBudgetTheJvmQueuesAgainBehindTheOthers() {
		Waiter holder = enter(10);
		for (int passed = 0; passed < 3; passed++) {
			Waiter next = joins();
			assertThat(tryHandOff(holder)).isNotNull();
			holder = next;
		}
		joins();
		assertThat(tryHandOff(holder)).isNull();
		Command.Release release = release(this.queue.release(holder(holder), deadline(), null));
		assertThat(release.pending.lastToken).isEqualTo(FIRST_TOKEN + 3);
		assertThat(release.next).isNotNull();
	}

	@Test
	void theTurnOfAJvmEndsAfterItsTime() {
		Waiter first = enter(10);
		Waiter second = joins();
		this.clock.pass(Duration.ofMillis(49));
		assertThat(tryHandOff(first)).isNotNull();
		joins();
		this.clock.pass(Duration.ofMillis(1));
		assertThat(tryHandOff(second)).isNull();
	}

	@Test
	void aHolderThatStaysForTheTimeOfTheTurnIsTheOnlyOneOfIt() {
		Waiter first = enter(10);
		joins();
		this.clock.pass(Duration.ofMillis(50));
		assertThat(tryHandOff(first)).isNull();
		Command.Release release = release(this.queue.release(holder(first), deadline(), null));
		assertThat(release.next).as("the JVM queues again behind the others").isNotNull();
	}

	@Test
	void withTooLittleLeaseLeftTheLockGoesBackToTheStore() {
		this.limits = new HandOffLimits(3, LEASE);
		Waiter first = enter(10);
		Waiter second = joins();
		this.clock.pass(LEASE.minus(Duration.ofMillis(2700)));
		assertThat(tryHandOff(first)).isNotNull();
		joins();
		this.clock.pass(Duration.ofMillis(200));
		assertThat(tryHandOff(second)).isNull();
	}

	@Test
	void aWaiterThatAsksForAnotherLeaseGetsItFromTheStore() {
		Waiter first = enter(10);
		this.queue.join(waiter(LEASE, LEASE.plusSeconds(1)));
		joins();
		assertThat(tryHandOff(first)).as("the order of arrival is kept").isNull();
		Command.Release release = release(this.queue.release(holder(first), deadline(), null));
		assertThat(release.next).isNotNull();
		assertThat(release.next.lease()).isEqualTo(LEASE.plusSeconds(1));
	}

	@Test
	void aWaiterThatHasGivenUpIsSkipped() {
		Waiter first = enter(10);
		Waiter second = joins();
		Waiter third = joins();
		this.queue.giveUp(second, true);
		tryHandOff(first);
		assertThat(second.outcome()).isInstanceOf(Outcome.Refused.class);
		assertThat(holder(third).fencingToken()).isEqualTo(FIRST_TOKEN + 1);
	}

	@Test
	void aRepeatedMessageOrReplyChangesNothing() {
		Waiter first = waiter(LEASE);
		Command.Attempt attempt = attempt(this.queue.join(first));
		this.queue.granted(attempt.ticket, tokens(10));
		Waiter second = joins();
		tryHandOff(first);
		Waiter third = joins();
		assertThat(this.queue.granted(attempt.ticket, tokens(10)).woken()).isEmpty();
		assertThat(this.queue.attemptAnswered(attempt, new AttemptResult.Granted(tokens(10))).woken()).isEmpty();
		assertThat(third.outcome()).isNull();
		assertThat(tryHandOff(second)).isNotNull();
		assertThat(holder(third).fencingToken()).isEqualTo(FIRST_TOKEN + 2);
	}

	@Test
	void oneOfSeveralTicketsRetriesAndTheOthersContinueToWait() {
		this.retriesForKey = false;
		Waiter first = waiter(LEASE);
		this.queue.attemptAnswered(attempt(this.queue.join(first)), waiting());
		this.clock.pass(Duration.ofSeconds(2));
		assertThat(this.queue.timerFired().command()).isNull();
		this.clock.pass(Duration.ofSeconds(2));
		this.retriesForKey = true;
		Command.Attempt again = attempt(this.queue.timerFired());
		this.queue.failed(again, FAILURE);
		this.retriesForKey = false;
		this.clock.pass(Duration.ofSeconds(1));
		Command.Attempt last = attempt(this.queue.timerFired());
		assertThat(last).as("the store owes an answer")
			.extracting((attempt) -> attempt.ticket, (attempt) -> attempt.lease, (attempt) -> attempt.options.queue())
			.containsExactly(again.ticket, again.lease, again.options.queue());
		this.queue.attemptAnswered(last, granted());
		assertThat(this.leftQueue).isTrue();
	}

	private Waiter enter(int tokens) {
		Waiter first = waiter(LEASE);
		Command.Attempt attempt = attempt(this.queue.join(first));
		this.queue.attemptAnswered(attempt, new AttemptResult.Granted(tokens(tokens)));
		assertThat(holder(first).fencingToken()).isEqualTo(FIRST_TOKEN);
		return first;
	}

	private Waiter joins() {
		Waiter waiter = waiter(LEASE);
		assertThat(this.queue.join(waiter).command()).isNull();
		return waiter;
	}

	/** Hand off with the current validity. */
	private Effects tryHandOff(Waiter from) {
		return this.queue.tryHandOff(holder(from), this.validity);
	}

	private Grant tokens(int count) {
		this.validity = Validity.until(this.clock.now(), LEASE);
		return new Grant(FIRST_TOKEN, FIRST_TOKEN + count - 1, this.validity);
	}

}
