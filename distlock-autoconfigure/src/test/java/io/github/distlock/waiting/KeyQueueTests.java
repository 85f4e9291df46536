package io.github.distlock.waiting;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The queue of one key, event by event. The first line of each case is its name; after
 * each arrow stands what followed from the step before it. {@link KeyQueueScenario}
 * describes the steps.
 */
class KeyQueueTests {

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
			a caller that finds the lock busy and does not wait sends nothing more
			  a joins once; answer busy => a is refused, over
			a failed command is repeated until the store has not answered for too long
			  a joins forever; fails =>
			  pass 1s; timer => attempt 1
			  pass 2s; fails => cancel 1, a fails
			  answer done => stray 1, over
			a wait that ends after a failure is not a time-out
			  a joins 1s; fails; a timesOut => cancel 1, a fails
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

	/** How a caller that tries once gets a lock that another JVM keeps. */
	private static final String ASKING = """
			the ticket of a try that meets a kept lock is queued and wants an answer
			  a joins once => attempt 1 once
			  answer kept => attempt 1 answer
			a try gets the lock that the other JVM releases
			  a joins once; answer kept; answer first =>
			  message 1 => a enters 1:100 REMOTE
			a try that is refused fails when its ticket has left
			  a joins once; answer kept; answer first; refused 1 => cancel 1, a is refused later
			  answer done => a is woken, over
			a refusal that comes before the answer of the attempt cancels after it
			  a joins once; answer kept; refused 1 => a is refused later
			  answer first => cancel 1
			a try behind others fails at once
			  a joins once; answer kept; answer queued => cancel 1, a is refused later
			a try without an answer fails after one command time-out
			  a joins once; answer kept; answer first; pass 1999ms; timer =>
			  pass 1ms; timer => cancel 1, a is refused later
			a try whose answer is not late goes on after an error of the timer
			  a joins once; answer kept; answer first; sweep =>
			a try whose second attempt fails gets the failure
			  a joins once; answer kept; fails => cancel 1, a fails
			a try for which no timer can be set fails with a sweep after its time
			  noTimers; a joins once; answer kept; pass 2s; sweep => a is refused later
			a refusal changes nothing for other tickets and for callers that wait
			  a joins; answer first; refused 1 =>
			  refused 2 =>
			a refusal of an earlier ticket changes nothing for a try that asks
			  a joins once; answer kept; refused 2 =>
			a refused try does not take its ticket from a caller that waits
			  a joins once; answer kept; b joins; answer first; refused 1 => a is refused
			  message 1 => b enters 1:100 REMOTE
			a second try fails at once while the first one asks
			  a joins once; answer kept; b joins once => b is refused
			a caller that may wait is queued without an answer
			  a joins once; a givesUp; b joins; answer kept => attempt 1
			a try that gives up while it asks is cancelled
			  a joins once; answer kept; a givesUp; answer first => cancel 1
			  answer released => a is woken, over
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
			the last holder releases with its own token
			  limits 3 50ms; a joins; answer granted 10; b joins; a handsOff; b handsOff => ignored
			  b leaves => release 1:101
			  answer released => over
			after the budget the JVM queues again behind the others
			  limits 3 50ms; a joins; answer granted 10; b joins; a handsOff; c joins; b handsOff; d joins; c handsOff
			  e joins; d handsOff => ignored
			  d leaves => release 1:103 then 2
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
			a waiter that has given up is skipped
			  limits 3 50ms; a joins; answer granted 10; b joins; c joins; b timesOut => b is refused
			  a handsOff => c enters 1:101 LOCAL
			while no other JVM asks a hand-off may begin later than the ordinary turn
			  limits 10 5ms; a joins keep 5ms; answer granted 10 marked; b joins keep 5ms; pass 900ms
			  a handsOff => b enters 1:101 LOCAL keepable
			  b keeps => kept
			without hand-offs a waiter gets no lock from another one but a caller enters a kept lock
			  limits 10 0s; a joins keep 5ms; answer granted 10 marked; b joins keep 5ms; a handsOff => ignored
			  b givesUp; a keeps => kept
			  c joins keep 5ms => c enters 1:101 KEPT keepable
			after a request the ordinary turn limits hold
			  limits 10 5ms; a joins keep 5ms; answer granted 10 marked; asked 1; b joins keep 5ms; pass 5ms
			  a handsOff => ignored
			a repeated message or reply changes nothing
			  limits 3 50ms; a joins; message 1 10; b joins; a handsOff => b enters 1:101 LOCAL
			  c joins; message 1 10 =>
			  answer granted 10 =>
			  b handsOff => c enters 1:102 LOCAL
			""";

