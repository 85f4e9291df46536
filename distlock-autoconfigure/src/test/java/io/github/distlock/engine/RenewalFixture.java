package io.github.distlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;

import io.github.distlock.LockListener;
import io.github.distlock.LockMode;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;
import io.github.distlock.engine.Hold.HoldPhase;
import io.github.distlock.engine.Waiter.FutureWaiter;
import io.github.distlock.environment.EngineThreads;
import io.github.distlock.testing.CheckedEnvironment;
import io.github.distlock.testing.IdleStore;
import io.github.distlock.testing.ManualClock;
import io.github.distlock.testing.TestSettings;
import io.github.distlock.thread.LockLog;
import io.github.distlock.thread.LockTimers;
import org.junit.jupiter.api.AfterEach;

/**
 * A renewer with a manual clock and a store of the test.
 */
abstract class RenewalFixture {

	final ManualClock clock = new ManualClock();

	final ManualTimers timers = new ManualTimers(this.clock);

	final ScriptedStore store = new ScriptedStore(this.clock);

	/** The key and the reason of each loss. */
	final List<String> lost = new ArrayList<>();

	private final LockListener listener = new LockListener() {

		@Override
		public void onRenewed(Renewed event) {
			renewed(event.failed(), event.lateness());
		}

	};

	final HeldLocks heldLocks = new HeldLocks(this.store, IdleStore.DESCRIPTION,
			keys(this.store, this.clock, threads()), CheckedEnvironment.of(this.clock), threads(),
			new LockListeners(() -> List.of(this.listener), new LockRecording("test", false)), false, false,
			ThreadLocal.withInitial(HashMap::new)) {

		@Override
		public void lost(Hold hold, HoldPhase before, List<Runnable> callbacks) {
			RenewalFixture.this.lost(hold);
			renewer().forget(hold);
		}

	};

	final LeaseRenewer renewer = this.heldLocks.renewer();

	private long tickets;

	@AfterEach
	void stop() {
		this.timers.stop();
		LockLog.flush();
	}

	/** The executor of the renewer. */
	void execute(Runnable task) {
		task.run();
	}

	void renewed(int failed, Duration lateness) {
	}

	void lost(Hold hold) {
		this.lost.add(hold.key() + ": " + Objects.requireNonNull(hold.lossCause()).description());
	}

	/** Held locks and keys whose commands run on the thread that asks for them. */
	static HeldLocks heldLocks(LockStore store, TimeSource clock, LockTimers timers) {
		EngineThreads threads = threads(Runnable::run, timers);
		return new HeldLocks(store, IdleStore.DESCRIPTION, keys(store, clock, threads), CheckedEnvironment.of(clock),
				threads, new LockListeners(List::of, new LockRecording("test", false)), false, false,
				ThreadLocal.withInitial(HashMap::new));
	}

	static KeyTable keys(LockStore store, TimeSource clock, EngineThreads threads) {
		return new KeyTable(store, IdleStore.DESCRIPTION, "me", Duration.ofSeconds(10), TestSettings.NO_HAND_OFF,
				CheckedEnvironment.of(clock), threads);
	}

	private EngineThreads threads() {
		return threads(this::execute, this.timers);
	}

	static EngineThreads threads(Executor executor, LockTimers timers) {
		ExecutorService service = new ManualExecutor(executor);
		return new EngineThreads(service, service, service, timers);
	}

	static LeaseTerms watched(Duration lease) {
		return new LeaseTerms(lease, lease, true, null, null);
	}

	Hold watch(String key, Duration granted, LeaseTerms terms) {
		return watch(key, Validity.until(this.clock.now(), granted), terms);
	}

	Hold watch(String key, Validity validity, LeaseTerms terms) {
		return watch(LockRequest.of(key), validity, terms);
	}

	Hold watch(LockRequest request, Validity validity, LeaseTerms terms) {
		Hold hold = grant(request, validity, terms);
		hold.takeOver();
		this.renewer.watch(hold);
		return hold;
	}

	/** A lock that its caller has not taken over. */
	Hold grant(LockRequest request, Validity validity, LeaseTerms terms) {
		return grant(new FutureWaiter(this.heldLocks, request, terms, Duration.ZERO, 1, this.clock.nanoTime(),
				this::execute), validity, terms);
	}

	Hold grant(Waiter waiter, Validity validity, LeaseTerms terms) {
		Ticket ticket = new Ticket(waiter.key(), LockMode.EXCLUSIVE, "me", this.tickets++, false);
		return waiter.newHold(new QueuedTicket(ticket, terms.storeLease()), new Grant(1, 1, validity));
	}

	/** Runs its tasks as a test says. */
	private static final class ManualExecutor extends AbstractExecutorService {

		private final Executor executor;

		ManualExecutor(Executor executor) {
			this.executor = executor;
		}

		@Override
		public void execute(Runnable task) {
			this.executor.execute(task);
		}

		@Override
		public void shutdown() {
		}

		@Override
		public List<Runnable> shutdownNow() {
			return List.of();
		}

		@Override
		public boolean isShutdown() {
			return false;
		}

		@Override
		public boolean isTerminated() {
			return false;
		}

		@Override
		public boolean awaitTermination(long timeout, TimeUnit unit) {
			return true;
		}

	}

}
