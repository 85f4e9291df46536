package io.github.distlock.registry;

import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;

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
import io.github.distlock.backend.TimeSource;
import io.github.distlock.environment.EngineEnvironment;
import io.github.distlock.environment.EngineThreads;
import io.github.distlock.registry.RegistrySnapshot.KeptLockSnapshot;
import io.github.distlock.registry.RegistrySnapshot.WaitingSnapshot;
import io.github.distlock.renewal.LeaseRenewer;
import io.github.distlock.waiting.KeySnapshot;
import io.github.distlock.waiting.LockAcquirer;
import io.github.distlock.waiting.UnfinishedWork;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * One run of a registry, from start to shutdown: its instance name in the store, its
 * threads, and the objects that work with them.
 */
final class RegistryRuntime implements LockSignals {

	private static final Log logger = LogFactory.getLog(RegistryRuntime.class);

	/** How much of the grace period is left for closing the store. */
	private static final long CLOSE_NANOS = TimeUnit.SECONDS.toNanos(1);

	private final LockStore store;

	private final EngineEnvironment environment;

	private final EngineThreads threads;

	private final CompositeLockListener listeners;

	private final TimeSource clock;

	private final BackendDescription description;

	private final LockInstance self;

	private final WaitingCallers waitingCallers = new WaitingCallers();

	private final LockAcquirer acquirer;

	private final HeldLocks heldLocks;

	/**
	 * Whether this object is complete. Signals before that are ignored: no caller waits
	 * for a lock or holds one yet.
	 */
	private volatile boolean ready;

	RegistryRuntime(LockBackend backend, RegistrySettings settings, CompositeLockListener listeners,
			EngineEnvironment environment) {
		this.listeners = listeners;
		this.description = backend.description();
		this.threads = environment.newThreads();
		this.environment = environment;
		this.clock = environment.clock();
		this.self = InstanceIdentity.create(environment.newInstanceId(), settings.application());
		LockStore store = backend.open(new StoreContext(this.self, this, environment.random()));
		try {
			this.store = store;
			this.acquirer = new LockAcquirer(store, this.description, this.self.text(), settings.backendTimeout(),
					settings.handOff(), environment, this.threads.commands(), this.threads.callbacks(),
					this.threads.timers());
			this.heldLocks = new HeldLocks(
					this.description, this.acquirer, (events) -> new LeaseRenewer(store, this.description.batchSize(),
							environment, this.threads.renewals(), this.threads.timers(), events),
					listeners, environment, settings);
		}
		catch (RuntimeException | Error ex) {
			// Nothing else would ever close it.
			this.threads.timers().shutdownNow();
			store.close();
			throw ex;
		}
		new SlowWaits(this, settings.slowWait(), this.threads.timers());
		this.ready = true;
		if (this.self.isResolved()) {
			logger.info("Locks in " + store.location() + ", instance " + this.self.describe());
		}
	}

	LockAcquirer acquirer() {
		return this.acquirer;
	}

	RegistrySnapshot snapshot() {
		List<KeySnapshot> keys = this.acquirer.snapshot();
		return new RegistrySnapshot(this.self, this.heldLocks.snapshot(this.waitingCallers),
				KeptLockSnapshot.of(keys, this.clock.wallMillis()),
				this.waitingCallers.longestFirst().stream().map(this::waitingSnapshot).toList(),
				this.heldLocks.renewer().lateness(), keys, this.heldLocks.renewer().size(), this.threads.timersSet(),
				this.heldLocks.numberOfThisThread());
	}

	private WaitingSnapshot waitingSnapshot(WaitingCaller caller) {
		LockRequest request = caller.request();
		return new WaitingSnapshot(request.key(), request.label(), request.mode(), caller.name(),
				wallTime(nanoTime() - caller.startNanos()));
	}

	LockInstance self() {
		return this.self;
	}

	LockStore store() {
		return this.store;
	}

	WaitingCallers waitingCallers() {
		return this.waitingCallers;
	}

	long nanoTime() {
		return this.clock.nanoTime();
	}

