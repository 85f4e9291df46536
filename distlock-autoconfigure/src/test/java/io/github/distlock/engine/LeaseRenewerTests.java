package io.github.distlock.engine;

import java.time.Duration;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.github.distlock.LockBackendException;
import io.github.distlock.LockRequest;
import io.github.distlock.LossCause;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.Validity;
import io.github.distlock.engine.Hold.ReleaseOutcome;
import io.github.distlock.engine.Waiter.ThreadWaiter;
import io.github.distlock.environment.EngineEnvironment;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.convert.DurationStyle;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static io.github.distlock.testing.FlushedLog.flushed;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The watchdog, with a manual clock.
 */
@ExtendWith(OutputCaptureExtension.class)
class LeaseRenewerTests extends RenewalFixture {

	private static final Duration LEASE = Duration.ofSeconds(30);

	private static final Duration MIN_HOLD = Duration.ofMillis(5100);

	private int failed;

	private boolean lossFails;

	private final List<Duration> lateness = new ArrayList<>();

	@Test
	void aLeaseIsRenewedEachTimeAThirdOfItHasPassed() {
		Hold hold = watch("a", LEASE, watched(LEASE));
		this.timers.pass(Duration.ofSeconds(9));
		assertThat(this.store.batches).isEmpty();
		this.timers.pass(Duration.ofSeconds(92));
		assertThat(this.store.batches).hasSize(10);
		assertThat(hold.isValid()).isTrue();
		assertThat(this.lost).isEmpty();
	}

	@Test
	void renewalsThatAreDueTogetherShareABatchOfAtMostAHundred() {
		for (int i = 0; i < 250; i++) {
			watch("k" + i, LEASE, watched(LEASE));
		}
		this.timers.pass(Duration.ofSeconds(11));
		assertThat(this.store.batches).extracting(List::size).containsExactly(100, 100, 50);
	}

	@Test
	void batchesWaitInOrderWhileSixtyFourAreUnderWayAndEachEndFreesAPlace() {
		this.store.withholding = true;
		for (int i = 0; i < 6400; i++) {
			watch("k" + i, LEASE, watched(LEASE));
		}
		this.timers.pass(Duration.ofSeconds(6));
		Hold first = watch("first", LEASE, watched(LEASE));
		this.timers.pass(Duration.ofSeconds(6));
		Hold second = watch("second", LEASE, watched(LEASE));
		this.timers.pass(Duration.ofSeconds(11));
		assertThat(this.store.batches).hasSize(64).extracting(List::size).containsOnly(100);
		// Each of them has been due for some time.
		assertThat(first.isAtRisk()).as("waits, and half of its lease has passed").isTrue();
		assertThat(second.isAtRisk()).isFalse();
		this.store.withheld.get(7).completeExceptionally(new LockBackendException("injected failure"));
		assertThat(this.store.batches).hasSize(65);
		this.store.answer(3);
		this.store.answer(64);
		assertThat(this.store.batches.subList(64, 66)).extracting((batch) -> batch.get(0).ticket())
			.containsExactly(first.ticket, second.ticket);
		assertThat(first.isAtRisk()).isFalse();
		this.timers.pass(Duration.ofMillis(1500));
		assertThat(this.store.batches.get(66)).as("the retry of what failed").hasSize(100);
	}

	@Test
	void aBatchThatNoDriverEndsIsRenewedAgain() {
		Duration lease = EngineEnvironment.LONGEST_WAIT.multipliedBy(3);
		Hold hold = watch("a", lease, watched(lease));
		this.store.withholding = true;
		this.timers.pass(lease.dividedBy(3).plusSeconds(1));
		this.store.withholding = false;
		this.timers.pass(EngineEnvironment.LONGEST_WAIT.plusSeconds(2));
		assertThat(this.store.batches).hasSize(2);
		assertThat(hold.isAtRisk()).isFalse();
		this.store.answer(0);
		this.timers.pass(lease.dividedBy(2));
		assertThat(this.store.batches).hasSize(3);
		assertThat(hold.isValid()).isTrue();
	}

