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
import io.github.distlock.backend.jdbc.RowTicket.Held;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;

/**
 * The tickets of this JVM that wait for rows or hold them. Each that works has one of the
 * slots, a connection and, until it holds, a thread.
 */
final class RowTickets {

	private static final Log logger = LogFactory.getLog(RowTickets.class);

	/** A ticket that waits hears of its grant; asking again costs nothing. */
	static final Duration LOOK_AGAIN = Duration.ofSeconds(1);

	private static final Duration CHECK_PERIOD = Duration.ofSeconds(1);

	private final ConcurrentMap<Ticket, RowTicket> tickets = new ConcurrentHashMap<>();

	private final RowConnectionPermits permits;

	private final JdbcResources store;

	private final JdbcKeys keys;

	private final JdbcBackendSettings settings;

	private final LockSignals signals;

	private volatile boolean stopped;

	RowTickets(JdbcResources store, JdbcBackendSettings settings, LockSignals signals) {
		this.store = store;
		this.keys = new JdbcKeys(settings.keyPrefix());
		this.permits = new RowConnectionPermits(settings.maxConnections());
		this.settings = settings;
		this.signals = signals;
		store.threads().every(CHECK_PERIOD, this::checkAll);
	}

	@Nullable RowTicket find(Ticket ticket) {
		return this.tickets.get(ticket);
	}

	/**
	 * Begin to work for a ticket.
	 * @return its place; one that waits for a connection has been answered
	 */
	RowTicket begin(Ticket ticket, boolean waits) {
		RowTicket rowTicket = new RowTicket(ticket, waits);
		RowTicket existing = this.tickets.putIfAbsent(ticket, rowTicket);
		if (existing != null) {
			return existing;
		}
		if (this.permits.take(rowTicket)) {
			start(rowTicket);
		}
		else if (waits) {
			logger.debug("A lock waits for one of the connections (distlock.jdbc.max-connections): " + ticket.key());
			waits(rowTicket);
		}
		else {
			this.tickets.remove(ticket, rowTicket);
			rowTicket.answer.completeExceptionally(new LockBackendException("Lock '" + ticket.key()
					+ "' cannot be tried: all " + this.settings.maxConnections()
					+ " connections of the row mode hold locks or wait for some. Raise distlock.jdbc.max-connections"
					+ " (and the size of the pool), hold locks for less time, or use distlock.jdbc.mode=lease"));
		}
		return rowTicket;
	}

	private static void waits(RowTicket rowTicket) {
		rowTicket.waiting = true;
		rowTicket.answer.complete(new AttemptResult.Waiting(LOOK_AGAIN, true));
	}

	private void start(RowTicket rowTicket) {
		this.store.threads().submit(() -> {
			work(rowTicket);
			return true;
		}).whenComplete((done, failure) -> {
			// It never began: the store was stopped, or no thread could be started.
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
				transaction = RowTransaction.open(this.store.source(), this.keys.of(rowTicket.ticket.key()));
				rowTicket.working(transaction);
				this.store.cleaner().rowUsed();
				RowTransaction.LockedRow row = transaction.take();
				long now = (row != null) ? row.nowMicros() : 0;
				if (row == null && !rowTicket.waits) {
					rowTicket.answer.complete(new AttemptResult.Busy(Duration.ZERO));
				}
				while (row == null && rowTicket.waits && !requeued && !rowTicket.isLeaving()) {
					waits(rowTicket);
					row = transaction.await(rowTicket::isLeaving);
					now = (row != null) ? transaction.clockMicros() : 0;
					requeued = row == null && stepBack(rowTicket);
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
					// Also if it held the row for a moment: no caller must believe in it.
					rowTicket.leave();
				}
				closeQuietly(transaction);
				if (!requeued) {
					end(rowTicket);
				}
			}
		}
	}

	/** The end of a place must not depend on its connection. */
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

	/** Others wait for a connection: let them have this one for a while. */
	private boolean stepBack(RowTicket rowTicket) {
		RowTicket next = this.permits.swap(rowTicket);
		if (next == null) {
			return false;
		}
		start(next);
		if (rowTicket.isLeaving()) {
			forgetQueued(rowTicket);
		}
		return true;
	}

