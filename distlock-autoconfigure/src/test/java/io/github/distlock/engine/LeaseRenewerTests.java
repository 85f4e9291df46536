package io.github.distlock.engine;

import java.time.Duration;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.github.distlock.LockRequest;
import io.github.distlock.LossCause;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.Validity;
import io.github.distlock.engine.Hold.ReleaseOutcome;
import io.github.distlock.engine.Waiter.ThreadWaiter;
import io.github.distlock.environment.EngineEnvironment;
import io.github.distlock.testing.StepCase;
import io.github.distlock.thread.LockLog;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static io.github.distlock.testing.FlushedLog.flushed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The watchdog, step by step: {@link RenewalScenario} describes the steps. Further cases:
 * what is written to the log, and reports of a loss.
 */
@ExtendWith(OutputCaptureExtension.class)
class LeaseRenewerTests {

	/** When leases are renewed, and in which batches. */
	private static final String RENEWALS = """
			a lease is renewed each time a third of it has passed
			  watch a; pass 9s =>
			  pass 92s => 10 x a
			  a => held
			renewals that are due together share a batch of at most a hundred
			  watch 250; pass 11s => 2 x 100, 50
			batches wait in order while sixty-four are under way and each end frees a place
			  store withholds; watch 6400; pass 6s; watch first; pass 6s; watch second; pass 11s => 64 x 100
			  first => held at risk
			  second => held
			  fail 7 => first
			  answer 3 => second
			  answer 64; first => held
			  pass 1500ms => 100
			a batch that no driver ends is renewed again
			  watch a lease 6m; store withholds; pass 121s => a
			  store answers; pass 122s => a
			  a => held
			  answer 0; pass 3m => a
			  a => held
			leases that began at different moments soon share one round
			  watch 10000 each 1ms; pass 30s => 50 x 100, k5000, 300 x 100
			  pass 100s => 1000 x 100
			nothing is sent while no lease is due
			  watch short for 12s; pass 6s; watch a; pass 7s => short: its lease has expired
			lateness counts from the planned time until a renewal succeeds
			  watch a; store fails; pass 10100ms; late => no
			  pass 2900ms; store answers; pass 1s; late => 4s
			  pass 10s; late => no
			a lease that is renewed early with others is not late
			  watch a; pass 4s; watch b; pass 6s => 2
			  late => no
			a failed renewal is repeated sooner and a lease that expires is lost once
			  watch a; store fails; pass 20s => 11 x a
			  a => held at risk
			  pass 10s => 41 x a, a: its lease has expired, since the store confirmed no renewal in time
			  failed => 52
			  store answers; pass 60s =>
			  a => lost
			  watched => 0
			a lease that the store refuses is sent alone and at once
			  watch 10; store refuses k3; pass 11s => 10, k0, k1, k2, k3, k4, k5, k6, k7, k8, k9, k3
			a lease that the store refuses costs no neighbour
			  watch 10; store refuses k3; pass 35s; losses => k3: its lease has expired, since the store confirmed no renewal in time
			  held => 9
			a lease at which the store throws costs no neighbour
			  watch 10; store throws k3; pass 35s; losses => k3: its lease has expired, since the store confirmed no renewal in time
			  held => 9
			a lease whose answer throws costs no neighbour
			  watch 10; store garbles k3; pass 35s; losses => k3: its lease has expired, since the store confirmed no renewal in time
			  held => 9
			a session that throws costs no neighbour
			  watch 10; watch bad session; session throws; pass 35s; session lives; held => 11
			leases of which the store says nothing stay in their batch
			  watch 10; store fails; pass 25s => 16 x 10
			a lease is not renewed while its renewal is under way
			  watch a; store withholds; pass 11s => a
			  a renewNow; pass 1s =>
			a renewal under way does not confirm later terms
			  watch a; meanwhile a expires 31s; pass 40510ms => 2 x a
			  a => held
			each lease but those of sessions is renewed once more if the store may have lost it
			  watch a; watch b for 30s; watch c session for 30s; pass 1s; renewAll; pass 100ms => 2
			  pass 25s => 2 x a
			  held => 3
			  a => held
			  b => held
			  store forgets; renewAll; pass 100ms => 2, a: the store no longer knows it, b: the store no longer knows it
			an answer from before a doubt does not end it
			  watch a; store withholds; pass 10010ms => a
			  renewAll; pass 100ms =>
			  answer 0; pass 10ms => a
			a pause while the timer is set does not stop the watchdog
			  settingTakes 11s; watch a; watch b; pass 60s; losses =>
			  b => held
			""";