	@Test
	void leasesThatBeganAtDifferentMomentsSoonShareOneRound() {
		// One each millisecond, so their own renewals are spread over the whole interval.
		for (int i = 0; i < 10_000; i++) {
			watch("k" + i, LEASE, watched(LEASE));
			this.clock.pass(Duration.ofMillis(1));
		}
		this.timers.pass(Duration.ofSeconds(30));
		this.store.batches.clear();
		// Ten renewals of each lease.
		this.timers.pass(Duration.ofSeconds(100));
		assertThat(this.store.batches).hasSizeLessThanOrEqualTo(1000);
		assertThat(this.store.batches.stream().mapToInt(List::size).sum()).isEqualTo(100_000);
		assertThat(this.lost).isEmpty();
	}

	@Test
	void nothingIsSentWhileNoLeaseIsDue() {
		watch("short", LEASE, explicit(Duration.ofSeconds(12)));
		this.timers.pass(Duration.ofSeconds(6));
		watch("a", LEASE, watched(LEASE));
		// The end of the first lease wakes the watchdog when the second one is six
		// seconds old.
		this.timers.pass(Duration.ofSeconds(7));
		assertThat(this.lost).hasSize(1);
		assertThat(this.store.batches).isEmpty();
	}

	@Test
	void latenessCountsFromThePlannedTimeUntilARenewalSucceeds() {
		watch("a", LEASE, watched(LEASE));
		this.store.failing = true;
		this.timers.pass(Duration.ofSeconds(13));
		this.store.failing = false;
		this.timers.pass(Duration.ofSeconds(1));
		assertThat(this.lateness.get(0)).isLessThan(Duration.ofMillis(100));
		assertThat(this.lateness.get(this.lateness.size() - 1)).isBetween(Duration.ofSeconds(3), Duration.ofSeconds(4));
		this.timers.pass(Duration.ofSeconds(10));
		assertThat(this.lateness.get(this.lateness.size() - 1)).isLessThan(Duration.ofMillis(100));
	}

	@Test
	void aLeaseThatIsRenewedEarlyWithOthersIsNotLate() {
		watch("a", LEASE, watched(LEASE));
		this.timers.pass(Duration.ofSeconds(4));
		watch("b", LEASE, watched(LEASE));
		this.timers.pass(Duration.ofSeconds(6));
		assertThat(this.store.batches).extracting(List::size).containsExactly(2);
		assertThat(this.lateness).allMatch((late) -> late.compareTo(Duration.ofMillis(100)) < 0);
	}

	@Test
	void aFailedRenewalIsRepeatedSoonerAndALeaseThatExpiresIsLostOnce() {
		Hold hold = watch("a", LEASE, watched(LEASE));
		this.store.failing = true;
		this.timers.pass(Duration.ofSeconds(20));
		assertThat(this.store.batches.size()).isGreaterThan(5);
		assertThat(hold.isValid()).isTrue();
		this.timers.pass(Duration.ofSeconds(10));
		assertThat(this.lost).containsExactly("a: its lease has expired, since the store confirmed no renewal in time");
		assertThat(this.failed).isEqualTo(this.store.batches.size());
		int asked = this.store.batches.size();
		// Remains lost although the store answers again.
		this.store.failing = false;
		this.timers.pass(Duration.ofSeconds(60));
		assertThat(hold.isValid()).isFalse();
		assertThat(this.store.batches).hasSize(asked);
		assertThat(this.renewer.size()).isZero();
	}

