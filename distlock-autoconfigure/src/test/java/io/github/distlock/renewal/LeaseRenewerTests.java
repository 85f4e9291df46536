package io.github.distlock.renewal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.github.distlock.LockMode;
import io.github.distlock.LossCause;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;
import io.github.distlock.environment.EngineEnvironment;
import io.github.distlock.testing.ManualClock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The watchdog, with a manual clock.
 */
class LeaseRenewerTests implements RenewalListener {

	private static final Duration LEASE = Duration.ofSeconds(30);

	private final ManualClock clock = new ManualClock();

	private final ManualTimers timers = new ManualTimers(this.clock);

	private final ScriptedStore store = new ScriptedStore(this.clock);

	private final List<String> lost = new ArrayList<>();

	private final LeaseRenewer renewer = new LeaseRenewer(this.store, EngineEnvironment.of(this.clock), Runnable::run,
			this.timers, this);

	private long tickets;

	private boolean throwing;

	private int failed;

	private final List<Duration> lateness = new ArrayList<>();

	@AfterEach
	void stop() {
		this.timers.shutdownNow();
	}

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
		this.throwing = true;
		watch("bad", Duration.ofSeconds(1), explicit(Duration.ofSeconds(1)));
		this.timers.pass(Duration.ofSeconds(2));
		this.throwing = false;
		this.timers.pass(Duration.ofSeconds(60));
		assertThat(good.isValid()).isTrue();
	}

	@Test
	void anExplicitLeaseIsLostAtOnceWhenItsSessionHasEnded() {
		Lease lease = watch("a", Validity.session(() -> true), explicit(LEASE));
		this.store.gone = true;
		this.renewer.renewNow(List.of(lease.ticket()));
		this.timers.pass(Duration.ofMillis(10));
		assertThat(this.store.batches).hasSize(1);
		assertThat(lease.isValid()).isFalse();
		assertThat(this.lost).hasSize(1);
	}

	@Test
	void aSessionKeepsNoLockBeyondTheMaximumHoldTime() {
		Lease lease = watch("a", Validity.session(() -> true),
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

	private Lease watch(String key, Duration granted, LeaseTerms terms) {
		return watch(key, Validity.until(this.clock.now(), granted), terms);
	}

	private Lease watch(String key, Validity validity, LeaseTerms terms) {
		Ticket ticket = new Ticket(key, LockMode.EXCLUSIVE, "me", this.tickets++, false);
		Lease lease = new Lease(validity, terms, this.clock) {

			@Override
			protected TimeSource clock() {
				return LeaseRenewerTests.this.clock;
			}

			@Override
			protected Ticket ticket() {
				return ticket;
			}

			@Override
			protected long lastToken() {
				return 1;
			}

			@Override
			protected @Nullable Thread owningThread() {
				return null;
			}

			@Override
			protected void lost(LossCause cause, String reason) {
				LeaseRenewerTests.this.lost.add(key + ": " + reason);
				if (LeaseRenewerTests.this.throwing) {
					throw new AssertionError("listener");
				}
			}

		};
		this.renewer.watch(lease);
		return lease;
	}

	private static LeaseTerms watched(Duration lease) {
		return new LeaseTerms(lease, lease, true, null, null);
	}

	private static LeaseTerms explicit(Duration lease) {
		return new LeaseTerms(lease, LeaseTerms.lasting(lease), false, null, null);
	}

	@Override
	public void renewed(int renewed, int gone, int notAsked, Duration late) {
		this.failed += notAsked;
		this.lateness.add(late);
	}

}