	/** Return the wall time some nanoseconds ago. For reports only. */
	Instant wallTime(long nanosAgo) {
		return Instant.ofEpochMilli(this.clock.wallMillis() - TimeUnit.NANOSECONDS.toMillis(nanosAgo));
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
		this.acquirer.close();
		UnfinishedWork unfinished = new ShutdownWait(this.description, this.heldLocks, this.acquirer, this.environment)
			.await(graceNanos - Math.min(CLOSE_NANOS, graceNanos / 10));
		boolean finished = unfinished == UnfinishedWork.NOTHING;
		if (!finished) {
			List<String> keys = this.acquirer.snapshot().stream().limit(10).map(KeySnapshot::key).toList();
			logger.warn("The shutdown does not wait any longer for locks in " + this.description.name()
					+ " that are held, or whose" + " commands the store has not answered: " + keys
					+ ". They end with their leases or sessions");
		}
		this.heldLocks.stop();
		boolean releasing = this.heldLocks.minimumHoldTimes().releaseUnlessExpiring() || finished;
		this.threads.timers().shutdownNow();
		this.threads.renewals().shutdown();
		this.threads.commands().shutdown();
		try {
			// Commands that have been sent.
			this.threads.commands()
				.awaitTermination(releasing ? ShutdownWait.DEFAULT_COMMAND_NANOS : 0, TimeUnit.NANOSECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		this.threads.callbacks().shutdown();
		this.acquirer.callBackLast();
		this.store.close();
	}

	@Override
	public void granted(Ticket ticket, Grant grant) {
		if (this.ready) {
			this.acquirer.granted(ticket, grant);
		}
	}

	@Override
	public void retry(Ticket ticket) {
		if (this.ready) {
			this.acquirer.retry(ticket);
		}
	}

	@Override
	public void retryAll() {
		if (this.ready) {
			this.acquirer.retryAll();
		}
	}

	@Override
	public void renewNow(Collection<Ticket> tickets) {
		if (this.ready) {
			this.heldLocks.renewer().renewNow(tickets);
		}
	}

	@Override
	public void ended(Ticket ticket, long grantToken) {
		// First: the message may be forged, and a caller that entered the kept lock after
		// the note would be told of a loss. If the lock is only kept, its release finds
		// it gone, and reports that.
		asked(ticket, grantToken, null);
		if (this.ready) {
			this.heldLocks.noteEnded(ticket, grantToken);
			// Not here: the store is asked, and listeners are notified. If no thread
			// takes it, the next renewal or release of the lock reports its end.
			this.acquirer.execute(() -> loseIfEnded(ticket, grantToken));
		}
	}

	@Override
	public void asked(Ticket held, long grantToken, @Nullable Ticket requester) {
		if (this.ready) {
			this.acquirer.releases().asked(held, requester);
		}
	}

	@Override
	public void refused(Ticket requester) {
		if (this.ready) {
			this.acquirer.releases().refused(requester);
		}
	}

	@Override
	public void requestsMayBeLost() {
		if (this.ready) {
			this.acquirer.releases().requestsMayBeLost();
		}
	}

	/**
	 * Report a loss only if the grant has really ended: a loss also releases the lock,
	 * and each client that may publish to the inbox can forge the message.
	 */
	private void loseIfEnded(Ticket ticket, long grantToken) {
		if (this.heldLocks.find(ticket.key(), grantToken) != null && isGranted(ticket, grantToken)) {
			this.heldLocks.forgetEnded(ticket);
		}
		else {
			this.heldLocks.loseEnded(ticket, grantToken);
		}
	}

	private boolean isGranted(Ticket ticket, long grantToken) {
		StoreInspection inspection = this.store.inspection();
		try {
			return inspection != null && inspection.inspect(ticket.key())
				.holders()
				.stream()
				.anyMatch((holder) -> holder.instance().equals(ticket.instance()) && holder.grantToken() == grantToken);
		}
		catch (RuntimeException ex) {
			logger.debug("The store does not say whether the grant has ended", ex);
			return false;
		}
	}

	@Override
	public void resubscribed(String inbox, String server) {
		this.listeners.onResubscribed(new LockListener.Resubscribed(this.description.name(), inbox, server));
	}

}
