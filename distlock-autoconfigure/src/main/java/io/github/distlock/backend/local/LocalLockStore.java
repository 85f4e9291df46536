package io.github.distlock.backend.local;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

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
import org.jspecify.annotations.Nullable;

/**
 * The verbs of one user of a {@link LocalStore}. They do not fail while it is open.
 * Thread-safe.
 */
final class LocalLockStore implements LockStore, StoreInspection {

	private final LocalStore store;

	final int tokensPerGrant;

	final boolean expires;

	final TimeSource clock;

	final LockSignals signals;

	volatile boolean closed;

	LocalLockStore(LocalStore store, BackendDescription description, TimeSource clock, StoreContext context) {
		this.store = store;
		this.tokensPerGrant = description.tokensPerGrant();
		this.expires = description.expires();
		this.clock = clock;
		this.signals = context.signals();
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

	/** No lease would end a lock that is held when the store is closed. */
	private <T> T execute(String key, Function<LocalLock, T> command) {
		if (this.expires) {
			verify();
		}
		return this.store.execute(key, command);
	}

	@Override
	public CompletionStage<AttemptResult> attempt(Ticket ticket, Duration lease, boolean queue) {
		// Before the attempt: the lease in the store does not end before its validity
		// here, which is shorter by a margin.
		TimeSource.Instant sent = this.clock.now();
		return CompletableFuture
			.completedFuture(execute(ticket.key(), (key) -> key.attempt(this, ticket, lease, queue, sent)));
	}

	@Override
	public CompletionStage<ReleaseResult> release(Ticket ticket, long lastToken, @Nullable Successor next) {
		return CompletableFuture.completedFuture(execute(ticket.key(), (key) -> {
			boolean released = key.release(ticket, lastToken);
			return new ReleaseResult(released,
					(released && next != null) ? key.attempt(this, next.ticket(), next.lease(), true, null) : null);
		}));
	}

	@Override
	public CompletionStage<?> cancel(Ticket ticket) {
		return CompletableFuture.completedFuture(execute(ticket.key(), (key) -> key.cancel(ticket)));
	}

	@Override
	public CompletionStage<List<RenewalResult>> renew(List<Renewal> renewals) {
		TimeSource.Instant sent = this.clock.now();
		return CompletableFuture.completedFuture(
				renewals.stream().map((each) -> execute(each.ticket().key(), (key) -> key.renew(each, sent))).toList());
	}

	@Override
	public String location() {
		return "the memory of this JVM";
	}

	/** Not to be ended here if another part of the lock is elsewhere. */
	@Override
	public @Nullable StoreInspection inspection() {
		return this.expires ? this : null;
	}

	@Override
	public StoredLock inspect(String name) {
		return execute(name, (key) -> key.inspect(name));
	}

	@Override
	public EndResult end(String name, long grantToken) {
		return execute(name, (key) -> key.end(grantToken));
	}

}
