package io.github.distlock.backend.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Semaphore;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.StoredLock;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The open store of a {@link JdbcBackend} in the mode {@code row}. A ticket has a
 * connection while it waits for its row or holds it, and a thread of the store while it
 * waits. A wait for a row lasts for three seconds at most; then the connection is free
 * for other tickets until the ticket attempts again. A ticket that finds no free
 * connection attempts again, too. Thread-safe.
 */
final class JdbcRowStore extends JdbcStore {

	private static final Log logger = LogFactory.getLog(JdbcRowStore.class);

	/** Interval at which the sessions of held rows are checked. */
	private static final Duration CHECK_PERIOD = Duration.ofSeconds(1);

	/** The tickets that have a connection. */
	private final ConcurrentMap<Ticket, RowLock> locks = new ConcurrentHashMap<>();

	/** The connections that no ticket has. */
	private final Semaphore connections;

	/**
	 * Open the store. It has one connection more for commands, and twice as many threads:
	 * one that ends a wait runs beside the one that waits.
	 */
	JdbcRowStore(LockPool pool, JdbcBackendSettings settings, StoreContext context, TimeSource clock) {
		super(pool, settings, 2 * settings.maxConnections() + 2, 1, context, clock);
		this.connections = new Semaphore(settings.maxConnections(), true);
		this.commands.every(CHECK_PERIOD, this::checkAll);
	}

	@Override
	public CompletionStage<AttemptResult> attempt(Ticket ticket, Duration lease, boolean queue) {
		return CompletableFuture.completedFuture(attemptNow(ticket, queue));
	}

	private AttemptResult attemptNow(Ticket ticket, boolean queue) {
		RowLock lock = this.locks.get(ticket);
		Grant grant = (lock != null) ? lock.grant() : null;
		if (grant != null) {
			return grant;
		}
		if (lock == null) {
			if (!this.connections.tryAcquire()) {
				return noConnection(ticket.key(), queue);
			}
			lock = begin(ticket, queue);
		}
		return this.commands.await(lock.answer, "attempt", ticket.key());
	}

	private AttemptResult noConnection(String key, boolean queue) {
		if (queue) {
			logger.debug("A lock waits for a connection (distlock.jdbc.max-connections): " + key);
			return new AttemptResult.Queued(RowLock.RETRY, false);
		}
		throw new LockBackendException("Lock '" + key + "' cannot be attempted: all " + this.settings.maxConnections()
				+ " connections of the mode 'row' hold locks or wait for locks. Increase"
				+ " distlock.jdbc.max-connections, hold locks for less time, or use distlock.jdbc.mode=lease");
	}

	/** Start the work for a ticket that has a connection. */
	private RowLock begin(Ticket ticket, boolean waits) {
		RowLock lock = new RowLock(ticket, this.pool, this.table.key(ticket.key()), this.settings.commandTimeout());
		this.locks.put(ticket, lock);
		this.commands.submit(() -> take(lock, waits)).whenComplete((held, failure) -> {
			lock.working = false;
			if (failure != null) {
				lock.answer.completeExceptionally(failure);
			}
			if (!Boolean.TRUE.equals(held)) {
				// Also if the row was held for a moment, so that the grant becomes
				// invalid.
				lock.leave();
				end(lock);
			}
		});
		return lock;
	}

	private boolean take(RowLock lock, boolean waits) {
		try {
			return lock.take(waits, this.signals);
		}
		catch (SQLException ex) {
			throw this.pool.noAnswer("attempt", lock.ticket.key(), ex);
		}
	}

	/** Return the connection of a ticket that has left. May be called several times. */
	private boolean end(RowLock lock) {
		lock.close();
		this.locks.remove(lock.ticket, lock);
		if (lock.ended.complete(true)) {
			this.connections.release();
		}
		return true;
	}

