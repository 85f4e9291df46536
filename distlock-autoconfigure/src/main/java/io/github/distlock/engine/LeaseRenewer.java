package io.github.distlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;

import io.github.distlock.LossCause;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.LockStore.Renewal;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.StoreCalls;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.Validity;
import io.github.distlock.environment.EngineEnvironment;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The watchdog. One timer serves all leases of a registry: it finds the leases that are
 * due for renewal, sends their renewals in batches, and finds the leases that have
 * expired.
 * <p>
 * A lock that is acquired and released quickly costs two operations on a set. The timer
 * is set only if a lease needs it earlier than it would fire. If an error interrupts a
 * scan, the next one follows within a second; a lease whose renewal an error interrupts
 * is retried as after any failure. Thread-safe.
 */
public final class LeaseRenewer {

	private static final Log logger = LogFactory.getLog(LeaseRenewer.class);

	/** How much earlier than planned a renewal may be sent: the resolution of timers. */
	private static final long SLACK_NANOS = 50_000_000;

	/** From here on, the time to the next event means that there is none. */
	private static final long NO_EVENT_NANOS = Long.MAX_VALUE / 8;

	private final Set<Lease> leases = ConcurrentHashMap.newKeySet();

	private final LockStore store;

	private final EngineEnvironment environment;

	private final int batchSize;

	private final Executor executor;

	private final RenewalListener listener;

	private final RenewalTimer timer;

	private volatile boolean stopped;

	private volatile Duration lateness = Duration.ZERO;

	private final RenewalWarnings warnings = new RenewalWarnings();

	/**
	 * Create a renewer.
	 * @param store the store
	 * @param batchSize the maximum number of leases in one renewal
	 * @param environment the clocks, and more of the machine
	 * @param executor sends the renewals
	 * @param timers runs the scans, which do not block
	 * @param listener is notified of renewals
	 */
	public LeaseRenewer(LockStore store, int batchSize, EngineEnvironment environment, Executor executor,
			ScheduledExecutorService timers, RenewalListener listener) {
		this.store = store;
		this.environment = environment;
		this.batchSize = batchSize;
		this.executor = executor;
		this.listener = listener;
		this.timer = new RenewalTimer(environment, timers, this::scan);
	}

	/**
	 * Watch the lease of a lock that has just been granted. If an error is thrown, a
	 * renewal finds that the caller has released the lock.
	 * @param lease the lease
	 */
	public void watch(Lease lease) {
		this.leases.add(lease);
		this.timer.scheduleWithin(lease.untilFirstEvent(), lease.startNanos());
	}

	/**
	 * Stop watching a lease that has ended.
	 * @param lease the lease
	 */
	public void forget(Lease lease) {
		this.leases.remove(lease);
	}

	/**
	 * Let a lease end after a time, without renewing it until then.
	 * @param lease the lease
	 * @param time how long the lock may be held from now on
	 * @return whether the lease was valid until now
	 */
	public boolean expireAfter(Lease lease, Duration time) {
		boolean held = lease.expireAfter(time);
		this.timer.scheduleWithin(lease.untilNextEvent());
		return held;
	}

	/**
	 * Renew leases as soon as possible because their session is in doubt.
	 * @param tickets the tickets of the leases
	 */
	public void renewNow(Collection<Ticket> tickets) {
		// A single pass: a session may carry thousands of locks.
		Set<Ticket> requested = new LinkedHashSet<>(tickets);
		boolean found = false;
		for (Lease lease : this.leases) {
			if (requested.contains(lease.ticket())) {
				lease.renewNow();
				found = true;
			}
		}
		if (found) {
			this.timer.scheduleWithin(0);
		}
	}