	/**
	 * When a lock stays in the store after its last holder, and which caller enters it.
	 */
	private static final String KEEPING = """
			a lock is kept without a command after its last holder
			  a joins keep 5ms => attempt 1 keepable
			  answer granted 10 marked; a keeps => kept
			  timers => [PT0.005S]
			  a leaves => ignored
			a grant that the store has not marked is not kept
			  a joins keep 5ms; answer granted; a keeps => ignored
			a grant that came by message is not kept
			  a joins keep 5ms; answer queued; message 1; a keeps => ignored
			a holder that does not ask for it does not keep a marked grant
			  a joins keep 5ms; b joins; a givesUp; answer granted 10 marked => b enters 1:100 NONE keepable
			  b keeps => ignored
			a lock is not kept without another token
			  a joins keep 5ms; answer granted 1 marked; a keeps => ignored
			a lock is not kept if too little of its lease is left
			  a joins keep 5ms; answer granted 10 marked; a keeps 2510ms => ignored
			  a keeps 2560ms => kept
			a lock is not kept if an attempt of its ticket was not answered
			  a joins keep 5ms; fails; pass 1s; timer; answer granted 10 marked; a keeps => ignored
			a turn of kept entries ends one second after the grant
			  a joins keep 5ms; answer granted 10 marked; pass 999ms; a keeps => kept
			  b joins keep 5ms; pass 1ms; b keeps => ignored
			the next caller enters with the next token without a command
			  a joins keep 5ms; answer granted 10 marked; a keeps; pass 4ms; b joins keep 5ms => b enters 1:101 KEPT keepable
			  pass 1ms; timer =>
			a caller that tries once enters too
			  a joins keep 5ms; answer granted 10 marked; a keeps; b joins once => b enters 1:101 KEPT keepable
			every token of the grant is used once and none behind it
			  a joins keep 5ms; answer granted 3 marked; a keeps; b joins keep 5ms; b keeps
			  c joins keep 5ms => c enters 1:102 KEPT keepable
			  c keeps => ignored
			  c leaves => release 1:102
			no caller enters after the deadline of the grant and its release queues the caller
			  a joins lease 600ms keep 5ms; answer granted 10 marked; a keeps 600ms; pass 600ms
			  b joins lease 600ms keep 5ms => release 1:100 then 2 for PT0.6S unawaited
			no caller enters after the machine was suspended
			  a joins keep 5ms; answer granted 10 marked; a keeps; suspend 10s
			  b joins keep 5ms => release 1:100 then 2 unawaited
			a caller with another lease attempts with the release of the kept lock
			  a joins keep 5ms; answer granted 10 marked; a keeps; b joins once lease 11s keep 5ms => release 1:100 then 2 for PT11S unawaited
			  answer released, granted => b enters 2:100 REMOTE for PT11S
			  b keeps => ignored
			a busy answer of a store that does not keep ends a try at once
			  a joins once keep 5ms; answer busy => a is refused, over
			a grant message for the kept ticket is known and ignored
			  a joins keep 5ms; answer granted 10 marked; a keeps; message 1 =>
			""";

