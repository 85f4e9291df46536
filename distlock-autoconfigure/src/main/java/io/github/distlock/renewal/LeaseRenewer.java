package io.github.distlock.renewal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import io.github.distlock.LossCause;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.LockStore.Renewal;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The watchdog: one timer for all leases of this JVM, which finds those to renew, sends
 * them in batches by the executor, and finds those that have passed. A lock that is
 * acquired and released quickly costs it two operations on a set: the timer is only set
 * when a lease needs it sooner than it would fire anyway. Thread-safe.
 */
public final class LeaseRenewer {

	private static final Log logger = LogFactory.getLog(LeaseRenewer.class);

	/** Early enough: timers are not finer than that. */
	private static final long SLACK_NANOS = 50_000_000;

	private final LeaseSet leases = new LeaseSet();

	private final LockStore store;

	private final int batchSize;

	private final TimeSource clock;

	private final Executor executor;

	private final Listener listener;

	private final RenewalTimer timer;

	private volatile boolean stopped;

	/** Whether the last batch that was answered, or was not, could not be renewed. */
	private volatile boolean failing;

	/**
	 * Create a renewer.
	 * @param store the store
	 * @param clock the time
	 * @param executor sends the renewals
	 * @param timers runs the scans, which do not block
	 * @param listener is told of renewals
	 */
	public LeaseRenewer(LockStore store, TimeSource clock, Executor executor, ScheduledExecutorService timers,
			Listener listener) {
		this.store = store;
		this.batchSize = store.description().batchSize();
		this.clock = clock;
		this.executor = executor;
		this.listener = listener;
		this.timer = new RenewalTimer(clock, executor, timers, this::scan);
	}

	/**
	 * Watch over a lock that was just granted. Whatever is thrown, the lease is not
	 * watched then.
	 * @param lease its lease
	 * @throws io.github.distlock.LockBackendException if the timer that it needs could
	 * not be set
	 */
	public void watch(Lease lease) {
		this.leases.add(lease);
		try {
			this.timer.scheduleWithin(lease.untilNextEvent());
		}
		catch (RuntimeException | Error ex) {
			this.leases.remove(lease);
			throw ex;
		}
	}

	/**
	 * Forget a lease that has ended.
	 * @param lease which
	 */
	public void forget(Lease lease) {
		this.leases.remove(lease);
		this.timer.retry();
	}

	/**
	 * End a lease after some time, without renewing it until then.
	 * @param lease which
	 * @param time how long it may be held from now on
	 * @return whether it was valid until now
	 */
	public boolean expireAfter(Lease lease, Duration time) {
		boolean held = lease.expireAfter(time);
		this.timer.scheduleWithin(lease.untilNextEvent());
		return held;
	}

