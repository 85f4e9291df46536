package io.github.distlock.backend.local;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;

import io.github.distlock.LockBackendException;
import io.github.distlock.LockMode;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.BackendDescription;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.LockKeys;
import io.github.distlock.backend.LockSignals;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Locks in a {@link LocalStore}: nothing is sent, and a waiter is called when it is
 * granted the lock. Verbs never fail between start and stop. Thread-safe.
 */
public final class LocalLockBackend implements LockBackend {

	private static final Log logger = LogFactory.getLog(LocalLockBackend.class);

	/**
	 * A waiter looks at least this often, although it is told of its grant: whoever was
	 * to tell it may have run out of memory.
	 */
	private static final Duration LONGEST_LOOK = Duration.ofSeconds(5);

	/** When a lease has ended it has ended by this much. */
	private static final Duration PAST_THE_END = Duration.ofMillis(1);

	private static final int BATCH_SIZE = 100;

	private final LocalStore store;

	private final BackendDescription description;

	private final TimeSource clock;

	private volatile @Nullable LockSignals signals;

	/**
	 * Create a backend.
	 * @param store where the locks are
	 * @param tokensPerGrant how many fencing tokens one grant covers: one more than the
	 * lock is passed on inside a registry
	 * @param clock the time
	 */
	public LocalLockBackend(LocalStore store, int tokensPerGrant, TimeSource clock) {
		this.store = store;
		this.description = new BackendDescription("local", EnumSet.allOf(LockMode.class), true, true, tokensPerGrant,
				Duration.ZERO, BATCH_SIZE);
		this.clock = clock;
	}

	@Override
	public BackendDescription description() {
		return this.description;
	}

	@Override
	public void validateKey(String key) {
		LockKeys.validate(key);
	}

	@Override
	public void start(String instance, LockSignals signals) {
		this.signals = signals;
	}

	@Override
	public void stop() {
		this.signals = null;
	}

	@Override
	public void verify() {
		requireStarted();
	}

	@Override
	public AttemptResult attempt(Ticket ticket, Duration lease, boolean queue) {
		requireStarted();
		TimeSource.Instant sent = this.clock.now();
		LocalAnswer answer = this.store.attempt(asking(ticket, lease), queue);
		tell(answer.toTell());
		return result(answer, sent, queue);
	}

	@Override
	public ReleaseResult release(Ticket ticket, long lastToken, @Nullable Successor next) {
		requireStarted();
		TimeSource.Instant sent = this.clock.now();
		LocalAnswer answer = this.store.release(ticket, lastToken,
				(next != null) ? asking(next.ticket(), next.lease()) : null);
		tell(answer.toTell());
		boolean answered = next != null && (answer.released() || answer.granted() != null);
		return new ReleaseResult(answer.released(), answered ? result(answer, sent, true) : null);
	}

	@Override
	public void cancel(Ticket ticket) {
		requireStarted();
		tell(this.store.cancel(ticket));
	}

	@Override
	public List<RenewalResult> renew(List<Renewal> renewals) {
		requireStarted();
		TimeSource.Instant sent = this.clock.now();
		List<Boolean> held = this.store.renew(renewals);
		RenewalResult[] results = new RenewalResult[renewals.size()];
		for (int i = 0; i < results.length; i++) {
			results[i] = held.get(i) ? new RenewalResult.Renewed(Validity.until(sent, renewals.get(i).lease()))
					: new RenewalResult.Gone();
		}
		return List.of(results);
	}

	private LocalTicket asking(Ticket ticket, Duration lease) {
		return new LocalTicket(ticket, lease, this.description.tokensPerGrant(), this::hear);
	}

	private AttemptResult result(LocalAnswer answer, TimeSource.Instant sent, boolean queue) {
		LocalGrant granted = answer.granted();
		if (granted != null) {
			return new AttemptResult.Granted(grant(granted, sent, this.store.remaining(granted)));
		}
		if (!queue) {
			return new AttemptResult.Busy(answer.remaining());
		}
		Duration look = answer.remaining().plus(PAST_THE_END);
		return new AttemptResult.Waiting((look.compareTo(LONGEST_LOOK) < 0) ? look : LONGEST_LOOK, answer.queuedNow());
	}

	/** Never while the store is locked: whoever is told may call it. */
	private static void tell(List<LocalGrant> granted) {
		granted.forEach((each) -> each.holder().granted().accept(each));
	}

	private void hear(LocalGrant granted) {
		LockSignals told = this.signals;
		if (told == null) {
			// Stopped while it waited: nobody will ever come for it.
			tell(this.store.cancel(granted.holder().ticket()));
			return;
		}
		TimeSource.Instant before = this.clock.now();
		try {
			told.granted(granted.holder().ticket(), grant(granted, before, this.store.remaining(granted)));
		}
		catch (Throwable ex) {
			// Not the fault of the one who released: the waiter looks again.
			logger.warn("A waiter of lock '" + granted.holder().ticket().key() + "' could not be told of its grant",
					ex);
		}
	}

	/** What remains was read after the instant, so it ends sooner than in the store. */
	private static Grant grant(LocalGrant granted, TimeSource.Instant before, Duration remaining) {
		return new Grant(granted.firstToken(), granted.lastToken(), Validity.until(before, remaining));
	}

	private void requireStarted() {
		if (this.signals == null) {
			throw new LockBackendException("The local lock store is not in use: it works from start to stop");
		}
	}

}
