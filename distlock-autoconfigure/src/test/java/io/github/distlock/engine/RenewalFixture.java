package io.github.distlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.github.distlock.LockMode;
import io.github.distlock.LossCause;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;
import io.github.distlock.environment.EngineEnvironment;
import io.github.distlock.engine.LeaseRenewer.RenewalListener;
import io.github.distlock.testing.ManualClock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;

/**
 * A renewer with a manual clock and a store of the test.
 */
abstract class RenewalFixture implements RenewalListener {

	final ManualClock clock = new ManualClock();

	final ManualTimers timers = new ManualTimers(this.clock);

	final ScriptedStore store = new ScriptedStore(this.clock);

	/** The key and the reason of each loss. */
	final List<String> lost = new ArrayList<>();

	final LeaseRenewer renewer = new LeaseRenewer(this.store, 100, EngineEnvironment.of(this.clock), this::execute,
			this.timers, this);

	private long tickets;

	@AfterEach
	void stop() {
		this.timers.shutdownNow();
	}

	/** The executor of the renewer. */
	void execute(Runnable task) {
		task.run();
	}

	@Override
	public void renewed(int renewed, int gone, int failed, Duration lateness) {
	}

	static LeaseTerms watched(Duration lease) {
		return new LeaseTerms(lease, lease, true, null, null);
	}

	Lease watch(String key, Duration granted, LeaseTerms terms) {
		return watch(key, Validity.until(this.clock.now(), granted), terms);
	}

	Lease watch(String key, Validity validity, LeaseTerms terms) {
		return watch(new TestLease(key, null, validity, terms));
	}

	Lease watch(Lease lease) {
		this.renewer.watch(lease);
		return lease;
	}

	/** A lease whose loss is recorded. */
	class TestLease extends Lease {

		private final Ticket ticket;

		private final @Nullable String name;

		TestLease(String key, @Nullable String name, Validity validity, LeaseTerms terms) {
			super(validity, terms, RenewalFixture.this.clock);
			this.ticket = new Ticket(key, LockMode.EXCLUSIVE, "me", RenewalFixture.this.tickets++, false);
			this.name = name;
		}

		@Override
		protected TimeSource clock() {
			return RenewalFixture.this.clock;
		}

		@Override
		protected Ticket ticket() {
			return this.ticket;
		}

		@Override
		protected @Nullable String name() {
			return this.name;
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
		protected void lost(LossCause cause) {
			RenewalFixture.this.lost.add(this.ticket.key() + ": " + cause.description());
		}

	}

}