	/**
	 * How long a lease lasts. The validity is one per cent shorter than the store's
	 * lease.
	 */
	private static final String ENDS = """
			an explicit lease that the store has shortened is extended once
			  watch a for 30s granted 5s; pass 31566ms => a
			  a => held
			  pass 200ms => a: its lease has expired
			  a expires 2m => false
			a watched lease with a new expiry is renewed once and ends in time
			  watch a; pass 5s; a expires 2m => true
			  pass 118s => a
			  a => held
			  pass 2s => a: its lease has expired
			  a expires 2m => false
			a watched lease that expires soon is not renewed
			  watch a; pass 5s; a expires 20s => true
			  pass 19s =>
			  a => held
			  pass 1s => a: its lease has expired
			  a expires 2m => false
			one that expires slightly later than in the store is renewed
			  watch a; pass 9s; a expires 21500ms => true
			  pass 21200ms => a
			  a => held
			a minimum hold time is never shortened
			  watch a minHold 5100ms granted 5s; pass 5090ms => a
			  a => held
			a short explicit lease is extended once however long the answer takes
			  commands take 5ms; watch a for 100ms granted 90ms; pass 135ms => a, a: its lease has expired
			a grant that arrives late is extended too
			  watch a for 1s granted 1s after 500ms; pass 900ms; a => held
			no lock is held for longer than the maximum hold time and a lease
			  watch a max 60s; pass 59s; a => held
			  pass 31s; losses => a: its maximum hold time (distlock.max-hold-time) has passed
			nor is one of a session
			  watch a session max 60s; pass 59s; a => held
			  pass 2s => a: its maximum hold time (distlock.max-hold-time) has passed
			an explicit lease is lost at once when its session has ended
			  watch a session for 30s; store forgets; a renewNow; pass 10ms => a, a: the store no longer knows it
			a lock is at risk when its renewal has failed and less than half of its lease is left
			  watch a; store fails; pass 14s => 5 x a
			  a => held
			  pass 2s; a => held at risk
			  store answers; pass 2s; a => held
			  store fails; pass 25s; a => held at risk
			  pass 30s; a => lost
			""";

	/** After an error or a rejected task leases are renewed before they expire. */
	private static final String ERRORS = """
			a listener that always fails does not stop the watchdog
			  errors report 1000; watch good; watch bad for 1s; pass 62s; good => held
			a loss that the store reports is reported once although its first reports fail
			  watch 2 lease 6s; store forgets; errors report 3; pass 12s; losses => k1: the store no longer knows it, k0: the store no longer knows it
			  left => 0
			  watched => 0
			a loss in time is reported once although its first reports fail
			  watch 2 lease 6s; store fails; errors report 3; pass 12s; losses => k1: its lease has expired, since the store confirmed no renewal in time, k0: its lease has expired, since the store confirmed no renewal in time
			  left => 0
			  watched => 0
			a lease is renewed again after errors of its thread
			  watch a lease 6s; errors thread 3; pass 24s => 11 x a
			  left => 0
			  a => held
			a lease is renewed again after the executor has rejected it
			  watch a lease 6s; errors rejects 3; pass 24s => 11 x a
			  left => 0
			  a => held
			a lease is renewed again after errors of the store
			  watch a lease 6s; errors store 3; pass 24s => 14 x a
			  left => 0
			  a => held
			a lease is renewed again after errors of the timer
			  watch a lease 6s; errors timer 2; pass 24s => 12 x a
			  left => 0
			  a => held
			a lease is renewed again when no thread handles its answer
			  watch a lease 6s; store withholds; pass 3s => a
			  store answers; errors thread 1; answer 0; left => 0
			  pass 24s => 12 x a
			  a => held
			all batches of a round are sent again
			  watch 250 lease 6s; errors thread 2; pass 24s; held => 250
			""";

