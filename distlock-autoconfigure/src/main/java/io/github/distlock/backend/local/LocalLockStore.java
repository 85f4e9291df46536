package io.github.distlock.backend.local;

import java.time.Duration;
import java.util.List;

import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.BackendDescription;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockSignals;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.StoreCalls;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The verbs on the locks of a {@link LocalStore}. They never fail while it is open.
 * Thread-safe.
 */
final class LocalLockStore implements LockStore {

	private static final Log logger = LogFactory.getLog(LocalLockStore.class);

	/**
	 * A waiter looks at least this often, although it is told of its grant: whoever was
	 * to tell it may have run out of memory.
	 */
	private static final Duration LONGEST_LOOK = Duration.ofSeconds(5);

	/** When a lease has ended it has ended by this much. */
	private static final Duration PAST_THE_END = Duration.ofMillis(1);

	private final LocalStore store;

	private final BackendDescription description;

	private final TimeSource clock;

	private final LockSignals signals;

	private volatile boolean closed;

	LocalLockStore(LocalStore store, BackendDescription description, TimeSource clock, LockSignals signals) {
		this.store = store;
		this.description = description;
		this.clock = clock;
		this.signals = signals;
	}

	@Override
	public BackendDescription description() {
		return this.description;
	}

	@Override
	public void close() {
		this.closed = true;
	}

	@Override
	public void verify() {
		requireOpen();
	}

	@Override
	public AttemptResult attempt(Ticket ticket, Duration lease, boolean queue) {
		requireOpen();
		TimeSource.Instant sent = this.clock.now();
		LocalAnswer answer = this.store.attempt(asking(ticket, lease), queue);
		tell(answer.toTell());
		return result(answer, sent, queue);
	}

	@Override
	public ReleaseResult release(Ticket ticket, long lastToken, @Nullable Successor next) {
		requireOpen();
		TimeSource.Instant sent = this.clock.now();
		LocalAnswer answer = this.store.release(ticket, lastToken,
				(next != null) ? asking(next.ticket(), next.lease()) : null);
		tell(answer.toTell());
		boolean answered = next != null && (answer.released() || answer.granted() != null);
		return new ReleaseResult(answer.released(), answered ? result(answer, sent, true) : null);
	}

	@Override
	public void cancel(Ticket ticket) {
		requireOpen();
		tell(this.store.cancel(ticket));
	}

	@Override
	public List<RenewalResult> renew(List<Renewal> renewals) {
		requireOpen();
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
		if (this.closed) {
			// Stopped while it waited: nobody will ever come for it.
			tell(this.store.cancel(granted.holder().ticket()));
			return;
		}
		TimeSource.Instant before = this.clock.now();
		try {
			this.signals.granted(granted.holder().ticket(), grant(granted, before, this.store.remaining(granted)));
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

	private void requireOpen() {
		if (this.closed) {
			throw StoreCalls.closed("local");
		}
	}

}
