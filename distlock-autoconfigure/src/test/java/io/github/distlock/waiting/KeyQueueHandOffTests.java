package io.github.distlock.waiting;

import java.time.Duration;

import io.github.distlock.HandOff;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.Validity;
import io.github.distlock.testing.TestHandOff;
import io.github.distlock.waiting.Waiter.Outcome;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * When a lock stays in the JVM, and when it goes back to the store.
 */
class KeyQueueHandOffTests extends OneKey {

	private static final long FIRST_TOKEN = 100;

	private Validity validity = Validity.session();

	@BeforeEach
	void allowHandOffs() {
		this.limits = new HandOffLimits(3, Duration.ofMillis(50));
	}

	@Test
	void theNextOneEntersWithTheNextTokenAndNothingIsSent() {
		Waiter first = enter(10);
		Waiter second = joins();
		Effects steps = handOn(first);
		assertThat(steps.command()).isNull();
		assertThat(steps.woken()).containsExactly(second);
		assertThat(admission(second).handOff()).isEqualTo(HandOff.LOCAL);
		assertThat(admission(second).fencingToken()).isEqualTo(FIRST_TOKEN + 1);
		assertThat(admission(second).ticket()).isEqualTo(admission(first).ticket());
		assertThat(handOn(first)).as("by one who has left").isNull();
		assertThat(this.entry.depart(admission(first), deadline())).isNull();
	}

	@Test
	void theNextOneIsToldOfTheRenewalsSoFar() {
		Waiter first = enter(10);
		Waiter second = joins();
		this.clock.pass(Duration.ofMillis(10));
		this.validity = Validity.until(this.clock.now(), LEASE);
		handOn(first);
		assertThat(admission(second).takeValidity()).isSameAs(this.validity);
	}

	@Test
	void theLastOfThemReleasesWithItsOwnToken() {
		Waiter first = enter(10);
		Waiter second = joins();
		handOn(first);
		assertThat(handOn(second)).isNull();
		Command.Leave leave = leave(this.entry.depart(admission(second), deadline()));
		assertThat(leave.exit().lastToken).isEqualTo(FIRST_TOKEN + 1);
		assertThat(leave.next()).isNull();
		this.entry.left(leave.exit(), new ReleaseResult(true, null));
		assertThat(this.removed).isTrue();
	}

	@Test
	void afterTheBudgetTheJvmQueuesAgainBehindTheOthers() {
		Waiter holder = enter(10);
		for (int passed = 0; passed < 3; passed++) {
			Waiter next = joins();
			assertThat(handOn(holder)).isNotNull();
			holder = next;
		}
		joins();
		assertThat(handOn(holder)).isNull();
		Command.Leave leave = leave(this.entry.depart(admission(holder), deadline()));
		assertThat(leave.exit().lastToken).isEqualTo(FIRST_TOKEN + 3);
		assertThat(leave.next()).isNotNull();
	}

	@Test
	void aGrantWithoutAnotherTokenGoesBack() {
		Waiter first = enter(2);
		Waiter second = joins();
		handOn(first);
		joins();
		assertThat(handOn(second)).isNull();
	}

	@Test
	void theTurnOfAJvmEndsAfterItsTime() {
		Waiter first = enter(10);
		Waiter second = joins();
		this.clock.pass(Duration.ofMillis(49));
		assertThat(handOn(first)).isNotNull();
		joins();
		this.clock.pass(Duration.ofMillis(1));
		assertThat(handOn(second)).isNull();
	}

	@Test
	void withTooLittleOfTheLeaseLeftItGoesBack() {
		this.limits = new HandOffLimits(3, LEASE);
		Waiter first = enter(10);
		Waiter second = joins();
		this.clock.pass(LEASE.minus(Duration.ofMillis(2700)));
		assertThat(handOn(first)).isNotNull();
		joins();
		this.clock.pass(Duration.ofMillis(200));
		assertThat(handOn(second)).isNull();
	}

