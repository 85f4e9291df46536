package io.github.distlock.renewal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

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
 * Queries of a lease. They have no effect outside the lease, and a lease that was found
 * not to be held is never held again.
 */
class LeaseStateTests implements RenewalListener {

	private static final Duration LEASE = Duration.ofSeconds(30);

	private final ManualClock clock = new ManualClock();

	private final ManualTimers timers = new ManualTimers(this.clock);

	private final ScriptedStore store = new ScriptedStore(this.clock);

	private final List<String> lost = new ArrayList<>();

	private final LeaseRenewer renewer = new LeaseRenewer(this.store, EngineEnvironment.of(this.clock), Runnable::run,
			this.timers, this);

	@AfterEach
	void stop() {
		this.timers.shutdownNow();
	}

	private WatchedLease watch(Validity validity) {
		WatchedLease lease = new WatchedLease(validity);
		this.renewer.watch(lease);
		return lease;
	}

	@Override
	public void renewed(int renewed, int gone, int failed, Duration lateness) {
	}

	@Test
	void aQueryReportsNoLossAndTheScanReportsItOnce() {
		WatchedLease lease = watch(Validity.until(this.clock.now(), LEASE));
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
		WatchedLease lease = watch(Validity.until(this.clock.now(), LEASE));
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
		WatchedLease lease = watch(Validity.session(alive::get));
		assertThat(lease.isValid()).isTrue();
		alive.set(false);
		assertThat(lease.isValid()).isFalse();
		alive.set(true);
		assertThat(lease.isValid()).isFalse();
		assertThat(lease.remainingNanos()).isZero();
		assertThat(lease.endLease()).isZero();
		assertThat(this.lost).hasSize(1);
	}

	private final class WatchedLease extends Lease {

		WatchedLease(Validity validity) {
			super(validity, new LeaseTerms(LEASE, LEASE, true, null, null), LeaseStateTests.this.clock);
		}

		@Override
		protected TimeSource clock() {
			return LeaseStateTests.this.clock;
		}

		@Override
		protected Ticket ticket() {
			return new Ticket("a", LockMode.EXCLUSIVE, "jvm", 1, false);
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
			LeaseStateTests.this.lost.add(reason);
		}

	}

}