	@Test
	void aLeaseThatTheStoreRefusesIsSentAloneAndAtOnce() {
		watchTen();
		this.store.poisoned = (renewal) -> renewal.ticket().key().equals("k3");
		this.timers.pass(Duration.ofSeconds(35));
		// All together, then each one by itself, at once.
		assertThat(this.store.batches.subList(0, 12)).extracting(List::size)
			.containsExactly(10, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1);
		assertThat(this.store.batches.get(11)).extracting((renewal) -> renewal.ticket().key()).containsExactly("k3");
	}

	@ParameterizedTest
	@ValueSource(strings = { "store refuses", "store throws", "answer throws" })
	void aLeaseThatFailsCostsNoNeighbour(String how) {
		List<Hold> others = watchTen();
		Hold bad = others.remove(3);
		this.store.poisoned = (renewal) -> {
			boolean poisoned = renewal.ticket().equals(bad.ticket) && !how.equals("answer throws");
			if (poisoned && how.equals("store throws")) {
				throw new IllegalStateException("injected in the store");
			}
			return poisoned;
		};
		this.store.answer = (renewal, validity) -> (renewal.ticket().equals(bad.ticket) && how.equals("answer throws"))
				? throwing(new AtomicBoolean(true), LEASE) : validity;
		this.timers.pass(Duration.ofSeconds(35));
		assertThat(bad.isValid()).isFalse();
		assertThat(this.lost).singleElement().asString().startsWith(bad.key());
		assertThat(others).hasSize(9).allMatch(Hold::isValid);
	}

	@Test
	void aSessionThatThrowsCostsNoNeighbour() {
		List<Hold> good = watchTen();
		AtomicBoolean broken = new AtomicBoolean();
		Hold bad = watch("bad", throwing(broken, LEASE), watched(LEASE));
		broken.set(true);
		this.timers.pass(Duration.ofSeconds(35));
		assertThat(good).allMatch(Hold::isValid);
		broken.set(false);
		assertThat(bad.isValid()).as("for its session knows").isTrue();
	}

	@Test
	void leasesOfWhichTheStoreSaysNothingStayInTheirBatch() {
		watchTen();
		this.store.failing = true;
		this.timers.pass(Duration.ofSeconds(25));
		assertThat(this.store.batches).hasSizeGreaterThan(5).extracting(List::size).containsOnly(10);
	}

	private List<Hold> watchTen() {
		return IntStream.range(0, 10)
			.mapToObj((i) -> watch("k" + i, LEASE, watched(LEASE)))
			.collect(Collectors.toCollection(ArrayList::new));
	}

	private static Validity throwing(AtomicBoolean broken, Duration remaining) {
		return Validity.session(() -> {
			if (broken.get()) {
				throw new IllegalStateException("injected at the session");
			}
			return remaining.toNanos();
		});
	}