	@Test
	void oneWhoAsksForAnotherLeaseAsksTheStoreForIt() {
		Waiter first = enter(10);
		this.entry.join(waiter(LEASE, LEASE.plusSeconds(1)));
		joins();
		assertThat(handOn(first)).as("nobody overtakes him").isNull();
		Command.Leave leave = leave(this.entry.depart(admission(first), deadline()));
		assertThat(leave.next()).isNotNull();
		assertThat(leave.next().lease()).isEqualTo(LEASE.plusSeconds(1));
	}

	@Test
	void whoHasGivenUpIsPassedOver() {
		Waiter first = enter(10);
		Waiter second = joins();
		Waiter third = joins();
		this.entry.giveUp(second, true);
		handOn(first);
		assertThat(second.outcome()).isInstanceOf(Outcome.TimedOut.class);
		assertThat(admission(third).fencingToken()).isEqualTo(FIRST_TOKEN + 1);
	}

	@Test
	void aMessageOrAReplyThatComesAgainChangesNothing() {
		Waiter first = waiter(LEASE);
		Command.Attempt attempt = attempt(this.entry.join(first));
		this.entry.granted(attempt.ticket(), tokens(10));
		Waiter second = joins();
		handOn(first);
		Waiter third = joins();
		assertThat(this.entry.granted(attempt.ticket(), tokens(10)).woken()).isEmpty();
		assertThat(this.entry.attempted(attempt, new AttemptResult.Granted(tokens(10))).woken()).isEmpty();
		assertThat(third.outcome()).isNull();
		assertThat(handOn(second)).isNotNull();
		assertThat(admission(third).fencingToken()).isEqualTo(FIRST_TOKEN + 2);
	}

	@Test
	void withoutABudgetItAlwaysGoesBack() {
		this.limits = TestHandOff.NONE;
		Waiter first = enter(10);
		joins();
		assertThat(handOn(first)).isNull();
	}

	@Test
	void oneOfSeveralTicketsLooksAgainAndTheOthersGoOnWaiting() {
		this.lookout = false;
		Waiter first = waiter(LEASE);
		this.entry.attempted(attempt(this.entry.join(first)), waiting());
		this.clock.pass(Duration.ofSeconds(2));
		assertThat(this.entry.ring().command()).isNull();
		this.clock.pass(Duration.ofSeconds(2));
		this.lookout = true;
		Command.Attempt again = attempt(this.entry.ring());
		this.entry.attemptFailed(again, FAILURE);
		this.lookout = false;
		this.clock.pass(Duration.ofSeconds(1));
		Command.Attempt last = attempt(this.entry.ring());
		assertThat(last).as("the store owes an answer")
			.extracting(Command.Attempt::ticket, Command.Attempt::lease, Command.Attempt::queue)
			.containsExactly(again.ticket(), again.lease(), again.queue());
		this.entry.attempted(last, granted());
		assertThat(this.admitted).isTrue();
	}

	private Waiter enter(int tokens) {
		Waiter first = waiter(LEASE);
		Command.Attempt attempt = attempt(this.entry.join(first));
		this.entry.attempted(attempt, new AttemptResult.Granted(tokens(tokens)));
		assertThat(admission(first).fencingToken()).isEqualTo(FIRST_TOKEN);
		return first;
	}

	private Waiter joins() {
		Waiter waiter = waiter(LEASE);
		assertThat(this.entry.join(waiter).command()).isNull();
		return waiter;
	}

	/** Nothing has been renewed meanwhile. */
	private Effects handOn(Waiter from) {
		return this.entry.handOn(admission(from), this.validity);
	}

	private Grant tokens(int count) {
		this.validity = Validity.until(this.clock.now(), LEASE);
		return new Grant(FIRST_TOKEN, FIRST_TOKEN + count - 1, this.validity);
	}

}
