package io.github.distlock.renewal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

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
 * The cost when the session of very many leases is in doubt.
 */
class ManyLeasesInDoubtTests {

	private static final int LEASES = 1000;

	private final ManualClock clock = new ManualClock();

	private final ManualTimers timers = new ManualTimers(this.clock);

	private final ScriptedStore store = new ScriptedStore(this.clock);

	private final LeaseRenewer renewer = new LeaseRenewer(this.store, EngineEnvironment.of(this.clock), Runnable::run,
			this.timers, (renewed, gone, failed, lateness) -> {
			});

	private final AtomicInteger looks = new AtomicInteger();

	@AfterEach
	void stop() {
		this.timers.shutdownNow();
	}

	@Test
	void theLeasesOfASessionInDoubtAreFoundInOnePass() {
		List<Ticket> tickets = new ArrayList<>();
		for (int i = 0; i < LEASES; i++) {
			tickets.add(watch(i));
		}
		watch(LEASES);
		this.looks.set(0);
		this.renewer.renewNow(tickets);
		assertThat(this.looks).hasValueLessThanOrEqualTo(2 * LEASES);
		this.timers.pass(Duration.ofMillis(10));
		// Except the lease whose session is not in doubt.
		assertThat(this.store.batches.stream().mapToInt(List::size).sum()).isEqualTo(LEASES);
	}

	private Ticket watch(int number) {
		Ticket ticket = new Ticket("k" + number, LockMode.EXCLUSIVE, "me", number, false);
		Duration lease = Duration.ofSeconds(30);
		this.renewer.watch(
				new Lease(Validity.session(() -> true), new LeaseTerms(lease, lease, false, null, null), this.clock) {

					@Override
					protected TimeSource clock() {
						return ManyLeasesInDoubtTests.this.clock;
					}

					@Override
					protected Ticket ticket() {
						ManyLeasesInDoubtTests.this.looks.incrementAndGet();
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
					}

				});
		return ticket;
	}

}