	/**
	 * When a kept lock goes back to the store, and what the request of another JVM
	 * changes.
	 */
	private static final String GIVING_BACK = """
			a kept lock goes back when another JVM asks for it
			  a joins keep 5ms; answer granted 10 marked; a keeps; asked 1 => release 1:100 unawaited
			  answer released => over
			a caller that comes after the request attempts behind the release
			  a joins keep 5ms; answer granted 10 marked; a keeps; asked 1; b joins keep 5ms =>
			  answer released => attempt 2 keepable
			a lock that another JVM has asked for is refused while it is held and not kept afterwards
			  a joins keep 5ms; answer granted 10 marked; asked 1 => ignored
			  a keeps => ignored
			a request that comes before the answer of the attempt counts for its grant
			  a joins keep 5ms; asked 1 => ignored
			  answer granted 10 marked; a keeps => ignored
			a request is forgotten with its ticket
			  a joins keep 5ms; answer granted 10 marked; asked 1; a leaves; b joins keep 5ms
			  answer released; answer granted 10 marked; b keeps => kept
			a request for another ticket changes nothing
			  a joins keep 5ms; answer granted 10 marked; a keeps; asked other =>
			  b joins keep 5ms; asked other =>
			  b keeps => kept
			a lock whose requests may be lost while it is held or attempted is not kept
			  a joins keep 5ms; answer granted 10 marked; requestsMayBeLost =>
			  a keeps => ignored
			  a leaves; b joins keep 5ms; answer released; requestsMayBeLost; answer granted 10 marked; b keeps => ignored
			a kept lock goes back at the end of the keep time
			  a joins keep 5ms; answer granted 10 marked; a keeps; pass 4ms; timer =>
			  pass 1ms; timer => release 1:100 unawaited
			a kept lock goes back when the turn ends
			  a joins keep 1s; answer granted 10 marked; pass 930ms; a keeps; timers => [PT0.07S]
			  pass 69ms; timer =>
			  pass 1ms; timer => release 1:100 unawaited
			a kept lock without a timer goes back with a sweep after its time
			  noTimers; a joins keep 5ms; answer granted 10 marked; a keeps; sweep =>
			  pass 5ms; sweep => release 1:100 unawaited
			giving back changes nothing for a lock that is held
			  a joins keep 5ms; answer granted 10 marked; giveBack =>
			  a keeps => kept
			the release of a kept lock is repeated if it fails
			  a joins keep 5ms; answer granted 10 marked; a keeps; asked 1; fails =>
			  pass 1s; timer => release 1:100
			an attempt waits for the answer of a release in the background
			  a joins; answer granted; a leaves inBackground => release 1:100 unawaited
			  b joins once =>
			  answer released => attempt 2 once
			  answer granted => b enters 2:100 NONE
			a repetition of a release in the background is not reported again
			  a joins; answer granted; a leaves inBackground => release 1:100 unawaited
			  fails =>
			  pass 1s; timer => release 1:100
			a kept lock goes back as soon as too little of its lease is left for a caller
			  a joins lease 300ms keep 1s; answer granted 10 marked; a keeps 300ms; timers => [PT0.145S]
			a later keep time needs no timer as long as one will fire
			  a joins keep 5ms; answer granted 10 marked; a keeps; pass 10ns; b joins keep 5ms; b keeps
			  pass 10ns; c joins keep 5ms; c keeps; timers => [PT0.005S]
			  pass 4999980ns; timer =>
			  timers => [PT0.00000002S]
			""";

	/** A sweep repeats what an error, or a task that no thread took, has prevented. */
	private static final String SWEEPS = """
			the lock of a holder that has left is released
			  a joins; answer granted; sweep =>
			  a isGone; sweep => release 1:100
			a grant that no caller has taken over is released when it has expired
			  a joins; answer granted; pass 10s; sweep => release 1:100
			a grant that a caller has taken over is not
			  a joins; answer granted; a takesOver; pass 10s; sweep =>
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
			  a joins once; sweep 120 =>
			  sweep => cancel 1, a fails
			  send => not sent
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
			a caller that tries once is never counted
			  a joins once keep 5ms; answer kept; place => free
			callers that fail free their places
			  a joins; answer granted; b joins; c joins; waitersFail => b fails, c fails
			  place => free
			the caller for which a kept lock is given back does not wait yet
			  a joins keep 5ms; answer granted 2 marked; a keeps; b joins lease 11s max 1; place => free
			""";

	static Stream<Case> cases() {
		return Stream.of(WAITING, FAILURES, ASKING, LEASES, HAND_OFFS, KEEPING, GIVING_BACK, SWEEPS, LIMITS)
			.flatMap((table) -> Arrays.stream(table.split("\n(?! )")))
			.map((text) -> new Case(text.lines().toList()));
	}

	@ParameterizedTest
	@MethodSource("cases")
	void theQueueDecides(Case each) {
		KeyQueueScenario scenario = new KeyQueueScenario();
		for (String line : each.lines.subList(1, each.lines.size())) {
			String[] parts = line.split("=>", -1);
			String last = scenario.steps(parts[0]);
			if (parts.length > 1) {
				assertThat(last).as(line).isEqualTo(parts[1].strip());
			}
		}
	}

	/** A case: its name, then its steps and what followed from them. */
	record Case(List<String> lines) {

		@Override
		public String toString() {
			return this.lines.get(0);
		}

	}

}