	@Test
	void aGrantThatArrivesLateIsExtendedToo() {
		Validity late = Validity.until(this.clock.now(), Duration.ofSeconds(1));
		this.clock.pass(Duration.ofMillis(500));
		Hold hold = watch("late", late, explicit(Duration.ofSeconds(1)));
		this.timers.pass(Duration.ofMillis(900));
		assertThat(hold.isValid()).isTrue();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void noLockIsHeldForLongerThanTheMaximumHoldTimeAndALease(boolean session) {
		Validity validity = session ? Validity.session(() -> Long.MAX_VALUE) : Validity.until(this.clock.now(), LEASE);
		Hold hold = watch("max", validity, new LeaseTerms(LEASE, LEASE, true, Duration.ofSeconds(60), null));
		this.timers.pass(Duration.ofSeconds(59));
		assertThat(hold.isValid()).isTrue();
		this.timers.pass(session ? Duration.ofSeconds(2) : LEASE.plusSeconds(1));
		assertThat(hold.isValid()).isFalse();
		assertThat(this.lost).hasSize(1);
	}

	@Test
	void aPauseWhileTheTimerIsSetDoesNotStopTheWatchdog() {
		// The timer fires before the thread that set it continues.
		this.timers.afterSetting = () -> this.timers.pass(Duration.ofSeconds(11));
		watch("a", LEASE, watched(LEASE));
		Hold second = watch("b", LEASE, watched(LEASE));
		this.timers.pass(Duration.ofSeconds(60));
		assertThat(second.isValid()).isTrue();
		assertThat(this.lost).isEmpty();
	}

	@Test
	void anErrorOfAListenerDoesNotStopTheWatchdog() {
		Hold good = watch("good", LEASE, watched(LEASE));
		watch("bad", Duration.ofSeconds(1), explicit(Duration.ofSeconds(1)));
		this.lossFails = true;
		this.timers.pass(Duration.ofSeconds(2));
		this.timers.pass(Duration.ofSeconds(60));
		assertThat(good.isValid()).isTrue();
	}

	@Test
	void anExplicitLeaseIsLostAtOnceWhenItsSessionHasEnded() {
		Hold hold = watch("a", Validity.session(() -> Long.MAX_VALUE), explicit(LEASE));
		this.store.gone = true;
		this.renewer.renewNow(List.of(hold.ticket));
		this.timers.pass(Duration.ofMillis(10));
		assertThat(this.store.batches).hasSize(1);
		assertThat(hold.isValid()).isFalse();
		assertThat(this.lost).hasSize(1);
	}

	/**
	 * The lock is held until a moment, with so many renewals. If it is lost then, so a
	 * moment later. The validity is one per cent shorter than the store's lease.
	 */
	@ParameterizedTest(name = "{0}")
	@CsvSource(delimiter = '|', textBlock = """
			an explicit lease that the store has shortened is extended once | explicit | 5s | | | 31566ms | 1 | 200ms
			a watched lease with a new expiry is renewed once and ends in time | watched | 30s | 5s | 2m | 118s | 1 | 2s
			a watched lease that expires soon is not renewed | watched | 30s | 5s | 20s | 19s | 0 | 1s
			one that expires slightly later than in the store is renewed | watched | 30s | 9s | 21500ms | 21200ms | 1 |
			a minimum hold time is never shortened | minimum | 5s | | | 5090ms | 1 |
			""")
	void aLeaseEndsWhenItsTermsSayAndIsRenewedUntilThen(String name, String terms, String granted,
			@Nullable String passed, @Nullable String expires, String held, int renewals, @Nullable String lost) {
		Hold hold = watch("a", duration(granted), switch (terms) {
			case "explicit" -> explicit(LEASE);
			case "watched" -> watched(LEASE);
			default -> new LeaseTerms(MIN_HOLD, LeaseTerms.lasting(MIN_HOLD), false, null, MIN_HOLD);
		});
		if (passed != null && expires != null) {
			this.timers.pass(duration(passed));
			assertThat(this.renewer.expireAfter(hold, duration(expires))).isTrue();
		}
		this.timers.pass(duration(held));
		assertThat(this.store.batches).hasSize(renewals);
		assertThat(hold.isValid()).isTrue();
		if (lost != null) {
			this.timers.pass(duration(lost));
			assertThat(this.lost).containsExactly("a: its lease has expired");
			assertThat(this.renewer.expireAfter(hold, duration("2m"))).isFalse();
		}
	}

	private static Duration duration(String text) {
		return DurationStyle.detectAndParse(text);
	}

	@Test
	void whatTheTermsSayCountsFromTheMomentWhenTheCallerTakesTheLockOver() {
		Duration minHold = Duration.ofSeconds(20);
		LeaseTerms terms = new LeaseTerms(LEASE, LEASE, false, null, minHold);
		Hold hold = grant(LockRequest.of("a"), Validity.until(this.clock.now(), LEASE.multipliedBy(2)), terms);
		this.clock.pass(Duration.ofSeconds(2));
		hold.takeOver();
		assertThat(hold.holdLease.remainingMinHold()).isEqualTo(minHold);
		assertThat(hold.remainingNanos()).isEqualTo(LEASE.toNanos());
	}

	@Test
	void aShortExplicitLeaseIsExtendedOnceHoweverLongTheAnswerTakes() {
		Duration brief = Duration.ofMillis(100);
		this.store.meanwhile = () -> this.clock.pass(Duration.ofMillis(5));
		watch("a", Duration.ofMillis(90), explicit(brief));
		this.timers.pass(brief.plusMillis(30 + 5));
		assertThat(this.store.batches).hasSize(1);
		assertThat(this.lost).hasSize(1);
	}

	@Test
	void aRenewalUnderWayDoesNotConfirmLaterTerms() {
		Hold hold = watch("a", LEASE, watched(LEASE));
		this.store.meanwhile = () -> {
			this.store.meanwhile = () -> {
			};
			this.renewer.expireAfter(hold, Duration.ofSeconds(31));
		};
		this.timers.pass(Duration.ofMillis(10_010 + 30_500));
		assertThat(hold.isValid()).isTrue();
		assertThat(this.store.batches).hasSize(2);
	}

	@Test
	void aLeaseIsNotRenewedWhileItsRenewalIsUnderWay() {
		Hold hold = watch("a", LEASE, watched(LEASE));
		List<Integer> sent = new ArrayList<>();
		this.store.meanwhile = () -> {
			this.store.meanwhile = () -> {
			};
			this.renewer.renewNow(List.of(hold.ticket));
			this.timers.pass(Duration.ofSeconds(1));
			sent.add(this.store.batches.size());
		};
		this.timers.pass(Duration.ofSeconds(11));
		assertThat(sent).containsExactly(1);
	}

	@Test
	void aLockWhoseGrantAnOperatorHasEndedBeforeItIsWatchedIsLost() {
		Hold hold = grant(LockRequest.of("a"), Validity.until(this.clock.now(), LEASE), watched(LEASE));
		this.heldLocks.noteEnded(hold.ticket, hold.grantToken());
		this.heldLocks.add(hold);
		assertThat(hold.lossCause()).isEqualTo(LossCause.RELEASED_BY_OPERATOR);
		assertThat(this.lost).hasSize(1);
	}

	private static LeaseTerms explicit(Duration lease) {
		return new LeaseTerms(lease, LeaseTerms.lasting(lease), false, null, null);
	}

	@Override
	void renewed(int notAsked, Duration late) {
		this.failed += notAsked;
		this.lateness.add(late);
	}

	@Override
	void lost(Hold hold) {
		if (this.lossFails) {
			throw new AssertionError("listener");
		}
		super.lost(hold);
	}

	@Test
	void aSessionThatIsAliveAgainRevivesNothing() {
		AtomicBoolean alive = new AtomicBoolean(true);
		Hold hold = watch("a", Validity.session(() -> alive.get() ? Long.MAX_VALUE : 0), watched(LEASE));
		assertThat(hold.isValid()).isTrue();
		alive.set(false);
		assertThat(hold.isValid()).isFalse();
		alive.set(true);
		assertThat(hold.isValid()).isFalse();
		assertThat(hold.remainingNanos()).isZero();
		assertThat(hold.endLease()).isZero();
		assertThat(this.lost).hasSize(1);
	}

	@Test
	void aLeaseIsAtRiskWhenItsRenewalFailedAndLessThanHalfOfItIsLeft(CapturedOutput output) {
		Hold hold = watchNamed("order-7", "orders");
		this.store.failing = true;
		this.timers.pass(Duration.ofSeconds(14));
		assertThat(this.store.batches).hasSizeGreaterThan(1);
		assertThat(hold.isAtRisk()).isFalse();
		assertThat(flushed(output)).doesNotContain("is at risk");
		this.timers.pass(Duration.ofSeconds(2));
		assertThat(hold.isAtRisk()).isTrue();
		assertThat(flushed(output)).containsPattern("no answer[.] Lock 'order-7' \\(orders\\) is at risk: .* ends in"
				+ " PT1[34]\\.?\\d*S unless a retry succeeds.*distlock.lease-time");
	}

	@Test
	void thereIsOneWarningForEachLeaseAndPeriodOfFailures(CapturedOutput output) {
		Hold first = watchNamed("first", "orders");
		watchNamed("second", "orders");
		this.store.failing = true;
		this.timers.pass(Duration.ofSeconds(25));
		assertThat(warnings(output, "first")).isOne();
		assertThat(warnings(output, "second")).isOne();
		this.store.failing = false;
		this.timers.pass(Duration.ofSeconds(2));
		assertThat(first.isAtRisk()).isFalse();
		this.store.failing = true;
		this.timers.pass(Duration.ofSeconds(25));
		assertThat(first.isAtRisk()).isTrue();
		assertThat(warnings(output, "first")).isEqualTo(2);
		this.timers.pass(LEASE);
		assertThat(first.isAtRisk()).as("a lost lock is not at risk").isFalse();
	}

	@Test
	void ofManyWarningsTheLogHasTwentyInTenSecondsAndCountsTheOthers(CapturedOutput output) {
		List<Hold> holds = IntStream.range(0, 1000).mapToObj((i) -> watchNamed("many-" + i, "orders")).toList();
		this.store.failing = true;
		this.timers.pass(Duration.ofSeconds(16));
		assertThat(holds).allMatch(Hold::isAtRisk);
		assertThat(occurrences(output, "is at risk: its lease")).isEqualTo(20);
		assertThat(flushed(output)).doesNotContain("more locks are at risk");
		// Nothing follows.
		this.timers.pass(Duration.ofSeconds(10));
		assertThat(occurrences(output, "And 980 more locks are at risk: the log names at most 20 in 10 s")).isOne();
		holds.forEach((hold) -> {
			hold.endLease();
			this.heldLocks.answered(hold, ReleaseOutcome.UNANSWERED, null);
			this.heldLocks.answered(hold, ReleaseOutcome.GONE, null);
		});
		this.heldLocks.stop();
		assertThat(flushed(output)).containsOnlyOnce("And 980 more locks were lost: ")
			.containsOnlyOnce("And 980 more releases have not been acknowledged: ");
		assertThat(occurrences(output, "Lost lock 'many-")).isEqualTo(20);
		holds.forEach((hold) -> this.heldLocks.answered(hold, ReleaseOutcome.UNANSWERED, null));
		assertThat(occurrences(output, "the lock ends with its lease")).as("no timer counts them").isEqualTo(1000);
	}

	private static int occurrences(CapturedOutput output, String text) {
		return flushed(output).toString().split(Pattern.quote(text), -1).length - 1;
	}

	@Test
	void aLockThatIsRenewedForAThreadThatHasEndedIsNamedOnce(CapturedOutput output) throws InterruptedException {
		List<Waiter> waiters = new ArrayList<>();
		Runnable acquire = () -> waiters.add(new ThreadWaiter(this.heldLocks, LockRequest.of("k" + waiters.size()),
				watched(LEASE), Duration.ZERO, 1, this.clock.nanoTime(), false, EngineEnvironment.SYSTEM));
		Thread forgetful = new Thread(acquire, "forgetful");
		forgetful.start();
		forgetful.join();
		acquire.run();
		waiters.forEach((waiter) -> {
			Hold hold = grant(waiter, Validity.until(this.clock.now(), LEASE), watched(LEASE));
			hold.takeOver();
			this.renewer.watch(hold);
		});
		watch("asynchronous", LEASE, watched(LEASE));
		this.timers.pass(LEASE.multipliedBy(3));
		assertThat(occurrences(output, "although the thread that acquired it has ended")).isOne();
		assertThat(flushed(output))
			.contains("Lock 'k0' (unnamed) is renewed although the thread that acquired it has ended:"
					+ " forgetful (ended). Close each HeldLock");
	}

	@Test
	void aReleaseIsRepeatedForTheLongestLeaseThatTheStoreWasAskedFor() {
		Hold hold = watch("first", LEASE, watched(LEASE));
		assertThat(hold.storeLeaseNanos()).isEqualTo(LEASE.toNanos());
		hold.holdLease.expireAfter(LEASE.multipliedBy(2));
		assertThat(hold.storeLeaseNanos()).isGreaterThan(LEASE.multipliedBy(2).toNanos());
		hold.holdLease.expireAfter(LEASE.dividedBy(2));
		assertThat(hold.storeLeaseNanos()).isEqualTo(LEASE.toNanos());
	}

	@Test
	void aLockInItsMinimumHoldTimeIsHeldByNothingThatCouldBeWarned(CapturedOutput output) {
		Hold hold = watch("retained", LEASE, watched(LEASE));
		assertThat(hold.retain()).isTrue();
		this.store.failing = true;
		this.timers.pass(Duration.ofSeconds(25));
		assertThat(flushed(output)).contains("Leases could not be renewed").doesNotContain("is at risk");
	}

	private Hold watchNamed(String key, String name) {
		return watch(LockRequest.of(key).name(name), Validity.until(this.clock.now(), LEASE), watched(LEASE));
	}

	private static int warnings(CapturedOutput output, String key) {
		return occurrences(output, "Lock '" + key + "' (orders) is at risk");
	}

	@Test
	void eachLeaseIsRenewedOnceMoreIfTheStoreMayHaveLostIt() {
		Hold renewed = watch("renewed", LEASE, watched(LEASE));
		Hold limited = watch("limited", LeaseTerms.lasting(LEASE), explicit(LEASE));
		watchSession(1);
		this.timers.pass(Duration.ofSeconds(1));
		this.renewer.renewAll();
		this.timers.pass(Duration.ofMillis(100));
		assertThat(this.store.batches).extracting(List::size).containsExactly(2);
		this.timers.pass(Duration.ofSeconds(25));
		assertThat(this.store.batches).extracting(List::size).containsExactly(2, 1, 1);
		assertThat(List.of(renewed, limited)).allMatch(Hold::isValid).noneMatch(Hold::isAtRisk);
		this.store.gone = true;
		this.renewer.renewAll();
		this.timers.pass(Duration.ofMillis(100));
		assertThat(this.lost).hasSize(2);
	}

	@Test
	void anAnswerFromBeforeADoubtDoesNotEndIt() {
		watch("a", LEASE, watched(LEASE));
		this.store.withholding = true;
		this.timers.pass(Duration.ofMillis(10_010));
		this.renewer.renewAll();
		this.timers.pass(Duration.ofMillis(100));
		assertThat(this.store.batches).hasSize(1);
		this.store.answer(0);
		this.timers.pass(Duration.ofMillis(10));
		assertThat(this.store.batches).hasSize(2);
	}

	@Test
	void theLeasesOfASessionInDoubtAreFoundInOnePass() {
		int holds = 1000;
		AtomicInteger looks = new AtomicInteger();
		List<Ticket> inDoubt = new ArrayList<>();
		for (int i = 0; i < holds; i++) {
			inDoubt.add(watchSession(i));
		}
		watchSession(holds);
		this.renewer.renewNow(new AbstractList<>() {

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
		this.timers.pass(Duration.ofMillis(10));
		// Except the lease whose session is not in doubt.
		assertThat(this.store.batches.stream().mapToInt(List::size).sum()).isEqualTo(holds);
	}

	private Ticket watchSession(int number) {
		LeaseTerms terms = new LeaseTerms(LEASE, LEASE, false, null, null);
		return watch("k" + number, Validity.session(() -> Long.MAX_VALUE), terms).ticket;
	}

}
