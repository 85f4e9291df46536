package io.github.distlock.backend.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockSignals;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.Validity;
import io.github.distlock.backend.jdbc.RowTicket.HeldRow;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;

/**
 * The tickets of this JVM that wait for rows or hold them. A ticket needs a permit and a
 * connection while it works or holds its row, and a thread while it works.
 */
final class RowTickets {

	private static final Log logger = LogFactory.getLog(RowTickets.class);

	/**
	 * Retry interval of a waiting ticket. A retry sends nothing: grants are signalled.
	 */
	static final Duration RETRY_INTERVAL = Duration.ofSeconds(1);

	/** Interval at which the sessions of held rows are checked. */
	private static final Duration CHECK_PERIOD = Duration.ofSeconds(1);

	/** Each wait between two cancellations is longer than the previous one by this. */
	private static final Duration CANCELLATION_STEP = Duration.ofMillis(2);

	private final ConcurrentMap<Ticket, RowTicket> tickets = new ConcurrentHashMap<>();

	private final RowConnectionPermits permits;

	private final JdbcResources resources;

	private final JdbcBackendSettings settings;

	private final LockSignals signals;

	private volatile boolean closed;

	RowTickets(JdbcResources resources, JdbcBackendSettings settings, LockSignals signals) {
		this.resources = resources;
		this.permits = new RowConnectionPermits(settings.maxConnections());
		this.settings = settings;
		this.signals = signals;
		resources.threads().every(CHECK_PERIOD, this::checkAll);
	}

	@Nullable RowTicket find(Ticket ticket) {
		return this.tickets.get(ticket);
	}

	/**
	 * Start the work for a ticket, or queue the ticket for a connection.
	 * @return the ticket; if it was queued, its attempt is answered
	 */
	RowTicket begin(Ticket ticket, boolean waits) {
		RowTicket rowTicket = new RowTicket(ticket, waits);
		RowTicket existing = this.tickets.putIfAbsent(ticket, rowTicket);
		if (existing != null) {
			return existing;
		}
		if (this.permits.acquire(rowTicket)) {
			start(rowTicket);
		}
		else if (waits) {
			logger.debug("A lock waits for a connection (distlock.jdbc.max-connections): " + ticket.key());
			answerWaiting(rowTicket);
		}
		else {
			this.tickets.remove(ticket, rowTicket);
			rowTicket.answer.completeExceptionally(new LockBackendException("Lock '" + ticket.key()
					+ "' cannot be attempted: all " + this.settings.maxConnections()
					+ " connections of the mode 'row' hold locks or wait for locks. Increase"
					+ " distlock.jdbc.max-connections and the size of the pool, hold locks for less time, or use"
					+ " distlock.jdbc.mode=lease"));
		}
		return rowTicket;
	}

	private static void answerWaiting(RowTicket rowTicket) {
		rowTicket.waiting = true;
		rowTicket.answer.complete(new AttemptResult.Queued(RETRY_INTERVAL, true));
	}

	private void start(RowTicket rowTicket) {
		this.resources.threads().submit(() -> {
			work(rowTicket);
			return true;
		}).whenComplete((done, failure) -> {
			// The work has not begun: the store is closed, or no thread could be started.
			if (failure != null) {
				rowTicket.answer.completeExceptionally(failure);
				end(rowTicket);
			}
		});
	}

	private void work(RowTicket rowTicket) {
		RowTransaction transaction = null;
		Grant grant = null;
		boolean requeued = false;
		try {
			if (!rowTicket.isLeaving()) {
				transaction = RowTransaction.open(this.resources.pool(), this.settings.commandTimeout(),
						this.resources.table().key(rowTicket.ticket.key()), rowTicket.ticket);
				rowTicket.begun(transaction);
				this.resources.cleaner().rowUsed();
				RowTransaction.LockedRow row = transaction.take();
				long now = (row != null) ? row.nowMicros() : 0;
				if (row == null && !rowTicket.waits) {
					rowTicket.answer.complete(new AttemptResult.Busy(Duration.ZERO));
				}
				while (row == null && rowTicket.waits && !requeued && !rowTicket.isLeaving()) {
					answerWaiting(rowTicket);
					row = transaction.await(rowTicket::isLeaving);
					now = (row != null) ? transaction.clockMicros(row.fence()) : 0;
					requeued = row == null && requeue(rowTicket);
				}
				grant = (row != null) ? hold(rowTicket, row.fence(), now) : null;
			}
		}
		catch (Throwable ex) {
			failed(rowTicket, transaction, ex);
		}
		finally {
			if (grant == null) {
				if (!requeued) {
					// Also if the row was held for a moment, so that the grant becomes
					// invalid.
					rowTicket.leave();
				}
				closeQuietly(transaction);
				if (!requeued) {
					end(rowTicket);
				}
			}
		}
	}

	/** Must not throw: the ticket has to be ended afterwards. */
	private static void closeQuietly(@Nullable RowTransaction transaction) {
		try {
			if (transaction != null) {
				transaction.close();
			}
		}
		catch (Throwable ex) {
			logger.debug("The connection of a lock could not be closed", ex);
		}
	}

	private @Nullable Grant hold(RowTicket rowTicket, long fence, long nowMicros) {
		long first = Math.max(fence + 1, nowMicros);
		Grant grant = new Grant(first, first + JdbcRowBackend.TOKENS - 1, Validity.session(rowTicket::isHolding));
		if (!rowTicket.hold(grant)) {
			return null;
		}
		if (!rowTicket.answer.complete(new AttemptResult.Granted(grant))) {
			this.signals.granted(rowTicket.ticket, grant);
		}
		return grant;
	}

