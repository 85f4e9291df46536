package io.github.distlock.backend.jdbc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.BackendDescription;
import io.github.distlock.backend.LockSignals;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.jdbc.RowTicket.Held;
import org.jspecify.annotations.Nullable;

/**
 * The open store of a {@link JdbcRowBackend}. Thread-safe.
 */
final class JdbcRowStore implements LockStore {

	private final JdbcResources resources;

	private final RowTickets tickets;

	private final JdbcBackendSettings settings;

	private final BackendDescription description;

	private volatile boolean closed;

	JdbcRowStore(JdbcResources resources, JdbcBackendSettings settings, BackendDescription description,
			LockSignals signals) {
		this.resources = resources;
		this.tickets = new RowTickets(resources, settings, signals);
		this.settings = settings;
		this.description = description;
	}

	@Override
	public BackendDescription description() {
		return this.description;
	}

	@Override
	public void close() {
		this.closed = true;
		this.tickets.stop();
		this.resources.close();
	}

	@Override
	public void verify() {
		this.resources.verify();
	}

	/** The lease is not used: the registry ends what has a lease time of its own. */
	@Override
	public AttemptResult attempt(Ticket ticket, Duration lease, boolean queue) {
		requireOpen();
		RowTicket existing = this.tickets.find(ticket);
		if (existing != null) {
			Held held = existing.held();
			if (held != null) {
				return new AttemptResult.Granted(held.grant());
			}
			if (existing.waiting) {
				return new AttemptResult.Waiting(RowTickets.LOOK_AGAIN, false);
			}
		}
		RowTicket rowTicket = (existing != null) ? existing : this.tickets.begin(ticket, queue);
		return answer(rowTicket);
	}

	private AttemptResult answer(RowTicket rowTicket) {
		String key = rowTicket.ticket.key();
		Duration timeout = this.settings.commandTimeout();
		CompletableFuture<AttemptResult> answer = rowTicket.answer;
		if (!this.resources.threads().await(answer, timeout) && rowTicket.transaction() == null) {
			// A grant that comes later is signalled.
			answer.completeExceptionally(this.resources.source().noConnection("attempt", key, null));
		}
		if (!this.resources.threads().await(answer, timeout.multipliedBy(3))) {
			answer.completeExceptionally(new LockBackendException(
					"The database did not answer the attempt" + JdbcExceptionTranslator.lock(key)
							+ " in time: check its load, and distlock.jdbc.command-timeout"));
		}
		return JdbcThreads.result(answer, "attempt", key);
	}

	@Override
	public ReleaseResult release(Ticket ticket, long lastToken, @Nullable Successor next) {
		requireOpen();
		RowTicket rowTicket = this.tickets.find(ticket);
		boolean released = rowTicket != null && release(rowTicket, lastToken);
		return new ReleaseResult(released, (next != null) ? attempt(next.ticket(), next.lease(), true) : null);
	}

	private boolean release(RowTicket rowTicket, long lastToken) {
		Held held = rowTicket.leave();
		if (held != null) {
			return this.tickets.release(rowTicket, held, lastToken);
		}
		this.tickets.cancel(rowTicket);
		return false;
	}

	@Override
	public void cancel(Ticket ticket) {
		requireOpen();
		RowTicket rowTicket = this.tickets.find(ticket);
		if (rowTicket != null) {
			this.tickets.cancel(rowTicket);
		}
	}

	@Override
	public List<RenewalResult> renew(List<Renewal> renewals) {
		requireOpen();
		List<CompletableFuture<Boolean>> checks = new ArrayList<>(renewals.size());
		for (Renewal renewal : renewals) {
			checks.add(this.resources.threads().submit(() -> isHeld(renewal)));
		}
		List<RenewalResult> results = new ArrayList<>(renewals.size());
		for (CompletableFuture<Boolean> check : checks) {
			results.add(result(renewals.get(results.size()).ticket(), check));
		}
		return results;
	}

	private boolean isHeld(Renewal renewal) {
		RowTicket rowTicket = this.tickets.find(renewal.ticket());
		Held held = (rowTicket != null) ? rowTicket.held() : null;
		return rowTicket != null && held != null && held.grant().lastToken() == renewal.lastToken()
				&& this.tickets.check(rowTicket);
	}

	private RenewalResult result(Ticket ticket, CompletableFuture<Boolean> check) {
		if (!this.resources.threads().await(check, this.settings.commandTimeout().multipliedBy(3))) {
			return new RenewalResult.Unknown(new LockBackendException(
					"The database did not say in time whether the transaction of a lock is alive"));
		}
		boolean alive;
		try {
			alive = JdbcThreads.result(check, "renewal", ticket.key());
		}
		catch (LockBackendException ex) {
			return new RenewalResult.Unknown(ex);
		}
		RowTicket rowTicket = this.tickets.find(ticket);
		Held held = (alive && rowTicket != null) ? rowTicket.held() : null;
		return (held != null) ? new RenewalResult.Renewed(held.grant().validity()) : new RenewalResult.Gone();
	}

	private void requireOpen() {
		if (this.closed) {
			throw JdbcThreads.stopped();
		}
	}

}
