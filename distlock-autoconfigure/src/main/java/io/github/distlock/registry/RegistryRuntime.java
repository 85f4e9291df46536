package io.github.distlock.registry;

import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.github.distlock.LockBackendException;
import io.github.distlock.LockInstance;
import io.github.distlock.LockListener;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.BackendDescription;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.LockSignals;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.StoreInspection;
import io.github.distlock.backend.Ticket;
import io.github.distlock.environment.EngineEnvironment;
import io.github.distlock.environment.EngineThreads;
import io.github.distlock.registry.Caller.Callers;
import io.github.distlock.registry.RegistrySettings.ReleaseMode;
import io.github.distlock.registry.RegistrySnapshot.HeldLockSnapshot;
import io.github.distlock.registry.RegistrySnapshot.WaitingSnapshot;
import io.github.distlock.engine.HeldLocks;
import io.github.distlock.engine.Hold;
import io.github.distlock.engine.KeySnapshot;
import io.github.distlock.engine.KeySnapshot.UnfinishedWork;
import io.github.distlock.engine.KeyTable;
import io.github.distlock.thread.LockLog;
import org.apache.commons.logging.Log;

/**
 * One run of a registry, from start to shutdown: its instance name in the store, its
 * threads, and the objects that work with them.
 */
final class RegistryRuntime implements LockSignals {

	private static final Log logger = LockLog.of(RegistryRuntime.class);

	/** How much of the grace period is left for closing the store. */
	private static final long CLOSE_NANOS = TimeUnit.SECONDS.toNanos(1);

	/** How long a command may take if the store does not specify it. */
	private static final long DEFAULT_COMMAND_NANOS = TimeUnit.SECONDS.toNanos(2);

	private static final long POLL_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

	private final LockStore store;

	private final EngineEnvironment environment;

	private final EngineThreads threads;

	private final BackendDescription description;

	private final LockInstance self;

	private final Callers callers;

	private final KeyTable keys;

	private final HeldLocks heldLocks;

	/** Whether this object is complete. */
	private volatile boolean ready;

	RegistryRuntime(LockBackend backend, RegistrySettings settings, Callers callers, EngineEnvironment environment,
			ThreadLocal<Map<String, Hold>> holdsOfThread) {
		this.callers = callers;
		this.description = backend.description();
		this.threads = environment.newThreads();
		this.environment = environment;
		this.self = InstanceIdentity.create(environment.newInstanceId(), settings.application());
		LockStore store = null;
		try {
			store = backend.open(new StoreContext(this.self, this, environment.random()));
			this.store = store;
			this.keys = new KeyTable(store, this.description, this.self.text(), settings.backendTimeout(),
					settings.handOff(), environment, this.threads);
			this.heldLocks = new HeldLocks(store, this.description, this.keys, environment, this.threads,
					callers.listeners(), settings.release() == ReleaseMode.BACKGROUND, settings.interruptOnLost(),
					holdsOfThread);
		}
		catch (RuntimeException | Error ex) {
			// Nothing else would ever close them.
			this.threads.timers().stop();
			if (store != null) {
				store.close();
			}
			throw ex;
		}
		new SlowWaits(this, settings.slowWait(), this.threads.timers());
		this.ready = true;
		if (this.self.isResolved()) {
			logger.info("Locks in " + store.location() + ", instance " + this.self.describe());
		}
		LockLog.flush();
	}

	KeyTable keys() {
		return this.keys;
	}

	RegistrySnapshot snapshot() {
		Map<String, Integer> waiting = this.callers.waitingByKey();
		// By their start: ages that are read one after the other are not in order.
		List<HeldLockSnapshot> held = this.heldLocks.holds()
			.sorted(Comparator.comparingLong(Hold::startNanos))
			.map((hold) -> HeldLockSnapshot.of(hold, this.environment.clock().wallMillis(),
					waiting.getOrDefault(hold.key(), 0)))
			.toList();
		return new RegistrySnapshot(this.self, held,
				this.callers.longestWaitingFirst().stream().map(this::waitingSnapshot).toList(),
				this.heldLocks.renewer().lateness(), this.keys.snapshot(), this.heldLocks.renewer().size(),
				this.threads.timers().size(), this.heldLocks.numberOfThisThread());
	}

	private WaitingSnapshot waitingSnapshot(Caller caller) {
		LockRequest request = caller.request();
		return new WaitingSnapshot(request.key(), request.label(), request.mode(), caller.name(),
				wallTime(nanoTime() - caller.waitingSinceNanos()));
	}

	LockInstance self() {
		return this.self;
	}

	LockStore store() {
		return this.store;
	}

	Callers callers() {
		return this.callers;
	}

	long nanoTime() {
		return this.environment.clock().nanoTime();
	}

	/** Return the wall time some nanoseconds ago. For reports only. */
	Instant wallTime(long nanosAgo) {
		return Instant.ofEpochMilli(this.environment.clock().wallMillis() - TimeUnit.NANOSECONDS.toMillis(nanosAgo));
	}

	HeldLocks heldLocks() {
		return this.heldLocks;
	}

