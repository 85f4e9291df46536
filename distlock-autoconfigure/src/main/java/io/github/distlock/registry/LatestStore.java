package io.github.distlock.registry;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

import io.github.distlock.backend.AttemptOptions;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.BackendDescription;
import io.github.distlock.backend.DirectCommands;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.StoreAdministration;
import io.github.distlock.backend.Ticket;
import org.jspecify.annotations.Nullable;

/**
 * The store that a registry has opened last. A lock that is held across a restart of its
 * registry is released through this store, since the store of the earlier run is closed.
 * <p>
 * Only for stores in which leases end locks. Other stores know their tickets, and can
 * still release them after they were closed.
 */
final class LatestStore implements LockStore, DirectCommands {

	private volatile LockStore latest;

	LatestStore(LockStore first) {
		this.latest = first;
	}

	/** Send all commands through another store from now on. */
	void replaceBy(LockStore opened) {
		this.latest = opened;
	}

	@Override
	public BackendDescription description() {
		return this.latest.description();
	}

	@Override
	public void verify() {
		this.latest.verify();
	}

	@Override
	public AttemptResult attempt(Ticket ticket, Duration lease, boolean queue) {
		return this.latest.attempt(ticket, lease, queue);
	}

	@Override
	public AttemptResult attempt(Ticket ticket, Duration lease, AttemptOptions options) {
		return this.latest.attempt(ticket, lease, options);
	}

	@Override
	public void refuse(Ticket asker) {
		this.latest.refuse(asker);
	}

	@Override
	public ReleaseResult release(Ticket ticket, long lastToken, @Nullable Successor next) {
		return this.latest.release(ticket, lastToken, next);
	}

	@Override
	public @Nullable CompletionStage<ReleaseResult> releaseInOrder(Ticket ticket, long lastToken,
			@Nullable Successor next) {
		return this.latest.releaseInOrder(ticket, lastToken, next);
	}

	@Override
	public void cancel(Ticket ticket) {
		this.latest.cancel(ticket);
	}

	@Override
	public List<RenewalResult> renew(List<Renewal> renewals) {
		return this.latest.renew(renewals);
	}

	@Override
	public @Nullable DirectCommands direct() {
		return (this.latest.direct() != null) ? this : null;
	}

	@Override
	public @Nullable Grant attemptUnused(Ticket ticket, Duration lease) {
		DirectCommands commands = this.latest.direct();
		return (commands != null) ? commands.attemptUnused(ticket, lease) : null;
	}

	@Override
	public boolean releaseUnshared(Ticket ticket, long lastToken) {
		DirectCommands commands = this.latest.direct();
		return commands != null && commands.releaseUnshared(ticket, lastToken);
	}

	@Override
	public StoreAdministration administration() {
		return this.latest.administration();
	}

	@Override
	public void close() {
		this.latest.close();
	}

}
