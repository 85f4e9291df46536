package io.github.distlock.backend.jdbc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.AttemptOptions;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.BackendDescription;
import io.github.distlock.backend.BlockingLockStore;
import io.github.distlock.backend.LockSignals;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.StoreInspection;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.jdbc.RowTicket.HeldRow;
import org.jspecify.annotations.Nullable;

/**
 * The open store of a {@link JdbcRowBackend}: waits for the work of {@link RowTickets}.
 * Thread-safe.
 */
final class JdbcRowStore extends BlockingLockStore {

	private final JdbcResources resources;

	private final RowTickets tickets;

	private final JdbcBackendSettings settings;

	private final BackendDescription description;

	private final RowInspection inspection;

	private volatile boolean closed;

	JdbcRowStore(JdbcResources resources, JdbcBackendSettings settings, BackendDescription description,
			LockSignals signals, TimeSource clock) {
		this.resources = resources;
		this.tickets = new RowTickets(resources, settings, signals);
		this.settings = settings;
		this.description = description;
		this.inspection = new RowInspection(resources);
	}

	@Override
	public BackendDescription description() {
		return this.description;
	}

	@Override
	public void close() {
		this.closed = true;
		this.tickets.close();
		this.resources.close();
	}

	@Override
	public void verify() {
		this.resources.verify();
	}

	@Override
	protected AttemptResult attemptNow(Ticket ticket, Duration lease, AttemptOptions options) {
		requireOpen();
		RowTicket existing = this.tickets.find(ticket);
		if (existing != null) {
			HeldRow held = existing.held();
			if (held != null) {
				return new AttemptResult.Granted(held.grant());
			}
			if (existing.waiting) {
				return new AttemptResult.Queued(RowTickets.RETRY_INTERVAL, false);
			}
		}
		return answer((existing != null) ? existing : this.tickets.begin(ticket, options.queue()));
	}

	private AttemptResult answer(RowTicket rowTicket) {
		String key = rowTicket.ticket.key();
		CompletableFuture<AttemptResult> answer = rowTicket.answer;
		if (!this.resources.threads().await(answer, this.settings.commandTimeout())) {
			// If the lock is granted later, the grant is signalled.
			answer.completeExceptionally(
					(rowTicket.transaction() == null) ? this.resources.pool().noConnection("attempt", key, null)
							: JdbcExceptionTranslator.noAnswer("attempt", key));
		}
		return this.resources.threads().result(answer, "attempt", key);
	}

	@Override
	protected ReleaseResult releaseNow(Ticket ticket, long lastToken, @Nullable Successor next) {
		requireOpen();
		RowTicket rowTicket = this.tickets.find(ticket);
		boolean released = rowTicket != null && release(rowTicket, lastToken);
		return new ReleaseResult(released,
				(next != null) ? attemptNow(next.ticket(), next.lease(), AttemptOptions.queue(true)) : null);
	}

	private boolean release(RowTicket rowTicket, long lastToken) {
		HeldRow held = rowTicket.leave();
		if (held != null) {
			return this.tickets.release(rowTicket, held, lastToken);
		}
		this.tickets.cancel(rowTicket);
		return false;
	}

	@Override
	protected void cancelNow(Ticket ticket) {
		requireOpen();
		RowTicket rowTicket = this.tickets.find(ticket);
		if (rowTicket != null) {
			this.tickets.cancel(rowTicket);
		}
	}

	@Override
	protected List<RenewalResult> renewNow(List<Renewal> renewals) {
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
		HeldRow held = (rowTicket != null) ? rowTicket.held() : null;
		return rowTicket != null && held != null && held.grant().lastToken() == renewal.lastToken()
				&& this.tickets.check(rowTicket);
	}

	private RenewalResult result(Ticket ticket, CompletableFuture<Boolean> check) {
		if (!this.resources.threads().await(check, this.settings.commandTimeout())) {
			return new RenewalResult.Unknown(
					JdbcExceptionTranslator.noAnswer("check of the transaction", ticket.key()));
		}
		boolean alive;
		try {
			alive = this.resources.threads().result(check, "renewal", ticket.key());
		}
		catch (LockBackendException ex) {
			return new RenewalResult.Unknown(ex);
		}
		RowTicket rowTicket = this.tickets.find(ticket);
		HeldRow held = (alive && rowTicket != null) ? rowTicket.held() : null;
		return (held != null) ? new RenewalResult.Extended(held.grant().validity()) : new RenewalResult.Gone();
	}

	@Override
	public String location() {
		return this.resources.location();
	}

	@Override
	public void ping() {
		this.resources.ping();
	}

	@Override
	public StoreInspection inspection() {
		return this.inspection;
	}

	private void requireOpen() {
		if (this.closed) {
			throw JdbcThreads.stopped();
		}
	}

}