	@Override
	public CompletionStage<ReleaseResult> release(Ticket ticket, long lastToken, @Nullable Successor next) {
		RowLock lock = this.locks.get(ticket);
		boolean released = lock != null && release(lock);
		AttemptResult attempt = (next != null) ? attemptNow(next.ticket(), true) : null;
		return CompletableFuture.completedFuture(new ReleaseResult(released, attempt));
	}

	private boolean release(RowLock lock) {
		Grant grant = lock.leave();
		if (grant == null) {
			cancel(lock.ticket);
			return false;
		}
		return this.commands.await(this.commands.submit(() -> {
			try {
				return lock.finish(grant.lastToken());
			}
			finally {
				end(lock);
			}
		}), "release", lock.ticket.key());
	}

	@Override
	public CompletionStage<?> cancel(Ticket ticket) {
		RowLock lock = this.locks.get(ticket);
		return CompletableFuture
			.completedFuture((lock != null) ? this.commands.await(cancel(lock), "cancellation", ticket.key()) : true);
	}

	/** Give a ticket up in any state. Completes when its connection is returned. */
	private CompletableFuture<Boolean> cancel(RowLock lock) {
		boolean held = lock.leave() != null;
		this.commands.submit(() -> {
			if (held || !lock.working) {
				return end(lock);
			}
			lock.cancelWait();
			return false;
		});
		return lock.ended;
	}

	/** Checks the sessions: the caller may be about to commit a transaction. */
	@Override
	public CompletionStage<List<RenewalResult>> renew(List<Renewal> renewals) {
		try {
			return CompletableFuture.completedFuture(
					this.commands.await(this.commands.submit(() -> renewals.stream().map(this::renew).toList()),
							"check of the transactions", null));
		}
		catch (LockBackendException ex) {
			return CompletableFuture.completedFuture(unknown(renewals, ex));
		}
	}

	private RenewalResult renew(Renewal renewal) {
		RowLock lock = this.locks.get(renewal.ticket());
		check(lock);
		Grant grant = (lock != null) ? lock.grant() : null;
		return (grant != null && grant.lastToken() == renewal.lastToken())
				? new RenewalResult.Extended(grant.validity()) : new RenewalResult.Gone(false);
	}

	/**
	 * Check whether the session of a held row still exists. If not, the lock is lost.
	 * @return whether it was lost just now
	 */
	private boolean check(@Nullable RowLock lock) {
		return lock != null && lock.grant() != null && !lock.isAlive() && lock.leave() != null && end(lock);
	}

	private void checkAll() {
		for (RowLock lock : this.locks.values()) {
			this.commands.submit(() -> {
				if (check(lock)) {
					this.signals.renewNow(List.of(lock.ticket));
				}
				return true;
			});
		}
	}

	/** A row shows only a lease of the other mode. */
	@Override
	public StoredLock inspect(String key) {
		StoredLock lock = super.inspect(key);
		if (lock.holders().isEmpty()) {
			throw unsupported(key, "does not tell this library which session has locked a row");
		}
		return lock;
	}

	@Override
	public EndResult end(String key, long grantToken) {
		// Only a connection knows which statements the database has.
		ping();
		throw unsupported(key, "ends a lock of the mode 'row' only with the session of its holder");
	}

	private UnsupportedOperationException unsupported(String key, String problem) {
		return new UnsupportedOperationException(this.pool.dialect().product() + " " + problem
				+ JdbcExceptionTranslator.lock(key) + ": an administrator finds the session by "
				+ sql("showsessions", key) + " and ends it by " + sql("killsession", key));
	}

	private String sql(String statement, String key) {
		String literal = (this.settings.keyPrefix() + key).replace("'", "''");
		String hex = HexFormat.of().withUpperCase().formatHex(this.table.key(key));
		return this.pool.statements().get(statement).text().replace("{hex}", hex).replace("{key}", literal);
	}

	/** The registry has ended the tickets before, if the database answers. */
	@Override
	public void close() {
		this.locks.values().forEach(this::cancel);
		closeConnections();
	}

}