	/**
	 * Check whether a lock is held. If no clock says when the lock ends, send one command
	 * to the store and block for the answer. If the store does not answer, the lock
	 * counts as held.
	 * @param lease the lease
	 * @return whether the lock is held
	 */
	public boolean confirm(Lease lease) {
		Validity validity = lease.validity();
		boolean endless = validity.sessionBound() && validity.sessionNanos() == Long.MAX_VALUE;
		if (lease.isValid() && endless) {
			List<RenewalResult> results = renewInStore(List.of(lease.renewal()), List.of(lease));
			if (results != null && results.get(0) instanceof RenewalResult.Gone gone) {
				lease.lose(lease.causeOfRefusal(gone));
				this.leases.remove(lease);
			}
		}
		return lease.isValid();
	}

	/**
	 * {@return the leases that are watched now, in no particular order}
	 */
	public List<Lease> leases() {
		return List.copyOf(this.leases);
	}

	/**
	 * {@return how late the last batch of renewals was answered, zero without one}
	 */
	public Duration lateness() {
		return this.lateness;
	}

	/**
	 * {@return how many leases are watched}
	 */
	public int size() {
		return this.leases.size();
	}

	/**
	 * Stop renewing leases and reporting their expiry. Leases then end in the store when
	 * they expire.
	 */
	public void stop() {
		this.stopped = true;
		this.timer.stop();
	}

	/**
	 * {@return whether {@link #stop()} was called}
	 */
	public boolean isStopped() {
		return this.stopped;
	}

	private void scan() {
		if (this.stopped) {
			return;
		}
		boolean due = false;
		List<Lease> valid = new ArrayList<>(this.leases.size());
		for (Lease lease : this.leases) {
			if (lease.hasDeadOwner()) {
				lease.lose(LossCause.OWNER_DIED);
			}
			if (lease.checkExpired()) {
				this.leases.remove(lease);
			}
			else {
				valid.add(lease);
				due = due || lease.isDue(SLACK_NANOS);
			}
		}
		if (due) {
			// Those that are due soon are renewed with it.
			List<Lease> soon = valid.stream()
				.filter((lease) -> lease.isDue(lease.batchSlackNanos(SLACK_NANOS)))
				.toList();
			for (int from = 0; from < soon.size(); from += this.batchSize) {
				send(soon.subList(from, Math.min(soon.size(), from + this.batchSize)));
			}
		}
		long sleep = valid.stream().mapToLong(Lease::untilNextEvent).min().orElse(Long.MAX_VALUE);
		if (sleep < NO_EVENT_NANOS) {
			this.timer.scheduleWithin(sleep);
		}
	}

	/** If no thread takes the batch its leases are retried soon. */
	private void send(List<Lease> batch) {
		long now = this.environment.clock().nanoTime();
		// A lease that should have been renewed earlier makes the batch due since then.
		long dueNanos = now + batch.stream().mapToLong((lease) -> lease.plannedNanos() - now).reduce(0, Math::min);
		try {
			List<Renewal> renewals = batch.stream().map(Lease::beginRenewal).toList();
			this.executor.execute(() -> renew(batch, renewals, dueNanos));
		}
		catch (Throwable ex) {
			this.warnings.failed(ex, batch);
			fail(batch);
		}
	}

	private void fail(List<Lease> batch) {
		this.warnings.atRisk(batch.stream().filter(Lease::renewalFailed).toList());
		batch.forEach((lease) -> this.timer.scheduleWithin(lease.untilNextEvent()));
	}