	/** Pass the permit on if other tickets wait for a connection, and queue this one. */
	private boolean requeue(RowTicket rowTicket) {
		RowTicket next = this.permits.passOn(rowTicket);
		if (next == null) {
			return false;
		}
		start(next);
		if (rowTicket.isLeaving()) {
			removeQueued(rowTicket);
		}
		return true;
	}

	private void failed(RowTicket rowTicket, @Nullable RowTransaction transaction, Throwable ex) {
		String key = rowTicket.ticket.key();
		LockBackendException failure = (transaction == null && ex instanceof SQLException connectionFailure)
				? this.resources.pool().noConnection("attempt", key, connectionFailure)
				: JdbcExceptionTranslator.translate(this.settings.tables(), "attempt", key, ex);
		if (!rowTicket.answer.completeExceptionally(failure) && !rowTicket.isLeaving()) {
			logger.debug("The wait for a lock has failed and is started again", ex);
			this.tickets.remove(rowTicket.ticket, rowTicket);
			this.signals.retry(rowTicket.ticket);
		}
	}

	/** Remove a ticket and return its permit. May be called several times. */
	private void end(RowTicket rowTicket) {
		this.tickets.remove(rowTicket.ticket, rowTicket);
		if (!rowTicket.ended.complete(true)) {
			return;
		}
		RowTicket next = this.permits.release();
		if (next != null && !this.closed) {
			start(next);
		}
	}

	private boolean removeQueued(RowTicket rowTicket) {
		if (!this.permits.remove(rowTicket)) {
			return false;
		}
		this.tickets.remove(rowTicket.ticket, rowTicket);
		rowTicket.ended.complete(true);
		return true;
	}

	/**
	 * Free a held row.
	 * @param lastToken the last token that was used
	 * @return whether the row was held until now
	 */
	boolean release(RowTicket rowTicket, HeldRow held, long lastToken) {
		Grant grant = held.grant();
		boolean used = lastToken >= grant.firstToken() && lastToken <= grant.lastToken();
		long fence = used ? lastToken : grant.lastToken();
		var done = this.resources.threads().submit(() -> {
			try {
				this.resources.cleaner().rowUsed();
				held.transaction().finish(fence);
				return true;
			}
			catch (DataAccessException ex) {
				logger.debug("The transaction of a lock has ended before the release", ex);
				return false;
			}
			finally {
				closeQuietly(held.transaction());
				end(rowTicket);
			}
		});
		endUnlessBegun(done, rowTicket, held);
		if (!this.resources.threads().await(done, this.settings.commandTimeout())) {
			throw JdbcExceptionTranslator.noAnswer("release", rowTicket.ticket.key());
		}
		return this.resources.threads().result(done, "release", rowTicket.ticket.key());
	}

	/** Free the row on this thread if no other thread could be started. */
	private void endUnlessBegun(CompletableFuture<Boolean> task, RowTicket rowTicket, HeldRow held) {
		if (task.isCompletedExceptionally() && !rowTicket.ended.isDone()) {
			held.transaction().discard();
			end(rowTicket);
		}
	}

	/** Give a ticket up in any state. Returns when its connection has been returned. */
	void cancel(RowTicket rowTicket) {
		HeldRow held = rowTicket.leave();
		if (held != null) {
			endUnlessBegun(this.resources.threads().submit(() -> {
				closeQuietly(held.transaction());
				end(rowTicket);
				return true;
			}), rowTicket, held);
		}
		// Repeated, since the cancellation of a statement that has not begun has no
		// effect, and some drivers cancel a statement only once. Otherwise the wait for a
		// row ends by itself.
		Duration step = Duration.ZERO;
		for (Duration waited = step; waited.compareTo(this.settings.commandTimeout()) < 0; waited = waited.plus(step)) {
			if (removeQueued(rowTicket) || this.resources.threads().await(rowTicket.ended, step)) {
				return;
			}
			RowTransaction transaction = rowTicket.transaction();
			if (transaction != null && held == null && transaction.beginCancel()) {
				this.resources.threads().cancel(transaction);
			}
			step = step.plus(CANCELLATION_STEP);
		}
		throw new LockBackendException("The database did not cancel the wait for lock '" + rowTicket.ticket.key()
				+ "': check that it is reachable");
	}

	/** Check whether the session of a held row still exists. If not, the row is lost. */
	boolean check(RowTicket rowTicket) {
		HeldRow held = rowTicket.held();
		if (held == null) {
			return false;
		}
		if (held.transaction().isAlive()) {
			return true;
		}
		if (rowTicket.leave() != null) {
			held.transaction().discard();
			end(rowTicket);
		}
		return false;
	}

	private void checkAll() {
		for (RowTicket rowTicket : this.tickets.values()) {
			if (rowTicket.held() != null) {
				this.resources.threads().submit(() -> {
					if (rowTicket.held() != null && !check(rowTicket)) {
						this.signals.renewNow(rowTicket.ticket);
					}
					return true;
				});
			}
		}
	}

	/** Give all tickets up. */
	void close() {
		this.closed = true;
		for (RowTicket rowTicket : this.tickets.values()) {
			try {
				cancel(rowTicket);
			}
			catch (RuntimeException ex) {
				logger.debug("The row of a lock is freed when its connection is closed", ex);
			}
		}
	}

}
