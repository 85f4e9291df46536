package io.github.distlock.testing;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;

import io.github.distlock.LockMode;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.BackendDescription;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.Ticket;
import org.jspecify.annotations.Nullable;

/**
 * A store without a server: there is nothing to open, to close or to check. It is its own
 * backend. A test overrides the verbs that it needs.
 */
public abstract class IdleStore implements LockBackend, LockStore {

	public static final BackendDescription DESCRIPTION = new BackendDescription("idle", Set.of(LockMode.EXCLUSIVE),
			true, true, 1, Duration.ZERO, 100);

	@Override
	public BackendDescription description() {
		return DESCRIPTION;
	}

	@Override
	public String location() {
		return "no place";
	}

	@Override
	public LockStore open(StoreContext context) {
		return this;
	}

	@Override
	public void close() {
	}

	@Override
	public void verify() {
	}

	@Override
	public CompletionStage<AttemptResult> attempt(Ticket ticket, Duration lease, boolean queue) {
		throw new UnsupportedOperationException();
	}

	@Override
	public CompletionStage<ReleaseResult> release(Ticket ticket, long lastToken, @Nullable Successor next) {
		throw new UnsupportedOperationException();
	}

	@Override
	public CompletionStage<?> cancel(Ticket ticket) {
		throw new UnsupportedOperationException();
	}

	@Override
	public CompletionStage<List<RenewalResult>> renew(List<Renewal> renewals) {
		throw new UnsupportedOperationException();
	}

}
