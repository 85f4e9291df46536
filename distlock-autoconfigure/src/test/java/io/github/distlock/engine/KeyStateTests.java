package io.github.distlock.engine;

import java.time.Duration;
import java.util.stream.Stream;

import io.github.distlock.testing.StepCase;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.Validity;
import io.github.distlock.engine.Effects.Command;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The queue of one key, event by event. The first line of each case is its name; after
 * each arrow stands what followed from the step before it. {@link KeyStateScenario}
 * describes the steps. Further cases: what the state shows, what it keeps of a grant, and
 * how several states of a key count their waiters.
 */
class KeyStateTests {

	/** Callers wait, attempt, are granted the lock and release it. */
	private static final String WAITING = """
			the first caller attempts and a later one waits for its answer
			  a joins => attempt 1
			  b joins =>
			  answer granted => a enters 1:100 NONE
			a release queues the next waiter with the same command and a new ticket
			  a joins; answer granted; b joins; a leaves => release 1:100 then 2
			  answer released, granted => b enters 2:100 REMOTE
			  b leaves => release 2:100
			  answer released => over
			  c joins => ignored
			a successor without an answer attempts at once, since the store may not have queued it
			  a joins; answer granted; b joins; a leaves => release 1:100 then 2
			  answer gone => attempt 2
			a message may come before the reply, which a release waits for
			  a joins; message 1 => a enters 1:100 REMOTE
			  a leaves =>
			  answer queued => release 1:100
			a successor granted by message before the release is answered may leave before it too
			  a joins; answer granted; b joins; a leaves; message 2; b leaves =>
			  fails =>
			  pass 1s; timer => release 1:100
			  answer gone => release 2:100
			  answer released => over
			the queued ticket is kept while a caller waits and cancelled by the last
			  a joins; b joins; answer queued; a timesOut => a is refused
			  b givesUp => cancel 1, b has given up later
			  c joins =>
			  answer done => attempt 2, b is woken
			a grant that no caller wants is released
			  a joins; a givesUp; answer granted => release 1:100
			an expired grant is not used
			  a joins; answer queued; message 1 expired => attempt 1
			  answer granted expired =>
			a grant for an unknown ticket is refused
			  a joins; message 99 => ignored
			one answer ends the wait of a caller that tries once and others then queue
			  a joins once => attempt 1 once
			  b joins; answer busy => attempt 1, a is refused
			  c joins once => c is refused
			an attempt waits for the answer of a release
			  a joins; answer granted; a leaves => release 1:100
			  b joins once =>
			  answer released => attempt 2 once
			  answer granted => b enters 2:100 NONE
			a caller that may wait is queued after the busy answer to a caller that has given up
			  a joins once; a givesUp; b joins; answer busy => attempt 1
			a caller that finds the lock busy and does not wait sends nothing more
			  a joins once; answer busy => a is refused, over
			a failed command is repeated until the store has not answered for too long
			  a joins forever; fails =>
			  pass 1s; timer => attempt 1
			  pass 2s; fails => cancel 1, a fails
			  answer done => stray 1, over
			a store that is not set up ends all waits at once
			  a joins forever; b joins; failsForGood => cancel 1, a fails, b fails
			a wait that ends after a failure is not a time-out
			  a joins 1s; fails; a timesOut => cancel 1, a fails
			a wait whose ticket was never attempted is not a time-out
			  a joins; answer unattempted; b joins once => b fails
			  a timesOut => cancel 1, a fails later
			an attempt that found the lock held says more than those before and after it
			  a joins; b joins; c joins; answer unattempted; retry; answer unqueued; a timesOut => a is refused
			  retry; answer unattempted; b timesOut => b is refused
			a holder cannot release twice
			  a joins; answer granted; a leaves => release 1:100
			  a leaves => ignored
			a release without an answer is given up when the lease has passed
			  a joins; answer granted; a leaves; fails =>
			  pass 10s; timer => release 1:100
			  fails => over
			""";

