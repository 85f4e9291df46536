package io.github.distlock.renewal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;

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
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * After an {@link Error} or a rejected task at any step of a renewal, the leases are
 * renewed again before they expire.
 */
class RenewalErrorTests implements RenewalListener {

	private static final Duration LEASE = Duration.ofSeconds(6);

	private final ManualClock clock = new ManualClock();

	private final ManualTimers timers = new ManualTimers(this.clock);

	private final ScriptedStore store = new ScriptedStore(this.clock);

	private final List<String> lost = new ArrayList<>();

	private final LeaseRenewer renewer = new LeaseRenewer(this.store, EngineEnvironment.of(this.clock), this::execute,
			this.timers, this);

	private int errorsOfExecutor;

	private int rejections;

	private int errorsOfStore;

	private long tickets;

	private void execute(Runnable task) {
		if (this.rejections > 0) {
			this.rejections--;
			throw new RejectedExecutionException("injected at the executor");
		}
		if (this.errorsOfExecutor > 0) {
			this.errorsOfExecutor--;
			throw new InternalError("injected at the executor");
		}
		task.run();
	}

	@AfterEach
	void stop() {
		this.timers.shutdownNow();
	}

	@Test
	void aLeaseIsRenewedAgainWhenNoThreadCouldBeStarted() {
		this.errorsOfExecutor = 3;
		assertRenewedAgain();
	}

	@Test
	void aLeaseIsRenewedAgainWhenTheExecutorHasRejectedIt() {
		this.rejections = 3;
		assertRenewedAgain();
	}

	@Test
	void aLeaseIsRenewedAgainWhenTheStoreHasThrownAnError() {
		this.errorsOfStore = 3;
		this.store.meanwhile = () -> {
			if (this.errorsOfStore > 0) {
				this.errorsOfStore--;
				throw new StackOverflowError("injected at the store");
			}
		};
		assertRenewedAgain();
	}

	@Test
	void aLeaseIsRenewedAgainWhenATimerCouldNotBeSet() {
		List<Lease> leases = watch(1);
		this.timers.errors = 2;
		assertRenewed(leases);
	}

	@Test
	void allBatchesOfARoundAreSentAgain() {
		List<Lease> leases = watch(250);
		this.errorsOfExecutor = 2;
		assertRenewed(leases);
	}

	@Test
	void aLockWhoseTimerCouldNotBeSetIsNotWatched() {
		this.timers.errors = 1;
		assertThatExceptionOfType(InternalError.class).isThrownBy(() -> this.renewer.watch(lease("a")))
			.withMessageContaining("injected");
		assertThat(this.renewer.size()).isZero();
		assertRenewed(watch(1));
	}

	private void assertRenewedAgain() {
		assertRenewed(watch(1));
	}

	/** Longer than several leases, so that each has been renewed. */
	private void assertRenewed(List<Lease> leases) {
		this.timers.pass(LEASE.multipliedBy(4));
		assertThat(this.lost).isEmpty();
		assertThat(leases).allSatisfy((lease) -> assertThat(lease.isValid()).isTrue());
		assertThat(this.store.batches.size()).isGreaterThan(3);
	}

	private List<Lease> watch(int count) {
		List<Lease> leases = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			Lease lease = lease("k" + i);
			this.renewer.watch(lease);
			leases.add(lease);
		}
		return leases;
	}

	private Lease lease(String key) {
		Ticket ticket = new Ticket(key, LockMode.EXCLUSIVE, "me", ++this.tickets, false);
		return new Lease(Validity.until(this.clock.now(), LEASE), new LeaseTerms(LEASE, LEASE, true, null, null),
				this.clock) {

			@Override
			protected TimeSource clock() {
				return RenewalErrorTests.this.clock;
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
				RenewalErrorTests.this.lost.add(key);
			}

		};
	}

	@Override
	public void renewed(int renewed, int gone, int failed, Duration lateness) {
	}

}
