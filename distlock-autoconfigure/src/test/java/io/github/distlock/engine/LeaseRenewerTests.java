package io.github.distlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.distlock.LossCause;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.Validity;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The watchdog, with a manual clock.
 */
@ExtendWith(OutputCaptureExtension.class)
class LeaseRenewerTests extends RenewalFixture {

	private static final Duration LEASE = Duration.ofSeconds(30);

	private int failed;

	private final List<Duration> lateness = new ArrayList<>();

	@Test
	void aLeaseIsRenewedEachTimeAThirdOfItHasPassed() {
		Lease lease = watch("a", LEASE, watched(LEASE));
		this.timers.pass(Duration.ofSeconds(9));
		assertThat(this.store.batches).isEmpty();
		this.timers.pass(Duration.ofSeconds(92));
		assertThat(this.store.batches).hasSize(10);
		assertThat(lease.isValid()).isTrue();
		assertThat(this.lost).isEmpty();
	}

	@Test
	void renewalsThatAreDueTogetherShareABatchOfAtMostAHundred() {
		for (int i = 0; i < 250; i++) {
			watch("k" + i, LEASE, watched(LEASE));
		}
		this.timers.pass(Duration.ofSeconds(11));
		assertThat(this.store.batches).extracting(List::size).containsExactly(100, 100, 50);
		assertThat(this.timers.pending()).isLessThan(10);
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
		Lease lease = watch("a", LEASE, watched(LEASE));
		this.store.failing = true;
		this.timers.pass(Duration.ofSeconds(20));
		assertThat(this.store.batches.size()).isGreaterThan(5);
		assertThat(lease.isValid()).isTrue();
		this.timers.pass(Duration.ofSeconds(10));
		assertThat(this.lost).containsExactly("a: its lease has expired, since the store confirmed no renewal in time");
		assertThat(this.failed).isEqualTo(this.store.batches.size());
		int asked = this.store.batches.size();
		// Remains lost although the store answers again.
		this.store.failing = false;
		this.timers.pass(Duration.ofSeconds(60));
		assertThat(lease.isValid()).isFalse();
		assertThat(this.store.batches).hasSize(asked);
		assertThat(this.renewer.size()).isZero();
	}

	@Test
	void anExplicitLeaseIsNotRenewedAndEndsInTime() {
		Lease lease = watch("a", LeaseTerms.lasting(LEASE), explicit(LEASE));
		this.timers.pass(LEASE.minusMillis(1));
		assertThat(lease.isValid()).isTrue();
		this.timers.pass(Duration.ofMillis(1));
		assertThat(this.lost).hasSize(1);
		assertThat(this.store.batches).isEmpty();
	}

	@Test
	void anExplicitLeaseThatTheStoreHasShortenedIsExtendedOnce() {
		Duration brief = Duration.ofSeconds(5);
		Lease lease = watch("a", brief, explicit(LEASE));
		// The whole lease counts from the renewal that confirms the grant.
		Duration end = brief.dividedBy(3).plus(LEASE);
		this.timers.pass(end.minusMillis(100));
		assertThat(this.store.batches).hasSize(1);
		assertThat(lease.isValid()).isTrue();
		this.timers.pass(Duration.ofMillis(200));
		assertThat(lease.isValid()).isFalse();
	}

	@Test
	void aGrantThatArrivesLateIsExtendedToo() {
		Validity late = Validity.until(this.clock.now(), Duration.ofSeconds(1));
		this.clock.pass(Duration.ofMillis(500));
		Lease lease = watch("late", late, explicit(Duration.ofSeconds(1)));
		this.timers.pass(Duration.ofMillis(900));
		assertThat(lease.isValid()).isTrue();
	}

	@Test
	void theWatchdogStopsAtTheMaximumHoldTime() {
		Lease lease = watch("max", LEASE, new LeaseTerms(LEASE, LEASE, true, Duration.ofSeconds(60), null));
		this.timers.pass(Duration.ofSeconds(60));
		assertThat(lease.isValid()).isTrue();
		this.timers.pass(Duration.ofSeconds(30));
		assertThat(lease.isValid()).isFalse();
	}

	@Test
	void aPauseWhileTheTimerIsSetDoesNotStopTheWatchdog() {
		// The timer fires before the thread that set it continues.
		this.timers.afterSetting = () -> this.timers.pass(Duration.ofSeconds(11));
		watch("a", LEASE, watched(LEASE));
		Lease second = watch("b", LEASE, watched(LEASE));
		this.timers.pass(Duration.ofSeconds(60));
		assertThat(second.isValid()).isTrue();
		assertThat(this.lost).isEmpty();
	}