	/** Commands that are not answered. */
	private static final String FAILURES = """
			a deferred release is repeated although a message granted its successor meanwhile
			  a joins; answer granted; b joins; a leaves; fails; message 2; b leaves; pass 1s; timer => release 1:100
			one failure after a long hold is not a long outage
			  a joins; answer granted; b joins; pass 4s; a leaves; fails =>
			  pass 3s; timer; fails => b fails
			a ticket whose attempt fails after its holder has left is cancelled once more
			  a joins; message 1; a leaves; fails => release 1:100
			  answer released => stray 1, over
			a ticket whose attempt fails while it is held is cancelled once more
			  a joins; message 1; fails; a leaves; answer released => stray 1, over
			a ticket whose attempt failed before it was granted is cancelled once more
			  a joins; fails; message 1; a leaves; answer released => stray 1, over
			a fair caller whose grant has expired retries itself
			  othersRetry true; a joins; answer granted expired; pass 20ms; timer => attempt 1
			a time-out before the first answer becomes a failure if that attempt fails
			  a joins 300ms; pass 300ms; a timesOut => a is refused later
			  fails => cancel 1, a fails
			a time-out after an answer stays a time-out if the next attempt fails
			  a joins 300ms; answer queued; retry; pass 300ms; a timesOut => a is refused later
			  fails => cancel 1, a is woken
			a caller that gave up before the first answer gets no failure
			  a joins; a givesUp => a has given up later
			  fails => cancel 1, a is woken
			one of several tickets retries and the others continue to wait
			  othersRetry true; a joins; answer queued; pass 2s; timer =>
			  othersRetry false; pass 2s; timer => attempt 1
			  othersRetry true; fails; pass 1s; timer => attempt 1
			  answer granted; order => left
			a fair caller that gives up leaves the order at once
			  a joins; answer queued; a timesOut; fails; order => left
			a ticket is last again only if it was queued before
			  a joins; answer unqueued; retry; answer queued; order => as before
			  retry; answer queued; order => last again
			also if an unanswered attempt queued it
			  a joins; fails; retry; answer unqueued; order => as before
			  retry; answer queued; order => last again
			""";

	/**
	 * Which lease the ticket asks for when its callers ask for different ones, and how a
	 * caller that gives up or tries once leaves.
	 */
	private static final String LEASES = """
			the ticket asks for the lease of the caller that is first now
			  a joins lease 1h => attempt 1 for PT1H
			  answer queued; b joins =>
			  a timesOut => attempt 1, a is refused
			  answer queued =>
			  message 1 => b enters 1:100 REMOTE
			also if that is longer
			  a joins lease 100ms => attempt 1 for PT0.1S
			  answer queued; b joins =>
			  a timesOut => attempt 1, a is refused
			a grant for the long lease of a caller that has left is given back
			  a joins; answer granted; b joins lease 1h; a leaves => release 1:100 then 2 for PT1H
			  c joins; b timesOut; answer released, granted => release 2:100 then 3
			  answer released, granted => c enters 3:100 REMOTE
			a caller that asks once ends with a grant that has passed
			  a joins once lease 100ms; answer granted expired => cancel 1, a is refused later
			  answer done => a is woken, over
			a caller that gives up is woken when its ticket has left
			  a joins; answer queued; a timesOut => cancel 1, a is refused later
			  answer done => a is woken, over
			a caller that gives up is woken when its cancel fails
			  a joins; answer queued; a timesOut; fails => a is woken
			a caller that gives up is woken when all waiters fail
			  a joins; answer queued; a timesOut; waitersFail => a is woken
			a caller that gives up while others keep the ticket returns at once
			  a joins; answer queued; b joins; a timesOut => a is refused
			a caller that gives up while the store is down returns at once
			  a joins; fails; a timesOut => cancel 1, a fails
			a caller that gives up while its attempt is on its way returns when its ticket has left
			  a joins; a timesOut => a is refused later
			  answer queued => cancel 1
			  answer done => a is woken, over
			""";