	private void failed(RowTicket rowTicket, @Nullable RowTransaction transaction, Throwable ex) {
		String key = rowTicket.ticket.key();
		LockBackendException failure = (transaction == null && ex instanceof SQLException connectionFailure)
				? this.store.source().noConnection("attempt", key, connectionFailure)
				: JdbcExceptionTranslator.translate("attempt", key, ex);
		if (!rowTicket.answer.completeExceptionally(failure) && !rowTicket.isLeaving()) {
			logger.debug("Waiting for a lock begins anew", ex);
			this.tickets.remove(rowTicket.ticket, rowTicket);
			this.signals.lookAgain(rowTicket.ticket);
		}
	}

	/** Give the slot back, once: whatever goes wrong calls this again. */
	private void end(RowTicket rowTicket) {
		this.tickets.remove(rowTicket.ticket, rowTicket);
		if (!rowTicket.ended.complete(true)) {
			return;
		}
		RowTicket next = this.permits.give();
		if (next != null && !this.stopped) {
			start(next);
		}
	}

	private boolean forgetQueued(RowTicket rowTicket) {
		if (!this.permits.forget(rowTicket)) {
			return false;
		}
		this.tickets.remove(rowTicket.ticket, rowTicket);
		rowTicket.ended.complete(true);
		return true;
	}

	/**
	 * Give a held row back.
	 * @param lastToken the last that was used
	 * @return whether it was held until now
	 */
	boolean release(RowTicket rowTicket, Held held, long lastToken) {
		Grant grant = held.grant();
		boolean used = lastToken >= grant.firstToken() && lastToken <= grant.lastToken();
		long fence = used ? lastToken : grant.lastToken();
		var done = this.store.threads().submit(() -> {
			try {
				this.store.cleaner().rowUsed();
				held.transaction().finish(fence);
				return true;
			}
			catch (DataAccessException ex) {
				logger.debug("The transaction of a lock had ended before its release", ex);
				return false;
			}
			finally {
				closeQuietly(held.transaction());
				end(rowTicket);
			}
		});
		endUnlessBegun(done, rowTicket, held);
		if (!this.store.threads().await(done, this.settings.commandTimeout().multipliedBy(3))) {
			throw new LockBackendException("The database did not answer the release"
					+ JdbcExceptionTranslator.lock(rowTicket.ticket.key()) + " in time: check its load");
		}
		return JdbcThreads.result(done, "release", rowTicket.ticket.key());
	}

	/** If no thread could be started, the row goes back on this one. */
	private void endUnlessBegun(CompletableFuture<Boolean> task, RowTicket rowTicket, Held held) {
		if (task.isCompletedExceptionally() && !rowTicket.ended.isDone()) {
			held.transaction().discard();
			end(rowTicket);
		}
	}

	/** Forget a ticket, whatever it does; answers when nothing of it is left. */
	void cancel(RowTicket rowTicket) {
		Held held = rowTicket.leave();
		if (held != null) {
			endUnlessBegun(this.store.threads().submit(() -> {
				closeQuietly(held.transaction());
				end(rowTicket);
				return true;
			}), rowTicket, held);
		}
		// Stopping a statement that has not begun does nothing, and some drivers stop one
		// only once. Four seconds in all: it ends by itself before that.
		for (int i = 0; i < 64; i++) {
			if (forgetQueued(rowTicket) || this.store.threads().await(rowTicket.ended, Duration.ofMillis(i * 2L))) {
				return;
			}
			RowTransaction transaction = rowTicket.transaction();
			if (transaction != null && held == null) {
				this.store.threads().submit(() -> {
					transaction.cancel();
					return true;
				});
			}
		}
		throw new LockBackendException("The database did not stop waiting for lock '" + rowTicket.ticket.key()
				+ "': check that it is reachable");
	}

	/** Whether the transaction of a held row is alive; if not, the row is lost. */
	boolean check(RowTicket rowTicket) {
		Held held = rowTicket.held();
		if (held == null) {
			return false;
		}
		if (held.transaction().isAlive(this.settings.commandTimeout())) {
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
				this.store.threads().submit(() -> {
					if (rowTicket.held() != null && !check(rowTicket)) {
						this.signals.renewNow(rowTicket.ticket);
					}
					return true;
				});
			}
		}
	}

	void stop() {
		this.stopped = true;
		for (RowTicket rowTicket : this.tickets.values()) {
			try {
				cancel(rowTicket);
			}
			catch (RuntimeException ex) {
				logger.debug("A lock ends with its connection", ex);
			}
		}
	}

}