	@Test
	void anErrorOfAListenerDoesNotStopTheWatchdog() {
		Lease good = watch("good", LEASE, watched(LEASE));
		watch(new TestLease("bad", null, Validity.until(this.clock.now(), Duration.ofSeconds(1)),
				explicit(Duration.ofSeconds(1))) {

			@Override
			protected void lost(LossCause cause) {
				throw new AssertionError("listener");
			}

		});
		this.timers.pass(Duration.ofSeconds(2));
		this.timers.pass(Duration.ofSeconds(60));
		assertThat(good.isValid()).isTrue();
	}

	@Test
	void anExplicitLeaseIsLostAtOnceWhenItsSessionHasEnded() {
		Lease lease = watch("a", Validity.session(() -> Long.MAX_VALUE), explicit(LEASE));
		this.store.gone = true;
		this.renewer.renewNow(List.of(lease.ticket()));
		this.timers.pass(Duration.ofMillis(10));
		assertThat(this.store.batches).hasSize(1);
		assertThat(lease.isValid()).isFalse();
		assertThat(this.lost).hasSize(1);
	}

	@Test
	void aSessionKeepsNoLockBeyondTheMaximumHoldTime() {
		Lease lease = watch("a", Validity.session(() -> Long.MAX_VALUE),
				new LeaseTerms(LEASE, LEASE, true, Duration.ofMinutes(1), null));
		this.timers.pass(Duration.ofSeconds(59));
		assertThat(lease.isValid()).isTrue();
		this.timers.pass(Duration.ofSeconds(2));
		assertThat(this.lost).hasSize(1);
	}

	@Test
	void aWatchedLeaseWithANewExpiryIsRenewedOnceAndEndsInTime() {
		Lease lease = watch("a", LEASE, watched(LEASE));
		this.timers.pass(Duration.ofSeconds(5));
		assertThat(this.renewer.expireAfter(lease, Duration.ofMinutes(2))).isTrue();
		// The validity is one per cent shorter than the store's lease.
		this.timers.pass(Duration.ofSeconds(118));
		assertThat(this.store.batches).hasSize(1);
		assertThat(lease.isValid()).isTrue();
		this.timers.pass(Duration.ofSeconds(2));
		assertThat(this.lost).containsExactly("a: its lease has expired");
		assertThat(this.renewer.expireAfter(lease, Duration.ofMinutes(2))).isFalse();
	}