	/**
	 * End this run.
	 * <p>
	 * Locks that are still held after the grace period end with their leases: their
	 * holders may still be working, so no other caller may acquire them sooner. The same
	 * holds for locks in their minimum hold time, for which nothing waits. In a store
	 * without leases those are released, since the client of the store may live on.
	 * <p>
	 * Commands that have been sent may take one command time-out within the grace period,
	 * so that locks granted by them are released. Commands that the store has failed to
	 * answer are not waited for. A release in the background may take one command
	 * time-out after the grace period.
	 */
	void close(long graceNanos) {
		this.keys.close();
		UnfinishedWork unfinished = awaitWork(graceNanos - Math.min(CLOSE_NANOS, graceNanos / 10));
		boolean finished = unfinished == UnfinishedWork.NOTHING;
		if (!finished) {
			List<String> keys = this.keys.snapshot().stream().limit(10).map(KeySnapshot::key).toList();
			logger
				.warn("The shutdown does not wait any longer for "
						+ ((unfinished == UnfinishedWork.HELD_LOCKS)
								? "locks that are held in " + this.callers.backend()
								: "commands that " + this.callers.backend()
										+ " has refused or not answered, for the locks")
						+ ": " + keys + ". What they may hold ends with its lease or session");
		}
		boolean releasing = this.heldLocks.stop() || finished;
		this.threads.timers().stop();
		this.threads.renewals().shutdown();
		this.threads.commands().shutdown();
		try {
			// Commands that have been sent.
			this.threads.commands().awaitTermination(releasing ? DEFAULT_COMMAND_NANOS : 0, TimeUnit.NANOSECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		this.threads.callbacks().shutdown();
		this.store.close();
		// The JVM may end next.
		LockLog.flush();
	}

	/**
	 * Wait until no lock is held and no command is under way, until waiting longer is of
	 * no use, or until the thread is interrupted.
	 * <p>
	 * This polls. Work is finished in many places of two packages, some of them under the
	 * lock of a key; a single signal that is missed there would make the shutdown take
	 * the whole grace period. Its time passes although a manual clock stands still while
	 * this thread waits.
	 * @return what is unfinished
	 */
	private UnfinishedWork awaitWork(long graceNanos) {
		long timeoutNanos = this.description.commandTimeout().toNanos();
		long commandNanos = (timeoutNanos > 0) ? timeoutNanos : DEFAULT_COMMAND_NANOS;
		long start = this.environment.waitingNanos();
		long lastHold = start;
		while (true) {
			UnfinishedWork unfinished = this.heldLocks.unfinished();
			long now = this.environment.waitingNanos();
			if (unfinished == UnfinishedWork.HELD_LOCKS) {
				lastHold = now;
			}
			boolean settled = unfinished == UnfinishedWork.NOTHING || unfinished == UnfinishedWork.RETRIES;
			boolean graceOver = now - start - graceNanos >= (this.keys.isAnyUnanswered() ? commandNanos : 0);
			if (settled || graceOver || now - lastHold >= commandNanos || Thread.currentThread().isInterrupted()) {
				return unfinished;
			}
			this.environment.park(this, POLL_INTERVAL_NANOS);
		}
	}

	/**
	 * Handle a signal of the store. Signals are ignored until this object is complete: no
	 * caller waits for a lock or holds one yet.
	 */
	private void handle(Runnable signal) {
		if (this.ready) {
			signal.run();
		}
	}

	@Override
	public void granted(Ticket ticket, Grant grant) {
		handle(() -> this.keys.granted(ticket, grant));
	}

	@Override
	public void retry(Ticket ticket) {
		handle(() -> this.keys.retry(ticket));
	}

	@Override
	public void retryAll() {
		handle(() -> this.keys.retryAll());
	}

	@Override
	public void renewNow(Collection<Ticket> tickets) {
		handle(() -> this.heldLocks.renewer().renewNow(tickets));
	}

	@Override
	public void renewAll() {
		handle(() -> this.heldLocks.renewer().renewAll());
	}

	@Override
	public void ended(Ticket ticket, long grantToken) {
		handle(() -> {
			this.heldLocks.noteEnded(ticket, grantToken);
			// Not here: the store is asked, and listeners are notified. If no thread
			// takes it, the next renewal or release of the lock reports its end.
			this.keys.tasks().execute(() -> loseIfEnded(ticket, grantToken));
		});
	}

	/**
	 * Report a loss only if the grant has really ended: a loss also releases the lock,
	 * and each client that may publish to the inbox can forge the message.
	 */
	private void loseIfEnded(Ticket ticket, long grantToken) {
		StoreInspection inspection = this.store.inspection();
		try {
			if (inspection != null && this.heldLocks.find(ticket.key(), grantToken) != null && inspection
				.inspect(ticket.key())
				.holders()
				.stream()
				.anyMatch(
						(holder) -> holder.instance().equals(ticket.instance()) && holder.grantToken() == grantToken)) {
				this.heldLocks.forgetEnded(ticket);
				return;
			}
		}
		catch (LockBackendException ex) {
			logger.debug("The store does not say whether the grant has ended", ex);
		}
		this.heldLocks.loseEnded(ticket, grantToken);
	}

	@Override
	public void resubscribed(String inbox, String server) {
		LockListener.Resubscribed event = new LockListener.Resubscribed(this.callers.backend(), inbox, server);
		handle(() -> this.keys.tasks()
			.callBack(() -> this.callers.listeners().notifyEach((listener) -> listener.onResubscribed(event))));
	}

}