	/**
	 * Renew leases as soon as possible: their session is in doubt.
	 * @param tickets the tickets that hold
	 */
	public void renewNow(Collection<Ticket> tickets) {
		// One pass: a session may carry thousands of locks.
		Set<Ticket> requested = Set.copyOf(tickets);
		boolean found = false;
		for (Lease lease : this.leases.snapshot()) {
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
	 * Find out whether a lock is held. Asks the store where no clock says when the lock
	 * ends; blocks for the answer of one command then. Without an answer the lock counts
	 * as held.
	 * @param lease its lease
	 * @return whether it is held
	 */
	public boolean confirm(Lease lease) {
		if (lease.isValid() && lease.hasNoEnd()) {
			List<RenewalResult> results = ask(List.of(lease.renewal(lease.terms())), List.of(lease));
			if (results != null && results.get(0) instanceof RenewalResult.Gone gone) {
				lease.lose(lease.causeOfRefusal(gone));
				this.leases.remove(lease);
			}
		}
		return lease.isValid();
	}

	/**
	 * Return the leases that are watched now.
	 * @return the leases, in no particular order
	 */
	public List<Lease> leases() {
		return this.leases.snapshot();
	}

	/**
	 * Return how many locks are held.
	 * @return the number of leases
	 */
	public int size() {
		return this.leases.size();
	}

	/**
	 * Stop renewing. Leases end by themselves from then on.
	 */
	public void stop() {
		this.stopped = true;
		this.timer.stop();
	}

	/**
	 * Return whether nothing is renewed any more, and no lease found to have passed.
	 * @return whether it was stopped
	 */
	public boolean isStopped() {
		return this.stopped;
	}

	private void scan() {
		try {
			if (!this.stopped) {
				renewDue();
			}
		}
		catch (Throwable ex) {
			logger.error("A scan of the leases failed; the next is made in a second", ex);
			this.timer.scheduleReliably(TimeUnit.SECONDS.toNanos(1));
		}
	}

	private void renewDue() {
		boolean due = false;
		List<Lease> valid = new ArrayList<>(this.leases.size());
		for (Lease lease : this.leases.snapshot()) {
			if (hasEnded(lease)) {
				this.leases.remove(lease);
			}
			else {
				valid.add(lease);
				due = due || lease.isDue(SLACK_NANOS);
			}
		}
		if (due) {
			sendRound(valid);
		}
		long sleep = Long.MAX_VALUE;
		for (Lease lease : valid) {
			sleep = Math.min(sleep, lease.untilNextEvent());
		}
		if (sleep < Long.MAX_VALUE / 8) {
			this.timer.scheduleReliably(sleep);
		}
	}

	/** If an error is thrown where a loss is made known, the other leases go on. */
	private boolean hasEnded(Lease lease) {
		try {
			if (lease.hasDeadOwner()) {
				lease.lose(LossCause.OWNER_DIED);
			}
			return lease.checkExpired();
		}
		catch (RuntimeException | Error ex) {
			logger.error("The loss of the lock of " + lease.ticket() + " could not be made known", ex);
			return !lease.isOpen();
		}
	}

	/** At least one is due: renew with it those that will be before long. */
	private void sendRound(List<Lease> leases) {
		RenewalBatch batch = new RenewalBatch(this.clock.nanoTime(), this.batchSize);
		try {
			for (Lease lease : leases) {
				if (lease.isDue(lease.batchSlackNanos(SLACK_NANOS))) {
					if (batch.isFull()) {
						send(batch);
						batch = new RenewalBatch(this.clock.nanoTime(), this.batchSize);
					}
					batch.add(lease);
				}
			}
		}
		catch (RuntimeException | Error ex) {
			batch.fail();
			throw ex;
		}
		send(batch);
	}

	/** Without a thread for the batch its leases are due again soon. */
	private void send(RenewalBatch batch) {
		try {
			this.executor.execute(() -> renew(batch));
		}
		catch (Throwable ex) {
			failed(ex, batch.leases());
			batch.fail();
		}
	}

	/** Whatever is thrown: no lease stays in the state of being renewed. */
	private void renew(RenewalBatch batch) {
		try {
			List<RenewalResult> results = ask(batch.renewals(), batch.leases());
			long lateness = batch.latenessNanos(this.clock.nanoTime());
			int renewed = 0;
			int gone = 0;
			int failed = 0;
			for (int i = 0; i < batch.leases().size(); i++) {
				Lease lease = batch.leases().get(i);
				RenewalResult result = (results != null) ? results.get(i) : null;
				if (result instanceof RenewalResult.Renewed answer) {
					renewed++;
					lease.renewed(answer.validity(), batch.terms().get(i));
				}
				else if (result instanceof RenewalResult.Gone answer) {
					// A lease that was closed meanwhile is gone because it was released.
					if (lease.isOpen()) {
						gone++;
						lease.lose(lease.causeOfRefusal(answer));
					}
					this.leases.remove(lease);
				}
				else {
					failed++;
					lease.renewalFailed();
				}
				batch.answered();
				this.timer.scheduleReliably(lease.untilNextEvent());
			}
			this.listener.renewed(renewed, gone, failed, Duration.ofNanos(lateness));
		}
		catch (Throwable ex) {
			logger.error("The answer to a renewal of leases could not be handled", ex);
			batch.fail();
			this.timer.scheduleReliably(0);
		}
	}

	private @Nullable List<RenewalResult> ask(List<Renewal> renewals, List<Lease> leases) {
		try {
			List<RenewalResult> results = this.store.renew(renewals);
			results.stream()
				.filter(RenewalResult.Unknown.class::isInstance)
				.findFirst()
				.ifPresentOrElse((unknown) -> failed(((RenewalResult.Unknown) unknown).cause(), leases),
						() -> this.failing = false);
			return results;
		}
		catch (Throwable ex) {
			failed(ex, leases);
			return null;
		}
	}

	/**
	 * Thousands of locks fail in many batches, again and again: one line is enough. After
	 * the loss of all of them there is nothing left to try.
	 */
	private void failed(Throwable ex, List<Lease> leases) {
		String message = "Leases could not be renewed and are tried again until they end: " + ex.getMessage();
		if (this.failing || leases.stream().noneMatch(Lease::isValid)) {
			logger.debug(message);
		}
		else {
			this.failing = true;
			logger.warn(message);
		}
	}

	/**
	 * Is told what became of renewals. Called on the threads of the renewer; must not
	 * block.
	 */
	@FunctionalInterface
	public interface Listener {

		/**
		 * A batch was renewed.
		 * @param renewed how many were
		 * @param gone how many the store no longer knew
		 * @param failed how many could not be asked for
		 * @param lateness time from the moment planned for the batch to its answer
		 */
		void renewed(int renewed, int gone, int failed, Duration lateness);

	}

}