	/** Whatever is thrown, no lease may remain in the renewing state. */
	private void renew(List<Lease> batch, List<Renewal> renewals, long dueNanos) {
		List<Lease> atRisk = new ArrayList<>(0);
		try {
			List<RenewalResult> results = renewInStore(renewals, batch);
			Duration late = Duration.ofNanos(Math.max(0, this.environment.clock().nanoTime() - dueNanos));
			int renewed = 0;
			int gone = 0;
			int failed = 0;
			for (int i = 0; i < batch.size(); i++) {
				Lease lease = batch.get(i);
				boolean risk = false;
				RenewalResult result = (results != null) ? results.get(i) : null;
				if (result instanceof RenewalResult.Extended answer) {
					renewed++;
					risk = lease.renewed(answer.validity());
				}
				else if (result instanceof RenewalResult.Gone answer) {
					if (lease.isOpen()) {
						gone++;
						lease.lose(lease.causeOfRefusal(answer));
					}
					// Otherwise it was released in the meantime. That is no loss.
					this.leases.remove(lease);
				}
				else {
					failed++;
					risk = lease.renewalFailed();
				}
				if (risk) {
					atRisk.add(lease);
				}
				this.timer.scheduleWithin(lease.untilNextEvent());
			}
			this.lateness = late;
			this.listener.renewed(renewed, gone, failed, late);
			this.warnings.atRisk(atRisk);
		}
		catch (Throwable ex) {
			fail(batch.stream().filter(Lease::isRenewing).toList());
			logger.error("The answer to a renewal of leases could not be handled: its leases are renewed again", ex);
		}
	}

	private @Nullable List<RenewalResult> renewInStore(List<Renewal> renewals, List<Lease> leases) {
		try {
			List<RenewalResult> results = this.environment.await(this.store.renew(renewals));
			results.stream()
				.filter(RenewalResult.Unknown.class::isInstance)
				.findFirst()
				.ifPresentOrElse((unknown) -> this.warnings.failed(((RenewalResult.Unknown) unknown).cause(), leases),
						this.warnings::succeeded);
			return results;
		}
		catch (Throwable ex) {
			this.warnings.failed(StoreCalls.unwrap(ex), leases);
			return null;
		}
	}

	/**
	 * Is notified of the results of renewals. Called on the threads of the renewer; must
	 * not block.
	 */
	@FunctionalInterface
	public interface RenewalListener {

		/**
		 * A batch of renewals was answered or has failed.
		 * @param renewed how many leases were renewed
		 * @param gone how many leases the store no longer knew
		 * @param failed how many renewals failed
		 * @param lateness the time from the planned moment of the batch to its answer
		 */
		void renewed(int renewed, int gone, int failed, Duration lateness);

	}

	/**
	 * The log lines about renewals that fail. Thread-safe.
	 */
	static final class RenewalWarnings {

		private static final Log logger = LogFactory.getLog(LeaseRenewer.class);

		/** Whether the last batch could not be renewed. */
		private volatile boolean failing;

		/** The latest failure, in words. */
		private volatile String failure = "the store did not answer in time";

		void succeeded() {
			this.failing = false;
		}

		/**
		 * Thousands of leases can fail in many batches: one warning is sufficient. After
		 * the loss of all leases nothing is retried.
		 */
		void failed(Throwable ex, List<Lease> leases) {
			this.failure = String.valueOf(ex.getMessage());
			String message = "Leases could not be renewed and are retried until they expire: " + ex.getMessage();
			if (this.failing || leases.stream().noneMatch(Lease::isValid)) {
				logger.debug(message);
			}
			else {
				this.failing = true;
				logger.warn(message);
			}
		}

		/**
		 * Warn of each lock that is likely to be lost. Its renewals go on, so the lines
		 * are written after the batch has been handled.
		 */
		void atRisk(List<Lease> leases) {
			for (Lease lease : leases) {
				String name = lease.name();
				if (name != null) {
					logger.warn("Lock '" + lease.ticket().key() + "' (" + name + ") is at risk: its lease could not be"
							+ " renewed and ends in " + rounded(Duration.ofNanos(lease.remainingNanos()))
							+ " unless a retry succeeds (" + this.failure + "). Then the lock is lost, and another"
							+ " caller may enter while this one is still working: find out why the store does not"
							+ " answer, or use a longer distlock.lease-time");
				}
			}
		}

		private static Duration rounded(Duration time) {
			return Duration.ofMillis(time.toMillis());
		}

	}

}
