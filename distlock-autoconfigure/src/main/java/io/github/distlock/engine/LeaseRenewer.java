package io.github.distlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;

import io.github.distlock.LockBackendException;
import io.github.distlock.LossCause;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.LockStore.Renewal;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.StoreCalls;
import io.github.distlock.backend.StoreSession;
import io.github.distlock.backend.Ticket;
import io.github.distlock.engine.Hold.LossEvidence;
import io.github.distlock.engine.RenewalQueue.RenewalBatch;
import io.github.distlock.environment.EngineEnvironment;
import io.github.distlock.environment.EngineThreads;
import io.github.distlock.thread.LockLog;
import org.apache.commons.logging.Log;
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

	private static final Log logger = LockLog.of(LeaseRenewer.class);

	/** How much earlier than planned a renewal may be sent: the resolution of timers. */
	private static final long SLACK_NANOS = 50_000_000;

	/** From here on, the time to the next event means that there is none. */
	private static final long NO_EVENT_NANOS = Long.MAX_VALUE / 8;

	/** How soon leases are scanned again after an error. */
	private static final long ERROR_RETRY_NANOS = Duration.ofSeconds(1).toNanos();

	/** Within this time all leases are renewed if the store may have lost them. */
	private static final long SPREAD_NANOS = Duration.ofMillis(100).toNanos();

	/**
	 * <b>Invariant.</b> A lock leaves only after it was released, or after its loss was
	 * reported, by the thread that has done it. A report that fails is repeated by the
	 * next scan.
	 */
	private final Set<Hold> holds = ConcurrentHashMap.newKeySet();

	private final LockStore store;

	private final EngineEnvironment environment;

	private final int batchSize;

	private final HeldLocks heldLocks;

	private final RenewalQueue queue;

	private final RenewalTimer timer;

	/** Whether the next scan renews all leases. */
	private final AtomicBoolean doubted = new AtomicBoolean();

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
		this.queue = new RenewalQueue(store, environment, threads.renewals(), this::answered, this::fail);
		this.heldLocks = heldLocks;
		this.timer = new RenewalTimer(environment, threads.timers(), this::scan);
	}

	/**
	 * Watch a lock that has just been granted. If an error is thrown, a renewal finds
	 * that the caller has released the lock.
	 */
	void watch(Hold hold) {
		this.holds.add(hold);
		this.timer.scheduleWithin(hold.holdLease.untilFirstEvent(), hold.holdLease.startNanos);
	}

	/** Stop watching a lock that was released, or whose loss was reported. */
	void forget(Hold hold) {
		this.holds.remove(hold);
	}

	/** Otherwise another thread reports its loss, and may fail. */
	void forgetReleased(Hold hold) {
		if (hold.phase().isReleased()) {
			forget(hold);
		}
	}

	/**
	 * Let a lease end after a time, without renewing it until then.
	 * @param time how long the lock may be held from now on
	 * @return whether the lease was valid until now
	 */
	boolean expireAfter(Hold hold, Duration time) {
		boolean held = hold.holdLease.expireAfter(time);
		this.timer.scheduleWithin(hold.holdLease.untilNextEvent());
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
				hold.holdLease.renewNow();
				found = true;
			}
		}
		if (found) {
			this.timer.scheduleWithin(0);
		}
	}

	/**
	 * Renew all leases but those of sessions once, soon. Does not block. The moment is
	 * random, since the JVMs that have lost their connection to a store find it again at
	 * the same time.
	 */
	public void renewAll() {
		this.doubted.set(true);
		this.timer.scheduleWithin(this.environment.random().nextLong(SPREAD_NANOS));
	}

	/**
	 * Check whether a lock is held. If its session may end before any clock says so, send
	 * one command to the store and block for the answer. If the store does not confirm
	 * the lock, it is lost: only the store could know that it is held.
	 * @return whether the lock is held
	 */
	boolean confirm(Hold hold) {
		StoreSession session = hold.validity().boundTo();
		if (hold.isValid() && session != null && session.mayEndEarlier()) {
			HoldLease renewal = hold.holdLease;
			List<RenewalResult> results = renewInStore(List.of(renewal.request()), List.of(renewal));
			RenewalResult result = results.get(0);
			if (!(result instanceof RenewalResult.Extended)) {
				hold.lose(hold.causeOfLoss(
						(result instanceof RenewalResult.Gone gone) ? LossEvidence.of(gone) : LossEvidence.TIME));
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
		this.queue.stop();
		this.timer.stop();
	}

	private void scan() {
		boolean all = this.doubted.getAndSet(false);
		List<HoldLease> valid = new ArrayList<>(this.holds.size());
		for (Hold hold : this.holds) {
			if (!isOver(hold)) {
				valid.add(hold.holdLease);
				if (all && !hold.validity().sessionBound()) {
					hold.holdLease.renewNow();
				}
			}
		}
		if (valid.stream().anyMatch((renewal) -> renewal.isDue(SLACK_NANOS))) {
			// Those that are due soon are renewed with it.
			List<HoldLease> soon = valid.stream()
				.filter((renewal) -> renewal.isDue(renewal.batchSlackNanos(SLACK_NANOS)))
				.toList();
			for (int from = 0; from < soon.size(); from += this.batchSize) {
				send(soon.subList(from, Math.min(soon.size(), from + this.batchSize)));
			}
		}
		long sleep = Math.min(this.queue.check(),
				valid.stream().mapToLong(HoldLease::untilNextEvent).min().orElse(Long.MAX_VALUE));
		if (sleep < NO_EVENT_NANOS) {
			this.timer.scheduleWithin(sleep);
		}
	}

	private void send(List<HoldLease> leases) {
		long now = this.environment.clock().nanoTime();
		// A lease that should have been renewed earlier makes the batch due since then.
		long dueNanos = now + leases.stream().mapToLong((renewal) -> renewal.plannedNanos() - now).reduce(0, Math::min);
		RenewalQueue.guard(() -> {
			leases.forEach(HoldLease::begin);
			this.queue.add(new RenewalBatch(leases, dueNanos));
		}, (ex) -> {
			fail(leases);
			this.warnings.failed(ex, leases);
		});
		this.queue.sendNext();
	}

	/** Retry the leases whose renewal is still under way. Takes no memory. */
	private void fail(List<HoldLease> batch) {
		for (int i = 0; i < batch.size(); i++) {
			HoldLease renewal = batch.get(i);
			try {
				if (renewal.isUnderWay() && renewal.hold.hasLease()) {
					renewal.failed();
					this.timer.scheduleWithin(renewal.untilNextEvent());
				}
			}
			catch (Throwable ex) {
				// Of this lease only. It is due again, and the next failure reports the
				// risk.
				this.timer.scheduleWithin(ERROR_RETRY_NANOS);
			}
		}
	}

	/**
	 * If a loss cannot be reported, the others are renewed, and the report is repeated.
	 */
	private boolean isOver(Hold hold) {
		try {
			if (hold.hasDeadOwner()) {
				hold.lose(LossCause.OWNER_DIED);
			}
			boolean over = hold.checkExpired();
			if (over) {
				forgetReleased(hold);
			}
			else {
				hold.holdLease.checkRisk();
				this.heldLocks.reports().checkLeak(hold);
			}
			return over;
		}
		catch (Throwable ex) {
			this.timer.scheduleWithin(ERROR_RETRY_NANOS);
			logger.error("The state of lock '" + hold.key() + "' could not be checked, which is repeated", ex);
			return true;
		}
	}

	/**
	 * Do something for one lock. What is thrown, for example by its session, concerns no
	 * other lock: they are renewed, and this one is tried again.
	 */
	private void isolate(Hold hold, Runnable step) {
		RenewalQueue.guard(step, (ex) -> {
			this.timer.scheduleWithin(ERROR_RETRY_NANOS);
			logger.error("The renewal of lock '" + hold.key() + "' failed unexpectedly and is tried again", ex);
		});
	}

	private void answered(RenewalBatch batch, @Nullable List<RenewalResult> answer, @Nullable Throwable failure) {
		List<RenewalResult> results = results(answer, failure, batch.leases());
		Duration late = Duration.ofNanos(Math.max(0, this.environment.clock().nanoTime() - batch.dueNanos()));
		List<Hold> lost = new ArrayList<>();
		for (int i = 0; i < batch.leases().size(); i++) {
			HoldLease renewal = batch.leases().get(i);
			RenewalResult result = results.get(i);
			isolate(renewal.hold, () -> answered(renewal, result, late, lost));
		}
		fail(batch.leases());
		this.lateness = late;
		this.heldLocks.reports()
			.renewed(count(results, RenewalResult.Extended.class), lost.size(),
					count(results, RenewalResult.Unknown.class), late);
		// One of its leases would let the retry of the batch fail, too.
		IntStream.range(0, (batch.leases().size() > 1) ? batch.leases().size() : 0)
			.filter((i) -> results.get(i) instanceof RenewalResult.Unknown unknown && unknown.refused())
			.forEach((i) -> send(List.of(batch.leases().get(i))));
	}

	private static int count(List<RenewalResult> results, Class<? extends RenewalResult> type) {
		return (int) results.stream().filter(type::isInstance).count();
	}

	private void answered(HoldLease renewal, RenewalResult result, Duration late, List<Hold> lost) {
		Hold hold = renewal.hold;
		if (result instanceof RenewalResult.Extended answer) {
			renewal.succeeded(answer.validity());
			this.heldLocks.reports().renewed(hold, late.toNanos());
		}
		else if (result instanceof RenewalResult.Gone answer) {
			// Unless it was released in the meantime: that is no loss.
			if (hold.lose(hold.causeOfLoss(LossEvidence.of(answer)))) {
				lost.add(hold);
			}
		}
		else {
			renewal.failed();
		}
		this.timer.scheduleWithin(renewal.untilNextEvent());
	}

	private List<RenewalResult> renewInStore(List<Renewal> requests, List<HoldLease> batch) {
		try {
			return results(this.environment.await(this.store.renew(requests)), null, batch);
		}
		catch (Throwable ex) {
			return results(null, ex, batch);
		}
	}

	/** Return the results of a batch after its answer or its failure, which is logged. */
	private List<RenewalResult> results(@Nullable List<RenewalResult> answer, @Nullable Throwable failure,
			List<HoldLease> batch) {
		Throwable reason = (failure != null) ? StoreCalls.unwrap(failure)
				: new LockBackendException("The lock store returned no result");
		RuntimeException cause = (reason instanceof RuntimeException known) ? known
				: new LockBackendException(String.valueOf(reason), reason);
		// All but silence may be caused by the answer for one lease.
		boolean refused = !(reason instanceof LockBackendException || reason instanceof TimeoutException);
		List<RenewalResult> results = (answer != null) ? answer
				: Collections.nCopies(batch.size(), new RenewalResult.Unknown(cause, refused));
		results.stream()
			.filter(RenewalResult.Unknown.class::isInstance)
			.findFirst()
			.ifPresentOrElse((unknown) -> this.warnings.failed(((RenewalResult.Unknown) unknown).cause(), batch),
					this.warnings::succeeded);
		return results;
	}

	/**
	 * The log lines about renewals that fail. Thread-safe.
	 */
	static final class RenewalWarnings {

		private static final Log logger = LockLog.of(LeaseRenewer.class);

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
		void failed(Throwable ex, List<HoldLease> batch) {
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
