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
import io.github.distlock.backend.jdbc.JdbcCommands.Kind;
import org.jspecify.annotations.Nullable;

/**
 * The open store of a {@link JdbcBackend} in the mode {@code connection}. A ticket has a
 * connection while it tries to take its lock, waits for it or holds it, and a thread of
 * the store while it waits. A wait ends after some seconds; then the connection is free
 * for other tickets until the ticket attempts again, behind all that wait by then. A
 * ticket that finds no free connection attempts again, too. Thread-safe.
 */
final class JdbcConnectionStore extends JdbcStore {

	/** Interval at which the sessions of held locks are checked. */
	private static final Duration CHECK_PERIOD = Duration.ofSeconds(1);

	/** The tickets that have a connection. */
	private final ConcurrentMap<Ticket, ConnectionLock> locks = new ConcurrentHashMap<>();

	/** The connections that no ticket has. */
	private final Semaphore connections;

	/** On PostgreSQL. */
	final AdvisoryLocks advisory;

	/**
	 * Open the store. It has one connection more for commands, and twice as many threads:
	 * one that ends a wait runs beside the one that waits.
	 */
	JdbcConnectionStore(LockPool pool, JdbcBackendSettings settings, StoreContext context, TimeSource clock) {
		super(pool, settings, 2 * settings.maxConnections() + 2, 1, context, clock);
		this.connections = new Semaphore(settings.maxConnections(), true);
		this.advisory = new AdvisoryLocks(settings.keyPrefix());
		this.commands.every(CHECK_PERIOD, this::checkAll);
	}

	@Override
	public CompletionStage<AttemptResult> attempt(Ticket ticket, Duration lease, boolean queue) {
		return CompletableFuture.completedFuture(attemptNow(ticket, lease, queue));
	}

	private AttemptResult attemptNow(Ticket ticket, Duration lease, boolean queue) {
		ConnectionLock lock = this.locks.get(ticket);
		Grant grant = (lock != null) ? lock.grant() : null;
		if (grant != null) {
			return grant;
		}
		if (lock == null) {
			// Allocate first: a permit that is taken must be given back.
			lock = new ConnectionLock(ticket, lease, this);
			if (!this.connections.tryAcquire()) {
				return noConnection(ticket.key(), queue);
			}
			begin(lock, queue);
		}
		return this.commands.await(lock.answer, "attempt", ticket.key());
	}

	private AttemptResult noConnection(String key, boolean queue) {
		long holding = this.locks.values().stream().filter((lock) -> lock.grant() != null).count();
		LockBackendException problem = new LockBackendException("Lock '" + key + "' cannot be attempted: all"
				+ " connections of the mode 'connection' are in use, " + holding + " by held locks and "
				+ (this.locks.size() - holding) + " by waits for locks. Increase distlock.jdbc.max-connections ("
				+ this.settings.maxConnections() + "), hold locks for less time, or use distlock.jdbc.mode=lease");
		if (!queue) {
			throw problem;
		}
		return new AttemptResult.Queued(ConnectionLock.RETRY, false, null, problem);
	}

	/**
	 * Start the work for a ticket that has a connection. Only the wait always has a
	 * thread of the store.
	 */
	private void begin(ConnectionLock lock, boolean waits) {
		this.locks.put(lock.ticket, lock);
		this.commands.start(() -> take(lock, false)).thenCompose((held) -> {
			// Without effect if the answer is the grant.
			lock.answer.complete(waits ? new AttemptResult.Queued(ConnectionLock.RETRY, false)
					: new AttemptResult.Busy(Duration.ZERO));
			return (waits && !held) ? this.commands.submit(() -> take(lock, true))
					: CompletableFuture.completedFuture(held);
		}).whenComplete((held, failure) -> {
			lock.working = false;
			if (failure != null) {
				lock.answer.completeExceptionally(failure);
			}
			if (!Boolean.TRUE.equals(held)) {
				// Also if the lock was held for a moment, so that the grant becomes
				// invalid.
				lock.leave();
				end(lock);
			}
		});
	}

	private boolean take(ConnectionLock lock, boolean waits) {
		try {
			return waits ? lock.await() : lock.take();
		}
		catch (SQLException ex) {
			// There is no connection. Only the thread of a caller is interrupted.
			if (Thread.currentThread().isInterrupted()) {
				return this.commands.submit(() -> take(lock, waits)).join();
			}
			throw this.pool.noAnswer("attempt", lock.ticket.key(), ex);
		}
	}