	@Test
	void aWatchedLeaseThatExpiresSoonIsNotRenewed() {
		Lease lease = watch("a", LEASE, watched(LEASE));
		this.timers.pass(Duration.ofSeconds(5));
		assertThat(this.renewer.expireAfter(lease, Duration.ofSeconds(20))).isTrue();
		this.timers.pass(Duration.ofSeconds(19));
		assertThat(this.store.batches).isEmpty();
		assertThat(lease.isValid()).isTrue();
		this.timers.pass(Duration.ofSeconds(1));
		assertThat(lease.isValid()).isFalse();
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
	void aMinimumHoldTimeIsNeverShortened() {
		Duration remainingMinHold = Duration.ofMillis(5100);
		Lease lease = watch("a", Duration.ofSeconds(5),
				new LeaseTerms(remainingMinHold, LeaseTerms.lasting(remainingMinHold), false, null, remainingMinHold));
		this.timers.pass(Duration.ofMillis(5090));
		assertThat(lease.isValid()).isTrue();
		assertThat(this.store.batches).hasSize(1);
	}

	@Test
	void aLeaseThatExpiresSlightlyLaterThanInTheStoreIsRenewed() {
		Lease lease = watch("a", LEASE, watched(LEASE));
		this.timers.pass(Duration.ofSeconds(9));
		this.renewer.expireAfter(lease, Duration.ofMillis(21_500));
		this.timers.pass(Duration.ofMillis(21_200));
		assertThat(lease.isValid()).isTrue();
		assertThat(this.store.batches).hasSize(1);
	}

	@Test
	void aRenewalUnderWayDoesNotConfirmLaterTerms() {
		Lease lease = watch("a", LEASE, watched(LEASE));
		this.store.meanwhile = () -> {
			this.store.meanwhile = () -> {
			};
			this.renewer.expireAfter(lease, Duration.ofSeconds(31));
		};
		this.timers.pass(Duration.ofMillis(10_010 + 30_500));
		assertThat(lease.isValid()).isTrue();
		assertThat(this.store.batches).hasSize(2);
	}

	private static LeaseTerms explicit(Duration lease) {
		return new LeaseTerms(lease, LeaseTerms.lasting(lease), false, null, null);
	}

	@Override
	public void renewed(int renewed, int gone, int notAsked, Duration late) {
		this.failed += notAsked;
		this.lateness.add(late);
	}

	@Test
	void aQueryReportsNoLossAndTheScanReportsItOnce() {
		Lease lease = watch("a", LEASE, watched(LEASE));
		this.clock.pass(LEASE);
		assertThat(lease.isValid()).isFalse();
		assertThat(lease.remainingNanos()).isZero();
		assertThat(lease.isIntact()).isFalse();
		assertThat(this.lost).isEmpty();
		this.timers.pass(LEASE);
		assertThat(this.lost).hasSize(1);
		assertThat(this.renewer.size()).isZero();
	}

	@Test
	void aRenewalThatArrivesAfterAQueryFoundTheLeaseExpiredRevivesNothing() {
		Lease lease = watch("a", LEASE, watched(LEASE));
		this.store.meanwhile = () -> {
			this.clock.pass(Duration.ofSeconds(25));
			assertThat(lease.isValid()).isFalse();
			assertThat(this.lost).isEmpty();
		};
		this.timers.pass(Duration.ofSeconds(11));
		assertThat(lease.isValid()).isFalse();
		assertThat(this.lost).hasSize(1);
		assertThat(lease.endLease()).isZero();
	}

	@Test
	void aSessionThatIsAliveAgainRevivesNothing() {
		AtomicBoolean alive = new AtomicBoolean(true);
		Lease lease = watch("a", Validity.session(() -> alive.get() ? Long.MAX_VALUE : 0), watched(LEASE));
		assertThat(lease.isValid()).isTrue();
		alive.set(false);
		assertThat(lease.isValid()).isFalse();
		alive.set(true);
		assertThat(lease.isValid()).isFalse();
		assertThat(lease.remainingNanos()).isZero();
		assertThat(lease.endLease()).isZero();
		assertThat(this.lost).hasSize(1);
	}

	@Test
	void aLeaseIsAtRiskWhenItsRenewalFailedAndLessThanHalfOfItIsLeft(CapturedOutput output) {
		Lease lease = watchNamed("order-7", "orders");
		this.store.failing = true;
		this.timers.pass(Duration.ofSeconds(14));
		assertThat(this.store.batches).hasSizeGreaterThan(1);
		assertThat(lease.isAtRisk()).isFalse();
		assertThat(output).doesNotContain("is at risk");
		this.timers.pass(Duration.ofSeconds(2));
		assertThat(lease.isAtRisk()).isTrue();
		assertThat(output).containsPattern("Lock 'order-7' \\(orders\\) is at risk: .* ends in PT1[34]\\.?\\d*S unless"
				+ " a retry succeeds \\(no answer\\).*distlock.lease-time");
	}

	@Test
	void thereIsOneWarningForEachLeaseAndPeriodOfFailures(CapturedOutput output) {
		Lease first = watchNamed("first", "orders");
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
	void aLockInItsMinimumHoldTimeIsHeldByNothingThatCouldBeWarned(CapturedOutput output) {
		watch("retained", LEASE, watched(LEASE));
		this.store.failing = true;
		this.timers.pass(Duration.ofSeconds(25));
		assertThat(output).contains("Leases could not be renewed").doesNotContain("is at risk");
	}

	private Lease watchNamed(String key, String name) {
		return watch(new TestLease(key, name, Validity.until(this.clock.now(), LEASE), watched(LEASE)));
	}

	private static int warnings(CapturedOutput output, String key) {
		return output.toString().split("Lock '" + key + "' \\(orders\\) is at risk", -1).length - 1;
	}

	@Test
	void theLeasesOfASessionInDoubtAreFoundInOnePass() {
		int leases = 1000;
		AtomicInteger looks = new AtomicInteger();
		List<Ticket> tickets = new ArrayList<>();
		for (int i = 0; i < leases; i++) {
			tickets.add(watchCounted(i, looks));
		}
		watchCounted(leases, looks);
		looks.set(0);
		this.renewer.renewNow(tickets);
		assertThat(looks).hasValueLessThanOrEqualTo(2 * leases);
		this.timers.pass(Duration.ofMillis(10));
		// Except the lease whose session is not in doubt.
		assertThat(this.store.batches.stream().mapToInt(List::size).sum()).isEqualTo(leases);
	}

	private Ticket watchCounted(int number, AtomicInteger looks) {
		LeaseTerms terms = new LeaseTerms(LEASE, LEASE, false, null, null);
		return watch(new TestLease("k" + number, null, Validity.session(() -> Long.MAX_VALUE), terms) {

			@Override
			protected Ticket ticket() {
				looks.incrementAndGet();
				return super.ticket();
			}

		}).ticket();
	}

}
