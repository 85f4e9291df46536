package io.github.distlock.backend.jdbc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import javax.sql.DataSource;

import io.github.distlock.LockBackendException;
import io.github.distlock.LockMode;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.BackendDescription;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.LockKeys;
import io.github.distlock.backend.LockSignals;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.jdbc.RowTicket.Held;
import org.jspecify.annotations.Nullable;

/**
 * Locks as row locks of the database: who has one keeps a transaction open, on one of the
 * store's connections, and the database ends it when its process dies. Waiters wait in
 * the database, on threads of the store. Thread-safe.
 */
public final class JdbcRowBackend implements LockBackend {

	private static final int BATCH_SIZE = 100;

	/**
	 * One: a lock is never passed on inside the JVM. The database may have ended the
	 * holder's session and let another JVM in, which only a command finds out.
	 */
	static final int TOKENS = 1;

	private final DataSource dataSource;

	private final JdbcBackendSettings settings;

	private final TimeSource clock;

	private final BackendDescription description;

	private volatile @Nullable Open open;

	/**
	 * Create the store. Sends nothing yet.
	 * @param dataSource the database
	 * @param settings how to work
	 * @param clock the time
	 */
	public JdbcRowBackend(DataSource dataSource, JdbcBackendSettings settings, TimeSource clock) {
		this.dataSource = dataSource;
		this.settings = settings;
		this.clock = clock;
		// What runs too late runs in a transaction that nobody keeps.
		this.description = new BackendDescription("jdbc", Set.of(LockMode.EXCLUSIVE), false, false, TOKENS,
				Duration.ZERO, BATCH_SIZE);
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
		JdbcResources store = JdbcResources.row(this.dataSource, this.settings, this.clock);
		this.open = new Open(store, new RowTickets(store, this.settings, signals));
	}

	@Override
	public void stop() {
		Open current = this.open;
		this.open = null;
		if (current != null) {
			current.tickets().stop();
			current.store().close();
		}
	}

	@Override
	public void verify() {
		required().store().verify();
	}

	/** The lease is not used: the registry ends what has a lease time of its own. */
	@Override
	public AttemptResult attempt(Ticket ticket, Duration lease, boolean queue) {
		Open current = required();
		RowTicket existing = current.tickets().find(ticket);
		if (existing != null) {
			Held held = existing.held();
			if (held != null) {
				return new AttemptResult.Granted(held.grant());
			}
			if (existing.waiting) {
				return new AttemptResult.Waiting(RowTickets.LOOK_AGAIN, false);
			}
		}
		RowTicket rowTicket = (existing != null) ? existing : current.tickets().begin(ticket, queue);
		return answer(current.store(), rowTicket);
	}

	private AttemptResult answer(JdbcResources store, RowTicket rowTicket) {
		String key = rowTicket.ticket.key();
		Duration timeout = this.settings.commandTimeout();
		CompletableFuture<AttemptResult> answer = rowTicket.answer;
		if (!store.threads().await(answer, timeout) && rowTicket.transaction() == null) {
			// A grant that comes later is signalled.
			answer.completeExceptionally(store.source().noConnection("attempt", key, null));
		}
		if (!store.threads().await(answer, timeout.multipliedBy(3))) {
			answer.completeExceptionally(new LockBackendException(
					"The database did not answer the attempt" + JdbcExceptionTranslator.lock(key)
							+ " in time: check its load, and distlock.jdbc.command-timeout"));
		}
		return JdbcThreads.result(answer, "attempt", key);
	}

	@Override
	public ReleaseResult release(Ticket ticket, long lastToken, @Nullable Successor next) {
		Open current = required();
		RowTicket rowTicket = current.tickets().find(ticket);
		boolean released = rowTicket != null && release(current.tickets(), rowTicket, lastToken);
		return new ReleaseResult(released, (next != null) ? attempt(next.ticket(), next.lease(), true) : null);
	}

	private static boolean release(RowTickets tickets, RowTicket rowTicket, long lastToken) {
		Held held = rowTicket.leave();
		if (held != null) {
			return tickets.release(rowTicket, held, lastToken);
		}
		tickets.cancel(rowTicket);
		return false;
	}

	@Override
	public void cancel(Ticket ticket) {
		Open current = required();
		RowTicket rowTicket = current.tickets().find(ticket);
		if (rowTicket != null) {
			current.tickets().cancel(rowTicket);
		}
	}

	@Override
	public List<RenewalResult> renew(List<Renewal> renewals) {
		Open current = required();
		List<CompletableFuture<Boolean>> checks = new ArrayList<>(renewals.size());
		for (Renewal renewal : renewals) {
			checks.add(current.store().threads().submit(() -> isHeld(current.tickets(), renewal)));
		}
		List<RenewalResult> results = new ArrayList<>(renewals.size());
		for (CompletableFuture<Boolean> check : checks) {
			results.add(result(current, renewals.get(results.size()).ticket(), check));
		}
		return results;
	}

	private static boolean isHeld(RowTickets tickets, Renewal renewal) {
		RowTicket rowTicket = tickets.find(renewal.ticket());
		Held held = (rowTicket != null) ? rowTicket.held() : null;
		return rowTicket != null && held != null && held.grant().lastToken() == renewal.lastToken()
				&& tickets.check(rowTicket);
	}

	private RenewalResult result(Open current, Ticket ticket, CompletableFuture<Boolean> check) {
		if (!current.store().threads().await(check, this.settings.commandTimeout().multipliedBy(3))) {
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
		RowTicket rowTicket = current.tickets().find(ticket);
		Held held = (alive && rowTicket != null) ? rowTicket.held() : null;
		return (held != null) ? new RenewalResult.Renewed(held.grant().validity()) : new RenewalResult.Gone();
	}

	private Open required() {
		Open current = this.open;
		if (current == null) {
			throw JdbcThreads.stopped();
		}
		return current;
	}

	private record Open(JdbcResources store, RowTickets tickets) {
	}

}