	/** When a lock is handed off inside the JVM, and when it goes back to the store. */
	private static final String HAND_OFFS = """
			the next waiter holds the lock with the next token without a command
			  limits 3 50ms; a joins; answer granted 10; b joins; a handsOff => b enters 1:101 LOCAL
			  a handsOff => ignored
			  a leaves => ignored
			a holder that has handed the lock off does not do it again
			  limits 3 50ms; a joins; answer granted 10; b joins; c joins; a handsOff => b enters 1:101 LOCAL
			  a handsOff => ignored
			the last holder releases with its own token
			  limits 3 50ms; a joins; answer granted 10; b joins; a handsOff; b handsOff => ignored
			  b leaves => release 1:101
			  answer released => over
			after the budget the JVM queues again behind the others
			  limits 3 50ms; a joins; answer granted 10; b joins; a handsOff; c joins; b handsOff; d joins; c handsOff
			  e joins; d handsOff => ignored
			  d leaves => release 1:103 then 2
			a lock is not handed off without another token of its grant
			  limits 3 50ms; a joins; answer granted 2; b joins; a handsOff => b enters 1:101 LOCAL
			  c joins; b handsOff => ignored
			the turn of a JVM ends after its time
			  limits 3 50ms; a joins; answer granted 10; b joins; pass 49ms; a handsOff => b enters 1:101 LOCAL
			  c joins; pass 1ms; b handsOff => ignored
			a holder that stays for the time of the turn is the only one of it
			  limits 3 50ms; a joins; answer granted 10; b joins; pass 50ms; a handsOff => ignored
			  a leaves => release 1:100 then 2
			with too little lease left the lock goes back to the store
			  limits 3 10s; a joins; answer granted 10; b joins; pass 7300ms; a handsOff => b enters 1:101 LOCAL
			  c joins; pass 200ms; b handsOff => ignored
			a waiter that asks for another lease gets it from the store
			  limits 3 50ms; a joins; answer granted 10; b joins lease 11s; c joins; a handsOff => ignored
			  a leaves => release 1:100 then 2 for PT11S
			a shorter lease of the holder does not prevent a hand-off
			  limits 3 50ms; a joins; answer granted 10; b joins; a takesOver; a expiresAfter 9s
			  a handsOff => b enters 1:101 LOCAL
			a waiter that has given up is skipped
			  limits 3 50ms; a joins; answer granted 10; b joins; c joins; b timesOut => b is refused
			  a handsOff => c enters 1:101 LOCAL
			without time for a turn a waiter gets no lock from another one
			  limits 10 0s; a joins; answer granted 10; b joins; a handsOff => ignored
			a repeated message or reply changes nothing
			  limits 3 50ms; a joins; message 1 10; b joins; a handsOff => b enters 1:101 LOCAL
			  c joins; message 1 10 =>
			  answer granted 10 =>
			  b handsOff => c enters 1:102 LOCAL
			""";

