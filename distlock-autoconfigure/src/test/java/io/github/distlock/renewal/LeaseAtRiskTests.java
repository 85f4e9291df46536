package io.github.distlock.renewal;

import java.time.Duration;

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
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The warning of a lock that is likely to be lost, with a manual clock.
 */
@ExtendWith(OutputCaptureExtension.class)
class LeaseAtRiskTests {

	private static final Duration LEASE = Duration.ofSeconds(30);

	private final ManualClock clock = new ManualClock();

	private final ManualTimers timers = new ManualTimers(this.clock);

	private final ScriptedStore store = new ScriptedStore(this.clock);

	private final LeaseRenewer renewer = new LeaseRenewer(this.store, EngineEnvironment.of(this.clock), Runnable::run,
			this.timers, (renewed, gone, failed, lateness) -> {
			});

	@AfterEach
	void stop() {
		this.timers.shutdownNow();
	}

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
		Lease lease = lease(key, name);
		this.renewer.watch(lease);
		return lease;
	}

	private Lease lease(String key, @Nullable String name) {
		Ticket ticket = new Ticket(key, LockMode.EXCLUSIVE, "me", 1, false);
		return new Lease(Validity.until(this.clock.now(), LEASE), new LeaseTerms(LEASE, LEASE, true, null, null),
				this.clock) {

			@Override
			protected TimeSource clock() {
				return LeaseAtRiskTests.this.clock;
			}

			@Override
			protected Ticket ticket() {
				return ticket;
			}

			@Override
			protected @Nullable String name() {
				return name;
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
			}

		};
	}

}
