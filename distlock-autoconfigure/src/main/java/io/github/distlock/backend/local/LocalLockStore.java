package io.github.distlock.backend.local;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import io.github.distlock.backend.AttemptOptions;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.BackendDescription;
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
import io.github.distlock.backend.local.LocalLock.LocalPlace;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The verbs of one user of a {@link LocalStore}. They do not fail while it is open.
 * Thread-safe.
 */
final class LocalLockStore implements LockStore, StoreInspection {

	private static final Log logger = LogFactory.getLog(LocalLockStore.class);

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

	int tokensPerGrant() {
		return this.description.tokensPerGrant();
	}

	@Override
	public void close() {
		this.closed = true;
	}

	@Override
	public void verify() {
		if (this.closed) {
			throw StoreCalls.closed("local");
		}
	}

	private <T> CompletionStage<T> execute(String key, Function<LocalLock, T> command) {
		verify();
		return CompletableFuture.completedFuture(this.store.execute(key, command));
	}

	@Override
	public CompletionStage<AttemptResult> attempt(Ticket ticket, Duration lease, AttemptOptions options) {
		// Before the attempt: the lease in the store does not end before its validity
		// here, which is shorter by a margin.
		TimeSource.Instant sent = this.clock.now();
		return execute(ticket.key(), (key) -> key.attempt(this, ticket, lease, options.queue(), sent));
	}

	@Override
	public CompletionStage<ReleaseResult> release(Ticket ticket, long lastToken, @Nullable Successor next) {
		if (next == null) {
			return execute(ticket.key(), (key) -> key.release(ticket, lastToken));
		}
		TimeSource.Instant sent = this.clock.now();
		return execute(ticket.key(), (key) -> key.release(ticket, lastToken, this, next, sent));
	}

	@Override
	public CompletionStage<?> cancel(Ticket ticket) {
		return execute(ticket.key(), (key) -> key.cancel(ticket));
	}

	@Override
	public CompletionStage<List<RenewalResult>> renew(List<Renewal> renewals) {
		verify();
		TimeSource.Instant sent = this.clock.now();
		return CompletableFuture.completedFuture(renewals.stream()
			.map((each) -> this.store.execute(each.ticket().key(), (key) -> key.renew(each, sent)))
			.toList());
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
	public StoredLock inspect(String name) {
		verify();
		return this.store.execute(name, (key) -> key.inspect(name));
	}

	@Override
	public EndResult end(String name, long grantToken) {
		verify();
		return this.store.execute(name, (key) -> key.end(grantToken));
	}

	/** A waiting ticket has been granted the lock. */
	void granted(LocalPlace place) {
		if (this.closed) {
			// Closed while the ticket waited: no caller will ever use the grant.
			this.store.execute(place.ticket.key(), (key) -> key.cancel(place.ticket));
			return;
		}
		TimeSource.Instant before = this.clock.now();
		signal(place, "granted to a waiting caller. It checks the lock again within " + LocalLock.LONGEST_RETRY_DELAY,
				() -> this.signals.granted(place.ticket, place.grant(before, this.store.clock().nanoTime())));
	}

	/** An operator has ended a grant. The next renewal detects the end, too. */
	void ended(LocalPlace place) {
		if (!this.closed) {
			signal(place, "released by an operator", () -> this.signals.ended(place.ticket, place.firstToken()));
		}
	}

	/** The command whose effect is reported must not fail because of that. */
	private static void signal(LocalPlace place, String event, Runnable signal) {
		try {
			signal.run();
		}
		catch (Throwable ex) {
			logger.warn("It could not be reported that lock '" + place.ticket.key() + "' was " + event, ex);
		}
	}

}
