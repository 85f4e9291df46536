package io.github.distlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;

import io.github.distlock.LossCause;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.LockStore.Renewal;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.StoreCalls;
import io.github.distlock.backend.StoreSession;
import io.github.distlock.backend.Ticket;
import io.github.distlock.engine.Hold.LossEvidence;
import io.github.distlock.environment.EngineEnvironment;
import io.github.distlock.environment.EngineThreads;
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

	private final Set<Hold> holds = ConcurrentHashMap.newKeySet();

	private final LockStore store;

	private final EngineEnvironment environment;

	private final int batchSize;

	private final Executor executor;

	private final HeldLocks heldLocks;

	private final RenewalTimer timer;

	private volatile Duration lateness = Duration.ZERO;

	private final RenewalWarnings warnings = new RenewalWarnings();

	/**
	 * Create a renewer.
	 * @param store the store
	 * @param batchSize the maximum number of leases in one renewal
	 * @param environment the clocks, and more of the machine
	 * @param threads send the renewals, and run the scans, which do not block
	 * @param heldLocks the locks, which learn of renewals
	 */
	LeaseRenewer(LockStore store, int batchSize, EngineEnvironment environment, EngineThreads threads,
			HeldLocks heldLocks) {
		this.store = store;
		this.environment = environment;
		this.batchSize = batchSize;
		this.executor = threads.renewals();
		this.heldLocks = heldLocks;
		this.timer = new RenewalTimer(environment, threads.timers(), this::scan);
	}

	/**
	 * Watch a lock that has just been granted. If an error is thrown, a renewal finds
	 * that the caller has released the lock.
	 */
	void watch(Hold hold) {
		this.holds.add(hold);
		this.timer.scheduleWithin(hold.renewal.untilFirstEvent(), hold.renewal.startNanos);
	}

	/** Stop watching a lock whose lease has ended. */
	void forget(Hold hold) {
		this.holds.remove(hold);
	}

	/**
	 * Let a lease end after a time, without renewing it until then.
	 * @param time how long the lock may be held from now on
	 * @return whether the lease was valid until now
	 */
	boolean expireAfter(Hold hold, Duration time) {
		boolean held = hold.renewal.expireAfter(time);
		this.timer.scheduleWithin(hold.renewal.untilNextEvent());
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
		for (Hold hold : this.holds) {
			if (requested.contains(hold.ticket)) {
				hold.renewal.renewNow();
				found = true;
			}
		}
		if (found) {
			this.timer.scheduleWithin(0);
		}
	}

	/**
	 * Check whether a lock is held. If its session may end before any clock says so, send
	 * one command to the store and block for the answer. If the store does not answer,
	 * the lock counts as held.
	 * @return whether the lock is held
	 */
	boolean confirm(Hold hold) {
		StoreSession session = hold.validity().boundTo();
		if (hold.isValid() && session != null && session.mayEndEarlier()) {
			LeaseRenewal renewal = hold.renewal;
			List<RenewalResult> results = renewInStore(List.of(renewal.request()), List.of(renewal));
			if (results != null && results.get(0) instanceof RenewalResult.Gone gone) {
				hold.lose(hold.causeOfLoss(LossEvidence.of(gone)));
				this.holds.remove(hold);
			}
		}
		return hold.isValid();
	}

	/**
	 * {@return the locks that are watched now, in no particular order}
	 */
	public List<Hold> holds() {
		return List.copyOf(this.holds);
	}

	/**
	 * {@return how late the last batch of renewals was answered, zero without one}
	 */
	public Duration lateness() {
		return this.lateness;
	}

	/** Return the latest failure, in words. */
	String failure() {
		return this.warnings.failure;
	}

	/**
	 * {@return how many leases are watched}
	 */
	public int size() {
		return this.holds.size();
	}

	/**
	 * Stop renewing leases and reporting their expiry. Leases then end in the store when
	 * they expire.
	 */
	public void stop() {
		this.timer.stop();
	}

	private void scan() {
		boolean due = false;
		List<LeaseRenewal> valid = new ArrayList<>(this.holds.size());
		for (Hold hold : this.holds) {
			if (hold.hasDeadOwner()) {
				hold.lose(LossCause.OWNER_DIED);
			}
			if (hold.checkExpired()) {
				this.holds.remove(hold);
			}
			else {
				LeaseRenewal renewal = hold.renewal;
				valid.add(renewal);
				due = due || renewal.isDue(SLACK_NANOS);
			}
		}
		if (due) {
			// Those that are due soon are renewed with it.
			List<LeaseRenewal> soon = valid.stream()
				.filter((renewal) -> renewal.isDue(renewal.batchSlackNanos(SLACK_NANOS)))
				.toList();
			for (int from = 0; from < soon.size(); from += this.batchSize) {
				send(soon.subList(from, Math.min(soon.size(), from + this.batchSize)));
			}
		}
		long sleep = valid.stream().mapToLong(LeaseRenewal::untilNextEvent).min().orElse(Long.MAX_VALUE);
		if (sleep < NO_EVENT_NANOS) {
			this.timer.scheduleWithin(sleep);
		}
	}

	/** If no thread takes the batch its leases are retried soon. */
	private void send(List<LeaseRenewal> batch) {
		long now = this.environment.clock().nanoTime();
		// A lease that should have been renewed earlier makes the batch due since then.
		long dueNanos = now + batch.stream().mapToLong((renewal) -> renewal.plannedNanos() - now).reduce(0, Math::min);
		try {
			List<Renewal> requests = batch.stream().map(LeaseRenewal::begin).toList();
			this.executor.execute(() -> renew(batch, requests, dueNanos));
		}
		catch (Throwable ex) {
			this.warnings.failed(ex, batch);
			fail(batch);
		}
	}

	private void fail(List<LeaseRenewal> batch) {
		batch.forEach((renewal) -> {
			renewal.failed();
			this.timer.scheduleWithin(renewal.untilNextEvent());
		});
	}

	/** Whatever is thrown, no renewal may remain under way. */
	private void renew(List<LeaseRenewal> batch, List<Renewal> requests, long dueNanos) {
		try {
			List<RenewalResult> results = renewInStore(requests, batch);
			Duration late = Duration.ofNanos(Math.max(0, this.environment.clock().nanoTime() - dueNanos));
			int renewed = 0;
			int gone = 0;
			int failed = 0;
			for (int i = 0; i < batch.size(); i++) {
				LeaseRenewal renewal = batch.get(i);
				Hold hold = renewal.hold;
				RenewalResult result = (results != null) ? results.get(i) : null;
				if (result instanceof RenewalResult.Extended answer) {
					renewed++;
					renewal.succeeded(answer.validity());
				}
				else if (result instanceof RenewalResult.Gone answer) {
					// Unless it was released in the meantime: that is no loss.
					gone += hold.lose(hold.causeOfLoss(LossEvidence.of(answer))) ? 1 : 0;
					this.holds.remove(hold);
				}
				else {
					failed++;
					renewal.failed();
				}
				this.timer.scheduleWithin(renewal.untilNextEvent());
			}
			this.lateness = late;
			this.heldLocks.renewed(renewed, gone, failed, late);
		}
		catch (Throwable ex) {
			fail(batch.stream().filter(LeaseRenewal::isUnderWay).toList());
			logger.error("The answer to a renewal of leases could not be handled: its leases are renewed again", ex);
		}
	}

	private @Nullable List<RenewalResult> renewInStore(List<Renewal> requests, List<LeaseRenewal> batch) {
		try {
			List<RenewalResult> results = this.environment.await(this.store.renew(requests));
			results.stream()
				.filter(RenewalResult.Unknown.class::isInstance)
				.findFirst()
				.ifPresentOrElse((unknown) -> this.warnings.failed(((RenewalResult.Unknown) unknown).cause(), batch),
						this.warnings::succeeded);
			return results;
		}
		catch (Throwable ex) {
			this.warnings.failed(StoreCalls.unwrap(ex), batch);
			return null;
		}
	}

	/**
	 * The log lines about renewals that fail. Thread-safe.
	 */
	static final class RenewalWarnings {

		private static final Log logger = LogFactory.getLog(LeaseRenewer.class);

		/** Whether the last batch could not be renewed. */
		private volatile boolean failing;

		/** The latest failure, in words. */
		private volatile String failure = "The store did not answer in time";

		void succeeded() {
			this.failing = false;
		}

		/**
		 * Thousands of leases can fail in many batches: one warning is sufficient. After
		 * the loss of all leases nothing is retried.
		 */
		void failed(Throwable ex, List<LeaseRenewal> batch) {
			this.failure = String.valueOf(ex.getMessage());
			String message = this.failure + ". Leases could not be renewed, and are retried until they expire";
			if (this.failing || batch.stream().noneMatch((renewal) -> renewal.hold.isValid())) {
				logger.debug(message);
			}
			else {
				this.failing = true;
				logger.warn(message);
			}
		}

	}

}
