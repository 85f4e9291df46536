package io.github.distlock.backend;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import io.github.distlock.testing.ManualClock;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How long a grant is valid.
 */
class ValidityTests {

	private final ManualClock clock = new ManualClock();

	@Test
	void itEndsBeforeTheStoresLeaseByAMargin() {
		Validity validity = Validity.until(this.clock.now(), Duration.ofSeconds(10));
		this.clock.pass(Duration.ofMillis(9899));
		assertThat(validity.hasPassed(this.clock)).isFalse();
		this.clock.pass(Duration.ofMillis(1));
		assertThat(validity.hasPassed(this.clock)).isTrue();
	}

	@Test
	void theMarginOfAShortLeaseIsFiveMilliseconds() {
		Validity validity = Validity.until(this.clock.now(), Duration.ofMillis(100));
		assertThat(validity.remainingNanos(this.clock)).isEqualTo(Duration.ofMillis(95).toNanos());
	}

	@Test
	void theTimeOfTheRoundTripCounts() {
		TimeSource.Instant sent = this.clock.now();
		this.clock.pass(Duration.ofMillis(200));
		assertThat(Validity.until(sent, Duration.ofMillis(200)).hasPassed(this.clock)).isTrue();
	}

	@Test
	void aGrantEndsWhenTheMachineWasSuspended() {
		Validity validity = Validity.until(this.clock.now(), Duration.ofSeconds(10));
		this.clock.suspend(Duration.ofMillis(90));
		assertThat(validity.hasPassed(this.clock)).isFalse();
		this.clock.suspend(Duration.ofMillis(20));
		assertThat(validity.hasPassed(this.clock)).isTrue();
	}

	@Test
	void aThreadThatIsPausedBetweenTwoReadingsOfTheClocksDoesNotLookLikeASuspendedMachine() {
		Validity validity = Validity.until(this.clock.now(), Duration.ofSeconds(10));
		TimeSource pausing = new TimeSource() {

			@Override
			public long nanoTime() {
				ValidityTests.this.clock.pass(Duration.ofSeconds(1));
				return ValidityTests.this.clock.nanoTime();
			}

			@Override
			public long wallMillis() {
				ValidityTests.this.clock.pass(Duration.ofSeconds(1));
				return ValidityTests.this.clock.wallMillis();
			}

		};
		assertThat(validity.remainingNanos(pausing)).isPositive();
		assertThat(validity.suspended(pausing)).isFalse();
	}

	@Test
	void aValidityBoundToASessionHasNoDeadlineAndEndsWithIt() {
		AtomicLong left = new AtomicLong(Long.MAX_VALUE);
		Validity validity = Validity.session(left::get);
		this.clock.pass(Duration.ofDays(10));
		assertThat(validity.hasPassed(this.clock)).isFalse();
		assertThat(validity.sessionNanos()).isEqualTo(Long.MAX_VALUE);
		left.set(0);
		assertThat(validity.hasPassed(this.clock)).isTrue();
		assertThat(validity.sessionNanos()).isZero();
	}

	@Test
	void theCertainTimeOfASessionDecidesNothing() {
		AtomicLong left = new AtomicLong(1000);
		Validity validity = Validity.session(left::get);
		assertThat(validity.sessionNanos()).isEqualTo(1000);
		// The session may be extended.
		assertThat(validity.remainingNanos(this.clock)).isEqualTo(Long.MAX_VALUE);
		left.set(-1);
		assertThat(validity.sessionNanos()).isZero();
		assertThat(validity.hasPassed(this.clock)).isTrue();
		Validity withDeadline = Validity.until(this.clock.now(), Duration.ofSeconds(10));
		assertThat(withDeadline.sessionNanos()).isEqualTo(Long.MAX_VALUE);
	}

}
