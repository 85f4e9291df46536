package io.github.distlock.registry;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import io.github.distlock.LockInstance;
import io.github.distlock.backend.StoreAdministration;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Keeps the entry of this instance in the store while the JVM holds locks or waits for
 * them: one command every ten seconds. The entry is for messages and operators only; a
 * store that refuses it is no failure of a lock. Thread-safe.
 */
final class InstanceAnnouncement {

	static final long INTERVAL_NANOS = StoreAdministration.ENTRY_TTL.toNanos() / 3;

	private static final Log logger = LogFactory.getLog(InstanceAnnouncement.class);

	private final StoreAdministration store;

	private final Executor executor;

	private final BooleanSupplier active;

	/**
	 * Whether the entry was not refreshed since nothing was held or waited for. The next
	 * caller refreshes it. Two callers may both do so: that is harmless.
	 */
	private volatile boolean stale;

	/** Whether the store has taken the last entry. */
	private volatile boolean announced;

	InstanceAnnouncement(StoreAdministration store, Executor executor, BooleanSupplier active) {
		this.store = store;
		this.executor = executor;
		this.active = active;
	}

	/** Say where the locks are, write the entry, and keep it from now on. */
	void start(LockInstance self, ScheduledExecutorService timers, Runnable afterFirst) {
		try {
			logger.info("Locks in " + this.store.location() + ", instance " + self.describe());
		}
		catch (RuntimeException ex) {
			logger.debug("The store does not say where it is", ex);
		}
		try {
			this.executor.execute(() -> {
				announce();
				afterFirst.run();
			});
			timers.scheduleWithFixedDelay(this::refresh, INTERVAL_NANOS, INTERVAL_NANOS, TimeUnit.NANOSECONDS);
		}
		catch (RejectedExecutionException ex) {
			logger.debug("The registry is shutting down", ex);
		}
	}

	/** A caller of this JVM holds a lock, or waits. Almost always only reads a flag. */
	void used() {
		if (this.stale) {
			this.stale = false;
			execute(this::announce);
		}
	}

	/**
	 * Remove the entry. Does nothing if the store does not answer: then the entry
	 * expires.
	 */
	void withdraw() {
		if (this.announced) {
			try {
				this.store.withdraw();
			}
			catch (RuntimeException ex) {
				logger.debug("The entry of this instance could not be removed: it expires", ex);
			}
		}
	}

	/** Whether an entry has to be removed, and the store is likely to answer. */
	boolean isAnnounced() {
		return this.announced;
	}

	private void refresh() {
		if (this.active.getAsBoolean()) {
			execute(this::announce);
		}
		else {
			this.stale = true;
		}
	}

	private void execute(Runnable command) {
		try {
			this.executor.execute(command);
		}
		catch (Throwable ex) {
			// Shut down, or no thread can be started. The next interval tries again.
			logger.debug("The entry of this instance was not refreshed", ex);
		}
	}

	private void announce() {
		try {
			this.store.announce();
			this.announced = true;
		}
		catch (Throwable ex) {
			this.announced = false;
			logger.debug("The entry of this instance could not be written: operators see its id only", ex);
		}
	}

}
