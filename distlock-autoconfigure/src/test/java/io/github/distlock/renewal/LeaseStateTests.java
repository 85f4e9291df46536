package io.github.distlock.renewal;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.distlock.backend.Validity;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Queries of a lease. They have no effect outside the lease, and a lease that was found
 * not to be held is never held again.
 */
class LeaseStateTests extends RenewalFixture {

	private static final Duration LEASE = Duration.ofSeconds(30);

	private Lease watch(Validity validity) {
		return watch("a", validity, watched(LEASE));
	}

	@Test
	void aQueryReportsNoLossAndTheScanReportsItOnce() {
		Lease lease = watch(Validity.until(this.clock.now(), LEASE));
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
		Lease lease = watch(Validity.until(this.clock.now(), LEASE));
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
		Lease lease = watch(Validity.session(() -> alive.get() ? Long.MAX_VALUE : 0));
		assertThat(lease.isValid()).isTrue();
		alive.set(false);
		assertThat(lease.isValid()).isFalse();
		alive.set(true);
		assertThat(lease.isValid()).isFalse();
		assertThat(lease.remainingNanos()).isZero();
		assertThat(lease.endLease()).isZero();
		assertThat(this.lost).hasSize(1);
	}

}