	static Stream<StepCase> cases() {
		return StepCase.of(RENEWALS, ENDS, ERRORS);
	}

	private static final Duration LEASE = RenewalScenario.LEASE;

	private final RenewalScenario scenario = new RenewalScenario();

	private final HeldLocks heldLocks = this.scenario.heldLocks;

	@AfterEach
	void stop() {
		this.scenario.timers.stop();
		LockLog.flush();
	}

	@ParameterizedTest
	@MethodSource("cases")
	void leasesAreRenewedUntilTheyEnd(StepCase each) {
		each.check(this.scenario::steps);
	}

	private Validity granted() {
		return Validity.until(this.scenario.clock.now(), LEASE);
	}

	private Hold watch(String key) {
		this.scenario.steps("watch " + key);
		return this.scenario.holds.get(key);
	}

	@Test
	void whatTheTermsSayCountsFromTheMomentWhenTheCallerTakesTheLockOver() {
		Duration minHold = Duration.ofSeconds(20);
		LeaseTerms terms = new LeaseTerms(LEASE, LEASE, false, null, minHold);
		Hold hold = this.scenario.grant(LockRequest.of("a"),
				Validity.until(this.scenario.clock.now(), LEASE.multipliedBy(2)), terms);
		this.scenario.steps("pass 2s");
		hold.takeOver();
		assertThat(hold.holdLease.remainingMinHold()).isEqualTo(minHold);
		assertThat(hold.remainingNanos()).isEqualTo(LEASE.toNanos());
	}

	@Test
	void aLockWhoseGrantAnOperatorHasEndedBeforeItIsWatchedIsLost() {
		Hold hold = this.scenario.grant(LockRequest.of("a"), granted(), RenewalScenario.watched(LEASE));
		this.heldLocks.noteEnded(hold.ticket, hold.grantToken());
		this.heldLocks.add(hold);
		assertThat(hold.lossCause()).isEqualTo(LossCause.RELEASED_BY_OPERATOR);
		assertThat(this.scenario.lost).hasSize(1);
	}

	@Test
	void aSessionThatIsAliveAgainRevivesNothing() {
		this.scenario.steps("watch a session");
		Hold hold = this.scenario.holds.get("a");
		assertThat(this.scenario.steps("a")).isEqualTo("held");
		assertThat(this.scenario.steps("session ends; a")).isEqualTo("lost");
		assertThat(this.scenario.steps("session lives; a")).isEqualTo("lost");
		assertThat(hold.remainingNanos()).isZero();
		assertThat(hold.endLease()).isZero();
		assertThat(this.scenario.lost).hasSize(1);
	}

	@Test
	void theRiskOfALeaseIsOneWarningForEachPeriodOfFailures(CapturedOutput output) {
		this.scenario.steps("watch first; watch second; store fails; pass 14s");
		assertThat(flushed(output)).doesNotContain("is at risk");
		this.scenario.steps("pass 2s");
		assertThat(flushed(output)).containsPattern("no answer[.] Lock 'first' \\(orders\\) is at risk: .* ends in"
				+ " PT1[34]\\.?\\d*S unless a retry succeeds.*distlock.lease-time");
		this.scenario.steps("pass 9s");
		assertThat(occurrences(output, "Lock 'first' (orders) is at risk")).isOne();
		assertThat(occurrences(output, "Lock 'second' (orders) is at risk")).isOne();
		this.scenario.steps("store answers; pass 2s; store fails; pass 25s");
		assertThat(occurrences(output, "Lock 'first' (orders) is at risk")).isEqualTo(2);
	}