	/** Return the connection of a ticket that has left. May be called several times. */
	private boolean end(ConnectionLock lock) {
		try {
			lock.close();
		}
		finally {
			if (this.locks.remove(lock.ticket, lock)) {
				this.connections.release();
			}
			lock.ended.complete(true);
		}
		return true;
	}

	@Override
	public CompletionStage<ReleaseResult> release(Ticket ticket, long lastToken, @Nullable Successor next) {
		ConnectionLock lock = this.locks.get(ticket);
		boolean released = lock != null && release(lock);
		AttemptResult attempt = (next != null) ? attemptNow(next.ticket(), next.lease(), true) : null;
		return CompletableFuture.completedFuture(new ReleaseResult(released, attempt));
	}

	private boolean release(ConnectionLock lock) {
		Grant grant = lock.leave();
		if (grant == null) {
			cancel(lock.ticket);
			return false;
		}
		return this.commands.await(this.commands.start(() -> {
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
		ConnectionLock lock = this.locks.get(ticket);
		return CompletableFuture
			.completedFuture((lock != null) ? this.commands.await(cancel(lock), "cancellation", ticket.key()) : true);
	}

	/** Give a ticket up in any state. Completes when its connection is returned. */
	private CompletableFuture<Boolean> cancel(ConnectionLock lock) {
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
		ConnectionLock lock = this.locks.get(renewal.ticket());
		Grant grant = (lock != null && check(lock)) ? lock.grant() : null;
		return (grant != null && grant.lastToken() == renewal.lastToken())
				? new RenewalResult.Extended(grant.validity()) : new RenewalResult.Gone(false);
	}

	/**
	 * Check whether the session of a held lock still exists. Unless the database says so,
	 * the lock is lost, whatever is thrown: some pools close a connection that is in use.
	 */
	private boolean check(ConnectionLock lock) {
		boolean alive = false;
		try {
			alive = lock.grant() == null || lock.isAlive();
		}
		finally {
			if (!alive && lock.leave() != null) {
				this.signals.renewNow(List.of(lock.ticket));
				end(lock);
			}
		}
		return alive;
	}

	private void checkAll() {
		this.locks.values().forEach((lock) -> this.commands.submit(() -> check(lock)));
	}

	/** Of a row only a lease of the other mode is known. */
	@Override
	public StoredLock inspect(String key) {
		// Only a connection knows which database it is.
		ping();
		if (this.pool.dialect() == JdbcDialect.POSTGRESQL) {
			return this.commands.run(Kind.ATTEMPT, "inspection", key,
					(connection, sent) -> this.advisory.inspect(connection, key));
		}
		StoredLock lock = super.inspect(key);
		if (lock.holders().isEmpty()) {
			throw unsupported(key, "does not tell this library which session has locked a row");
		}
		return lock;
	}

	@Override
	public EndResult end(String key, long grantToken) {
		ping();
		if (this.pool.dialect() != JdbcDialect.POSTGRESQL) {
			throw unsupported(key, "ends a lock of the mode 'connection' only with the session of its holder");
		}
		boolean ended = this.commands.run(Kind.HOLDER, "end of the session", key,
				(connection, sent) -> this.advisory.end(connection, key, grantToken));
		return ended ? EndResult.ENDED : inspect(key).holders().isEmpty() ? EndResult.NOT_HELD : EndResult.CHANGED;
	}

	private UnsupportedOperationException unsupported(String key, String problem) {
		return new UnsupportedOperationException(this.pool.dialect().product() + " " + problem
				+ JdbcExceptionTranslator.lock(key) + ": an administrator finds the session by "
				+ sql("showsessions", key) + " and ends it by " + sql("killsession", key));
	}

	private String sql(String statement, String key) {
		String hex = HexFormat.of().withUpperCase().formatHex(this.table.key(key));
		return this.pool.statements().get(statement).text().replace("{hex}", hex);
	}

	/** The registry has ended the tickets before, if the database answers. */
	@Override
	public void close() {
		this.locks.values().forEach(this::cancel);
		closeConnections();
	}

}
