package io.github.distlock.sample.inventory;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/**
 * What can go wrong on request. That a crash ends the process is shown by processes.
 */
class FaultsTests {

	private final Faults faults = TestShop.faults(TestShop.properties(Duration.ZERO));

	@Test
	void unaskedNothingGoesWrong() {
		this.faults.crashIfAsked();
		assertThat(this.faults.slowness()).isZero();
		assertThat(this.faults.currentTimeMillis()).isCloseTo(System.currentTimeMillis(), within(60_000L));
	}

	@Test
	void aHolderThatHasPassedItsCrashPointWhenTheFaultIsAimedDoesNotCrash() {
		this.faults.crashBetweenCommandsIfAsked();
		this.faults.arm(Faults.Kind.of("crash"));
		// Would end this JVM.
		this.faults.crashIfAsked();
		assertThat(this.faults.disarm()).isFalse();
	}

	@Test
	void oneHolderIsSlowForMoreThanItsLease() {
		this.faults.arm(Faults.Kind.of("slow"));
		assertThat(this.faults.slowness()).isEqualTo(Duration.ofSeconds(15));
		assertThat(this.faults.slowness()).isZero();
		assertThat(this.faults.disarm()).isTrue();
	}

	@Test
	void whatMetNobodyIsTold() {
		this.faults.arm(Faults.Kind.of("slow"));
		assertThat(this.faults.disarm()).isFalse();
		assertThat(this.faults.slowness()).isZero();
	}

	@Test
	void aWrongClockIsThreeHoursAheadUntilItIsTakenBack() {
		this.faults.arm(Faults.Kind.of("clock"));
		long threeHours = Duration.ofHours(3).toMillis();
		assertThat(this.faults.currentTimeMillis() - System.currentTimeMillis()).isCloseTo(threeHours, within(60_000L));
		assertThat(this.faults.disarm()).isTrue();
		assertThat(this.faults.currentTimeMillis()).isCloseTo(System.currentTimeMillis(), within(60_000L));
	}

}