	@Test
	void ofManyWarningsTheLogHasTwentyInTenSecondsAndCountsTheOthers(CapturedOutput output) {
		this.scenario.steps("watch 1000; store fails; pass 16s");
		List<Hold> holds = List.copyOf(this.scenario.holds.values());
		assertThat(holds).allMatch(Hold::isAtRisk);
		assertThat(occurrences(output, "is at risk: its lease")).isEqualTo(20);
		assertThat(flushed(output)).doesNotContain("more locks are at risk");
		// Nothing follows.
		this.scenario.steps("pass 10s");
		assertThat(occurrences(output, "And 980 more locks are at risk: the log names at most 20 in 10 s")).isOne();
		holds.forEach((hold) -> {
			hold.endLease();
			this.heldLocks.answered(hold, ReleaseOutcome.UNANSWERED, null);
			this.heldLocks.answered(hold, ReleaseOutcome.GONE, null);
		});
		this.heldLocks.stop();
		assertThat(flushed(output)).containsOnlyOnce("And 980 more locks were lost: ")
			.containsOnlyOnce("And 980 more releases have not been acknowledged: ");
		assertThat(occurrences(output, "Lost lock 'k")).isEqualTo(20);
		holds.forEach((hold) -> this.heldLocks.answered(hold, ReleaseOutcome.UNANSWERED, null));
		assertThat(occurrences(output, "the lock ends with its lease")).as("no timer counts them").isEqualTo(1000);
	}

	private static int occurrences(CapturedOutput output, String text) {
		return flushed(output).toString().split(Pattern.quote(text), -1).length - 1;
	}

	@Test
	void aLockThatIsRenewedForAThreadThatHasEndedIsNamedOnce(CapturedOutput output) throws InterruptedException {
		List<Waiter> waiters = new ArrayList<>();
		Runnable acquire = () -> waiters
			.add(new ThreadWaiter(this.heldLocks, LockRequest.of("k" + waiters.size()), RenewalScenario.watched(LEASE),
					Duration.ZERO, 1, this.scenario.clock.nanoTime(), false, EngineEnvironment.SYSTEM));
		Thread forgetful = new Thread(acquire, "forgetful");
		forgetful.start();
		forgetful.join();
		acquire.run();
		waiters.forEach((waiter) -> {
			Hold hold = this.scenario.grant(waiter, granted(), RenewalScenario.watched(LEASE));
			hold.takeOver();
			this.heldLocks.renewer().watch(hold);
		});
		this.scenario.steps("watch asynchronous; pass 90s");
		assertThat(occurrences(output, "although the thread that acquired it has ended")).isOne();
		assertThat(flushed(output))
			.contains("Lock 'k0' (unnamed) is renewed although the thread that acquired it has ended:"
					+ " forgetful (ended). Close each HeldLock");
	}

	@Test
	void aReleaseIsRepeatedForTheLongestLeaseThatTheStoreWasAskedFor() {
		Hold hold = watch("first");
		assertThat(hold.storeLeaseNanos()).isEqualTo(LEASE.toNanos());
		hold.holdLease.expireAfter(LEASE.multipliedBy(2));
		assertThat(hold.storeLeaseNanos()).isGreaterThan(LEASE.multipliedBy(2).toNanos());
		hold.holdLease.expireAfter(LEASE.dividedBy(2));
		assertThat(hold.storeLeaseNanos()).isEqualTo(LEASE.toNanos());
	}

	@Test
	void aLockInItsMinimumHoldTimeIsHeldByNothingThatCouldBeWarned(CapturedOutput output) {
		this.scenario.steps("watch a; a retained; store fails; pass 25s");
		assertThat(flushed(output)).contains("Leases could not be renewed").doesNotContain("is at risk");
	}

	@Test
	void theLeasesOfASessionInDoubtAreFoundInOnePass() {
		int holds = 1000;
		AtomicInteger looks = new AtomicInteger();
		this.scenario.steps("watch " + holds + " session for 30s");
		List<Ticket> inDoubt = this.scenario.holds.values().stream().map((hold) -> hold.ticket).toList();
		this.scenario.steps("watch other session for 30s");
		this.scenario.renewer.renewNow(new AbstractList<>() {

			@Override
			public Ticket get(int index) {
				looks.incrementAndGet();
				return inDoubt.get(index);
			}

			@Override
			public int size() {
				return inDoubt.size();
			}

		});
		assertThat(looks).hasValueLessThanOrEqualTo(2 * holds);
		assertThat(this.scenario.steps("pass 10ms")).as("the other session is not in doubt").isEqualTo("10 x 100");
	}