	/** A sweep repeats what an error, or a task that no thread took, has prevented. */
	private static final String SWEEPS = """
			the lock of a holder that has left is released
			  a joins; answer granted; sweep =>
			  a isGone; sweep => release 1:100
			its release is repeated for a whole lease, which the store may have
			  a joins; answer granted; pass 9s; a isGone; sweep => release 1:100
			  pass 2s; fails; pass 1s; timer => release 1:100
			a grant that no caller has taken over is released when it has expired
			  a joins; answer granted; pass 10s; sweep => release 1:100
			a grant that a caller has taken over is not
			  a joins; answer granted; a takesOver; pass 10s; sweep =>
			a lock that its holder is releasing is not
			  a joins; answer granted; a takesOver; a isReleasing; pass 10s; sweep =>
			a lock whose last level is left is released if an error has prevented that
			  a joins; answer granted; a takesOver; a leavesItsLevel; sweep 2 =>
			  sweep => release 1:100
			  answer released => over
			so is one whose release had begun
			  a joins; answer granted; a takesOver; a leavesItsLevel; a isReleasing; sweep 2 =>
			  sweep => release 1:100
			a ticket that waits without a timer is attempted again
			  noTimers; a joins; answer queued; sweep =>
			  pass 2s; sweep => attempt 1
			a grant by message ends no command
			  a joins; message 1; a leaves =>
			  answer queued => release 1:100
			an attempt whose event is missing is repeated
			  a joins; ends; sweep =>
			  sweep =>
			  pass 1s; sweep => attempt 1
			  lateAnswer granted => ignored
			  answer granted => a enters 1:100 NONE
			  a leaves; answer released => stray 1, over
			a release whose event is missing is repeated
			  a joins; answer granted; a leaves; ends; sweep; sweep =>
			  pass 1s; sweep => release 1:100
			a command that no thread sends is not sent any more after two minutes
			  full; a joins once; sweep 120 =>
			  sweep => a fails, over
			  send => not sent
			an attempt that is not sent when its last caller gives up is not sent any more
			  full; a joins; b joins; a givesUp => a has given up
			  b timesOut => b is refused, over
			  send => not sent
			an attempt that is not sent when its callers fail is not sent any more
			  full; a joins; waitersFail => a fails, over
			a ticket that waits in the store is cancelled although its next attempt is not sent
			  a joins; answer queued; full; retry => attempt 1
			  a givesUp => cancel 1, a has given up later
			a ticket with an unanswered attempt is cancelled although the next one is not sent
			  a joins; fails; full; pass 1s; timer => attempt 1
			  a givesUp => cancel 1, a has given up
			a successor of which the store may know is cancelled although its attempt is not sent
			  a joins; answer granted; b joins; a leaves; full; answer gone => attempt 2
			  b givesUp => cancel 2, b has given up later
			an attempt that fails without being sent leaves nothing to cancel
			  full; a joins once; fails => a fails, over
			  b joins => ignored
			an attempt that fails without being sent is sent after a while
			  full; a joins; fails =>
			  pass 1s; timer => attempt 1
			  a givesUp => a has given up, over
			a command that has just ended is not lost however long it took
			  a joins; sweep 120; ends; sweep; answer granted => a enters 1:100 NONE
			""";

	/** How many callers may wait: which are counted, from when on and until when. */
	private static final String LIMITS = """
			the caller whose first attempt is on its way does not wait
			  a joins; b joins max 1; place => taken
			  answer granted => a enters 1:100 NONE
			  place => taken
			a caller is the next one when its first attempt does not get the lock
			  a joins max 1; b joins max 1; answer queued => a is one too many
			  message 1 => b enters 1:100 REMOTE
			a caller waits from the answer to its first attempt on
			  a joins max 1; answer busy; place => taken
			a caller waits from a grant on that has expired on its way
			  a joins max 1; answer granted expired; place => taken
			a caller waits from the failure of its first attempt on
			  a joins max 1; fails; place => taken
			further answers do not count a caller again
			  a joins; answer queued; retry; answer queued; retry; answer queued; retry; answer queued; retry; fails
			  b joins max 2 =>
			  b givesUp; a givesUp; place => free
			a caller behind a release does not wait before its own answer
			  a joins; answer granted; a leaves; b joins max 1; c joins max 1 =>
			  place => taken
			  answer done => attempt 2
			  answer granted => b enters 2:100 NONE
			a caller waits from the failure of the release before it on
			  a joins; answer granted; a leaves; b joins max 1; c joins max 1; fails => b is one too many
			callers that fail free their places
			  a joins; answer granted; b joins; c joins; waitersFail => b fails, c fails
			  place => free
			""";

	static Stream<StepCase> cases() {
		return StepCase.of(WAITING, FAILURES, LEASES, HAND_OFFS, SWEEPS, LIMITS);
	}

	@ParameterizedTest
	@MethodSource("cases")
	void theQueueDecides(StepCase each) {
		each.check(this.scenario::steps);
	}

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
		Waiter third = this.scenario.caller("max 1");
		assertThat(this.scenario.newState().join(third).command()).as("the place of the second is known").isNull();
		assertThat(KeyStateScenario.text(third)).isEqualTo("is one too many");
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
