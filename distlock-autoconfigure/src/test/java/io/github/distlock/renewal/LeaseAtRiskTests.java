package io.github.distlock.renewal;

import java.time.Duration;

import io.github.distlock.backend.Validity;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The warning of a lock that is likely to be lost, with a manual clock.
 */
@ExtendWith(OutputCaptureExtension.class)
class LeaseAtRiskTests extends RenewalFixture {

	private static final Duration LEASE = Duration.ofSeconds(30);

	@Test
	void aLeaseIsAtRiskWhenItsRenewalFailedAndLessThanHalfOfItIsLeft(CapturedOutput output) {
		Lease lease = watch("order-7", "orders");
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
		Lease first = watch("first", "orders");
		watch("second", "orders");
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
		watch("retained", null);
		this.store.failing = true;
		this.timers.pass(Duration.ofSeconds(25));
		assertThat(output).contains("Leases could not be renewed").doesNotContain("is at risk");
	}

	private static int warnings(CapturedOutput output, String key) {
		return output.toString().split("Lock '" + key + "' \\(orders\\) is at risk", -1).length - 1;
	}

	private Lease watch(String key, @Nullable String name) {
		return watch(new TestLease(key, name, Validity.until(this.clock.now(), LEASE), watched(LEASE)));
	}

}
