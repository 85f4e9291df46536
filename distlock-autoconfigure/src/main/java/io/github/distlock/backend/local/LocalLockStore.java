package io.github.distlock.backend.local;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.BackendDescription;
import io.github.distlock.backend.DirectCommands;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockSignals;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.StoreCalls;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.StoreInspection;
import io.github.distlock.backend.StoredLock;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;
import io.github.distlock.backend.local.LocalLock.LocalGrant;
import io.github.distlock.backend.local.LocalLock.LocalTicket;
import io.github.distlock.backend.local.LocalLock.TicketUser;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The verbs of one user of a {@link LocalStore}. They do not fail while it is open.
 * Thread-safe.
 */
final class LocalLockStore implements LockStore, DirectCommands, StoreInspection, TicketUser {

	private static final Log logger = LogFactory.getLog(LocalLockStore.class);

	/**
	 * Longest delay until a waiting ticket is attempted again. The ticket is notified of
	 * its grant, but the thread that notifies it may run out of memory.
	 */
	private static final Duration LONGEST_RETRY_DELAY = Duration.ofSeconds(5);

	private static final ReleaseResult RELEASED = new ReleaseResult(true, null);

	/** Added to the end of a lease, so that the lease has certainly ended. */
	private static final Duration AFTER_END = Duration.ofMillis(1);

	private final LocalStore store;

	private final BackendDescription description;

	private final TimeSource clock;

	private final LockSignals signals;

	private volatile boolean closed;

	LocalLockStore(LocalStore store, BackendDescription description, TimeSource clock, StoreContext context) {
		this.store = store;
		this.description = description;
		this.clock = clock;
		this.signals = context.signals();
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
		Grant grant = attemptUnused(ticket, lease);
		if (grant != null) {
			return new AttemptResult.Granted(grant);
		}
		TimeSource.Instant sent = this.clock.now();
		LocalResult result = this.store.attempt(new LocalTicket(ticket, lease, this), queue);
		notifyHolders(result.toNotify());
		return attemptResult(result, sent, queue);
	}

	@Override
	public DirectCommands direct() {
		return this;
	}

	@Override
	public @Nullable Grant attemptUnused(Ticket ticket, Duration lease) {
		// Before the attempt: the lease in the store does not end before its validity
		// here, which is shorter by a margin.
		TimeSource.Instant sent = this.clock.now();
		LocalGrant granted = this.closed ? null
				: this.store.attemptUnused(ticket, lease, this, this.store.nanosOf(sent, this.clock));
		return (granted != null) ? new Grant(granted.firstToken(), granted.lastToken(), Validity.until(sent, lease))
				: null;
	}

	@Override
	public boolean releaseUnshared(Ticket ticket, long lastToken) {
		return !this.closed && this.store.releaseUnshared(ticket, lastToken);
	}

	@Override
	public ReleaseResult release(Ticket ticket, long lastToken, @Nullable Successor next) {
		requireOpen();
		if (next == null && releaseUnshared(ticket, lastToken)) {
			return RELEASED;
		}
		TimeSource.Instant sent = this.clock.now();
		LocalResult result = this.store.release(ticket, lastToken,
				(next != null) ? new LocalTicket(next.ticket(), next.lease(), this) : null);
		notifyHolders(result.toNotify());
		boolean attempted = next != null && (result.released() || result.granted() != null);
		return new ReleaseResult(result.released(), attempted ? attemptResult(result, sent, true) : null);
	}

	/** The release takes no longer than to pass it to another thread. */
	@Override
	public CompletionStage<ReleaseResult> releaseInOrder(Ticket ticket, long lastToken, @Nullable Successor next) {
		return CompletableFuture.completedFuture(release(ticket, lastToken, next));
	}

	@Override
	public void cancel(Ticket ticket) {
		requireOpen();
		notifyHolders(this.store.cancel(ticket));
	}

	@Override
	public List<RenewalResult> renew(List<Renewal> renewals) {
		requireOpen();
		TimeSource.Instant sent = this.clock.now();
		List<Boolean> held = this.store.renew(renewals);
		RenewalResult[] results = new RenewalResult[renewals.size()];
		for (int i = 0; i < results.length; i++) {
			results[i] = held.get(i) ? new RenewalResult.Extended(Validity.until(sent, renewals.get(i).lease()))
					: new RenewalResult.Gone();
		}
		return List.of(results);
	}

	@Override
	public int tokensPerGrant() {
		return this.description.tokensPerGrant();
	}

	private AttemptResult attemptResult(LocalResult result, TimeSource.Instant sent, boolean queue) {
		LocalGrant granted = result.granted();
		if (granted != null) {
			return new AttemptResult.Granted(grant(granted, sent, this.store.remaining(granted)));
		}
		if (!queue) {
			return new AttemptResult.Busy(result.remaining(), result.holder());
		}
		Duration delay = result.remaining().plus(AFTER_END);
		return new AttemptResult.Queued((delay.compareTo(LONGEST_RETRY_DELAY) < 0) ? delay : LONGEST_RETRY_DELAY,
				result.queuedNow(), result.holder());
	}

	/** Not called under the lock of the store: the holder may call the store. */
	private static void notifyHolders(List<LocalGrant> granted) {
		granted.forEach(LocalGrant::notifyHolder);
	}

	@Override
	public String location() {
		return "the memory of this JVM";
	}

	@Override
	public StoreInspection inspection() {
		return this;
	}

	@Override
	public StoredLock inspect(String key) {
		requireOpen();
		return this.store.inspect(key);
	}

	@Override
	public EndResult end(String key, long grantToken) {
		requireOpen();
		LocalEnd end = this.store.end(key, grantToken);
		LocalGrant ended = end.ended();
		if (ended != null) {
			// First, so that it learns of the end before a renewal fails.
			ended.notifyFormerHolder();
		}
		notifyHolders(end.toNotify());
		return end.result();
	}

	@Override
	public void ended(LocalGrant ended) {
		if (this.closed) {
			return;
		}
		try {
			this.signals.ended(ended.ticket(), ended.firstToken());
		}
		catch (Throwable ex) {
			// The operator's command must not fail. The next renewal detects the end.
			logger.warn("The holder of lock '" + ended.ticket().key()
					+ "' could not be notified that an operator has released it", ex);
		}
	}

	@Override
	public void granted(LocalGrant granted) {
		if (this.closed) {
			// Closed while the ticket waited: no caller will ever use the grant.
			notifyHolders(this.store.cancel(granted.ticket()));
			return;
		}
		TimeSource.Instant before = this.clock.now();
		try {
			this.signals.granted(granted.ticket(), grant(granted, before, this.store.remaining(granted)));
		}
		catch (Throwable ex) {
			// The releasing caller must not fail. The waiting ticket is attempted again.
			logger.warn("A waiting caller of lock '" + granted.ticket().key()
					+ "' could not be notified that the lock was granted. It checks the lock again within "
					+ LONGEST_RETRY_DELAY, ex);
		}
	}

	/**
	 * Convert a grant. The remaining time was read after the given instant, so the result
	 * ends before the lease in the store.
	 */
	private static Grant grant(LocalGrant granted, TimeSource.Instant before, Duration remaining) {
		return new Grant(granted.firstToken(), granted.lastToken(), Validity.until(before, remaining));
	}

	private void requireOpen() {
		if (this.closed) {
			throw StoreCalls.closed("local");
		}
	}

}