	@Test
	void aTaskThatTheExecutorRejectsAndRunsNeverthelessChangesNothing(CapturedOutput output) {
		this.scenario.steps("watch 2 lease 6s; errors rejectsAndRuns 1; pass 3s; runRejected; pass 24s");
		assertThat(flushed(output)).doesNotContain("could not be handled");
		assertThat(this.scenario.steps("held")).isEqualTo("2");
		assertThat(this.scenario.lost).isEmpty();
	}

	/** A scan or a close of another thread, during the report or afterwards. */
	@ParameterizedTest
	@ValueSource(strings = { "scan", "close", "later close", "own close" })
	void aLossWhoseReportFailsIsReportedAlthoughAnotherMeetsIt(String other) {
		Hold hold = watch("a");
		this.scenario.clock.pass(LEASE);
		this.scenario.whileReported = switch (other) {
			case "scan" -> (lost) -> this.scenario.timers.pass(LEASE);
			case "close" -> this.heldLocks::drop;
			default -> (lost) -> {
			};
		};
		this.scenario.errors.put("report", 1);
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(
				other.equals("own close") ? () -> this.heldLocks.release(hold, true, null) : hold::checkExpired);
		if (other.equals("later close")) {
			this.heldLocks.drop(hold);
		}
		assertThat(this.scenario.lost).isEmpty();
		this.scenario.timers.pass(LEASE);
		assertThat(this.scenario.lost).hasSize(1);
		assertThat(this.scenario.released).isZero();
		assertThat(this.scenario.renewer.size()).isZero();
	}

	@ParameterizedTest
	@EnumSource(value = ReleaseOutcome.class, names = { "GONE", "UNANSWERED" })
	void theFutureOfAReleaseFailsWithTheErrorThatPreventsItsReport(ReleaseOutcome outcome) {
		Hold hold = watch("a");
		CompletableFuture<Void> closed = new CompletableFuture<>();
		hold.endLease();
		this.scenario.clock.error = new OutOfMemoryError("injected at the clock");
		this.heldLocks.answered(hold, outcome, closed);
		assertThat(closed).failsWithin(Duration.ZERO)
			.withThrowableThat()
			.havingRootCause()
			.isInstanceOf(OutOfMemoryError.class);
	}

	@Test
	void aCallbackForWhichNoThreadStartsRunsWhenOneDoes() {
		int[] errors = { 3 };
		TaskRunner tasks = tasks((task) -> {
			if (errors[0]-- > 0) {
				throw new OutOfMemoryError("injected at the thread");
			}
			task.run();
		});
		this.scenario.timers.errors = 100;
		List<String> runs = new ArrayList<>();
		tasks.callBack(() -> runs.add("first"));
		tasks.callBack(() -> runs.add("second"));
		for (int i = 0; i < 3; i++) {
			passAMomentOfErrors();
		}
		assertThat(runs).containsExactly("first", "second");
	}

	@Test
	void aCallbackThatAnExecutorQueuesAlthoughItThrowsRunsOnce() {
		TaskRunner tasks = tasks((task) -> {
			task.run();
			throw new OutOfMemoryError("injected after the task was queued");
		});
		List<String> runs = new ArrayList<>();
		tasks.callBack(() -> runs.add("first"));
		passAMomentOfErrors();
		passAMomentOfErrors();
		assertThat(runs).containsExactly("first");
	}

	private TaskRunner tasks(Executor executor) {
		TaskRunner tasks = new TaskRunner(RenewalScenario.threads(executor, this.scenario.timers),
				EngineEnvironment.of(this.scenario.clock));
		tasks.sweep(() -> {
		});
		return tasks;
	}

	/** What a repeated task throws ends nothing. */
	private void passAMomentOfErrors() {
		try {
			this.scenario.steps("pass 2s");
		}
		catch (OutOfMemoryError ex) {
			// As the timer thread does.
		}
	}

}
