package io.github.distlock.engine;

import java.time.Duration;

import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.Validity;
import io.github.distlock.engine.Effects.Command;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the state of one key shows, what it keeps of a grant, and how several states of a
 * key count their waiters. {@link KeyStateTests} has what it decides.
 */
class KeyStateLifeTests {

	private static final Duration LEASE = KeyStateScenario.LEASE;

	private final KeyStateScenario scenario = new KeyStateScenario();

	private final KeyState state = this.scenario.state;

	@Test
	void aSnapshotShowsTheHolderTheWaitersAndWhetherACommandIsUnfinished() {
		this.scenario.steps("a joins");
		assertThat(this.state.snapshot()).isEqualTo(new KeySnapshot("key", null, 1, true, null, 0));
		this.scenario.steps("answer granted; b joins; c joins");
		Ticket ticket = this.scenario.hold("a").ticket;
		assertThat(this.state.snapshot()).isEqualTo(new KeySnapshot("key", ticket, 2, false,
				new StoredHolder(ticket.instance(), ticket.mode(), null, null, KeyStateScenario.FIRST_TOKEN), 0));
		this.scenario.steps("a leaves");
		assertThat(this.state.snapshot()).isEqualTo(new KeySnapshot("key", null, 2, true, null, 0));
	}

	@Test
	void theNextHolderGetsTheCurrentValidity() {
		this.scenario.steps("limits 3 50ms; a joins; answer granted 10; b joins; pass 10ms");
		Validity current = Validity.until(this.scenario.clock.now(), LEASE);
		Hold first = this.scenario.hold("a");
		first.holdLease.begin();
		first.holdLease.succeeded(current);
		this.state.tryHandOff(first);
		assertThat(this.scenario.hold("b").validity()).isSameAs(current);
	}

	@Test
	void theTicketOfACallerThatIsRefusedAfterItsAttemptLeavesTheStoreWithALateGrant() {
		KeyState one = this.scenario.newState();
		KeyState two = this.scenario.newState();
		Waiter first = this.scenario.caller("max 1");
		Waiter second = this.scenario.caller("max 1");
		Command.Attempt attempt = (Command.Attempt) one.join(first);
		Command.Attempt later = (Command.Attempt) two.join(second);
		two.attemptAnswered(later, queued());
		Effects effects = one.attemptAnswered(attempt, queued());
		assertThat(KeyStateScenario.text(first)).isEqualTo("is one too many");
		assertThat(effects.woken()).as("before the ticket has left").isEmpty();
		Command.Release cancel = (Command.Release) effects.command();
		assertThat(cancel.pending.ticket).isEqualTo(attempt.ticket);
		assertThat(cancel.pending.releasesLock).isFalse();
		assertThat(one.granted(attempt.ticket, new Grant(9, 9, Validity.until(this.scenario.clock.now(), LEASE))))
			.as("the queue knows the ticket, which leaves")
			.isNotNull();
		assertThat(one.releaseAnswered(cancel, null).woken()).containsExactly(first);
		assertThat(second.outcome()).isNull();
	}

	private static AttemptResult queued() {
		return new AttemptResult.Queued(Duration.ofSeconds(2), true);
	}

}
