package io.github.distlock.backend.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.AttemptOptions;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.BackendDescription;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.StoreInspection;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;
import io.github.distlock.backend.jdbc.RowTransaction.LockedRow;
import io.github.distlock.thread.LockThreads;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;

/**
 * The open store of a {@link JdbcRowBackend}. A ticket needs a connection while it waits
 * for its row or holds it, and a thread of the store while it waits. Tickets without a
 * connection are in a queue; one that has waited for its row for a while joins the end of
 * the queue if there are others. Thread-safe.
 */
final class JdbcRowStore extends JdbcStore {

	private static final Log logger = LogFactory.getLog(JdbcRowStore.class);

	/**
	 * Retry interval of a waiting ticket. A retry sends nothing: grants are signalled.
	 */
	private static final Duration RETRY_INTERVAL = Duration.ofSeconds(1);

	/** Interval at which the sessions of held rows are checked. */
	private static final Duration CHECK_PERIOD = Duration.ofSeconds(1);

	/** Each wait between two cancellations is longer than the previous one by this. */
	private static final Duration CANCELLATION_STEP = Duration.ofMillis(2);

	private static final int CANCELLERS = 4;

	/** The tickets that wait or hold their rows, until their connections are returned. */
	private final ConcurrentMap<Ticket, RowTicket> tickets = new ConcurrentHashMap<>();

	/** The tickets that wait for a connection. */
	private final Queue<RowTicket> queue = new ConcurrentLinkedQueue<>();

	/** The connections that no ticket has. */
	private final Semaphore connections;

	private final RowInspection inspection = new RowInspection(this);

	/**
	 * Sends requests to cancel. A server that does not answer blocks these threads for as
	 * long as its driver waits for a connection, but no caller.
	 */
	private final ThreadPoolExecutor canceller = new ThreadPoolExecutor(CANCELLERS, CANCELLERS, 10, TimeUnit.SECONDS,
			new LinkedBlockingQueue<>(), LockThreads.numbered("distlock-jdbc-cancel-"),
			new ThreadPoolExecutor.DiscardPolicy());

	private volatile boolean closed;

	/**
	 * Open the store. It has one connection more for commands, and twice as many threads:
	 * releases run while other threads wait for rows.
	 */
	JdbcRowStore(LockPool pool, JdbcBackendSettings settings, BackendDescription description, StoreContext context,
			TimeSource clock) {
		super(pool, settings, 2 * settings.maxConnections() + 2, 1, description, context, clock);
		this.connections = new Semaphore(settings.maxConnections());
		this.canceller.allowCoreThreadTimeOut(true);
		this.commands.every(CHECK_PERIOD, this::checkAll);
	}

	@Override
	protected AttemptResult attemptNow(Ticket ticket, Duration lease, AttemptOptions options) {
		requireOpen();
		RowTicket existing = this.tickets.get(ticket);
		Grant grant = (existing != null) ? existing.grant() : null;
		if (grant != null) {
			return new AttemptResult.Granted(grant);
		}
		if (existing != null && existing.waiting) {
			return new AttemptResult.Queued(RETRY_INTERVAL, false);
		}
		RowTicket rowTicket = (existing != null) ? existing : begin(ticket, options.queue());
		CompletableFuture<AttemptResult> answer = rowTicket.answer;
		if (!this.commands.await(answer, this.settings.commandTimeout())) {
			// If the lock is granted later, the grant is signalled.
			answer.completeExceptionally(
					(rowTicket.transaction() == null) ? this.pool.noConnection("attempt", ticket.key(), null)
							: JdbcExceptionTranslator.noAnswer("attempt", ticket.key()));
		}
		return this.commands.result(answer, "attempt", ticket.key());
	}

	/** Start the work for a ticket, or let it wait for a connection. */
	private RowTicket begin(Ticket ticket, boolean waits) {
		RowTicket rowTicket = new RowTicket(ticket, waits);
		this.tickets.put(ticket, rowTicket);
		this.queue.add(rowTicket);
		startNext();
		if (waits && this.queue.contains(rowTicket)) {
			logger.debug("A lock waits for a connection (distlock.jdbc.max-connections): " + ticket.key());
			answerWaiting(rowTicket);
		}
		else if (!waits && leaveQueue(rowTicket)) {
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

	/**
	 * Start the tickets of the queue that can have a connection. Called after each change
	 * of the queue and of the free connections, so that none stays free while a ticket
	 * waits.
	 */
	private void startNext() {
		while (!this.closed && !this.queue.isEmpty() && this.connections.tryAcquire()) {
			RowTicket next = this.queue.poll();
			if (next == null) {
				this.connections.release();
				continue;
			}
			CompletableFuture<Boolean> work = this.commands.submit(() -> {
				work(next);
				return true;
			});
			work.whenComplete((done, failure) -> {
				// The work has not begun: the store is closed, or no thread could be
				// started.
				if (failure != null) {
					next.answer.completeExceptionally(failure);
					end(next);
				}
			});
		}
	}

	/** Take the row for a ticket that has a connection. */
	private void work(RowTicket rowTicket) {
		boolean held = false;
		boolean queued = false;
		try {
			if (!rowTicket.isLeaving()) {
				RowTransaction transaction = RowTransaction.open(this.pool, this.settings.commandTimeout(),
						this.table.key(rowTicket.ticket.key()), rowTicket.ticket);
				rowTicket.begun(transaction);
				this.cleaner.rowUsed();
				LockedRow row = transaction.take();
				if (row == null && !rowTicket.waits) {
					rowTicket.answer.complete(new AttemptResult.Busy(Duration.ZERO));
				}
				while (row == null && rowTicket.waits && !queued && !rowTicket.isLeaving()) {
					answerWaiting(rowTicket);
					row = transaction.await(rowTicket::isLeaving);
					queued = row == null && !this.queue.isEmpty();
				}
				held = row != null && hold(rowTicket, row);
			}
		}
		catch (Throwable ex) {
			failed(rowTicket, ex);
		}
		finally {
			if (queued) {
				closeTransaction(rowTicket);
				this.queue.add(rowTicket);
				this.connections.release();
				startNext();
			}
			else if (!held) {
				// Also if the row was held for a moment, so that the grant becomes
				// invalid.
				rowTicket.leave();
				end(rowTicket);
			}
		}
	}

	private boolean hold(RowTicket rowTicket, LockedRow row) {
		long first = Math.max(row.fence() + 1, row.nowMicros());
		Grant grant = new Grant(first, first + JdbcRowBackend.TOKENS - 1, Validity.session(rowTicket::isHolding));
		if (!rowTicket.hold(grant)) {
			return false;
		}
		if (!rowTicket.answer.complete(new AttemptResult.Granted(grant))) {
			this.signals.granted(rowTicket.ticket, grant);
		}
		return true;
	}

	private void failed(RowTicket rowTicket, Throwable ex) {
		String key = rowTicket.ticket.key();
		LockBackendException failure = (rowTicket.transaction() == null && ex instanceof SQLException connectionFailure)
				? this.pool.noConnection("attempt", key, connectionFailure)
				: JdbcExceptionTranslator.translate(this.settings.tables(), "attempt", key, ex);
		if (!rowTicket.answer.completeExceptionally(failure) && !rowTicket.isLeaving()) {
			logger.debug("The wait for a lock has failed and is started again", ex);
			this.tickets.remove(rowTicket.ticket, rowTicket);
			this.signals.retry(rowTicket.ticket);
		}
	}

	/** Must not throw: the ticket has to be ended afterwards. */
	private static void closeTransaction(RowTicket rowTicket) {
		RowTransaction transaction = rowTicket.takeTransaction();
		try {
			if (transaction != null) {
				transaction.close();
			}
		}
		catch (Throwable ex) {
			logger.debug("The connection of a lock could not be closed", ex);
		}
	}

	/** Return the connection of a ticket that has left. May be called several times. */
	private void end(RowTicket rowTicket) {
		closeTransaction(rowTicket);
		this.tickets.remove(rowTicket.ticket, rowTicket);
		if (rowTicket.ended.complete(true)) {
			this.connections.release();
			startNext();
		}
	}

	/** Remove a ticket that waits for a connection. Returns whether it did. */
	private boolean leaveQueue(RowTicket rowTicket) {
		boolean queued = this.queue.remove(rowTicket);
		if (queued) {
			this.tickets.remove(rowTicket.ticket, rowTicket);
		}
		return queued;
	}

	@Override
	protected ReleaseResult releaseNow(Ticket ticket, long lastToken, @Nullable Successor next) {
		requireOpen();
		RowTicket rowTicket = this.tickets.get(ticket);
		boolean released = rowTicket != null && release(rowTicket, lastToken);
		return new ReleaseResult(released,
				(next != null) ? attemptNow(next.ticket(), next.lease(), AttemptOptions.queue(true)) : null);
	}

	private boolean release(RowTicket rowTicket, long lastToken) {
		String key = rowTicket.ticket.key();
		Grant grant = rowTicket.leave();
		if (grant == null) {
			cancel(rowTicket);
			return false;
		}
		boolean used = lastToken >= grant.firstToken() && lastToken <= grant.lastToken();
		CompletableFuture<Boolean> done = leave(rowTicket, used ? lastToken : grant.lastToken());
		if (!this.commands.await(done, this.settings.commandTimeout())) {
			throw JdbcExceptionTranslator.noAnswer("release", key);
		}
		return this.commands.result(done, "release", key);
	}

	/**
	 * Free the row of a ticket that does not hold it any more.
	 * @param fence the last token, to be written
	 * @return whether the row was locked until now
	 */
	private CompletableFuture<Boolean> leave(RowTicket rowTicket, @Nullable Long fence) {
		RowTransaction transaction = rowTicket.transaction();
		CompletableFuture<Boolean> done = this.commands.submit(() -> {
			try {
				if (fence != null && transaction != null) {
					this.cleaner.rowUsed();
					transaction.finish(fence);
				}
				return true;
			}
			catch (DataAccessException ex) {
				logger.debug("The transaction of a lock has ended before the release", ex);
				return false;
			}
			finally {
				end(rowTicket);
			}
		});
		if (done.isCompletedExceptionally()) {
			// On this thread: no other one could be started.
			end(rowTicket);
		}
		return done;
	}

	@Override
	protected void cancelNow(Ticket ticket) {
		requireOpen();
		RowTicket rowTicket = this.tickets.get(ticket);
		if (rowTicket != null) {
			cancel(rowTicket);
		}
	}

	/** Give a ticket up in any state. Returns when its connection has been returned. */
	private void cancel(RowTicket rowTicket) {
		boolean held = rowTicket.leave() != null;
		if (held) {
			leave(rowTicket, null);
		}
		// Repeated, since the cancellation of a statement that has not begun has no
		// effect, and some drivers cancel a statement only once. Otherwise the wait for a
		// row ends by itself.
		Duration step = Duration.ZERO;
		for (Duration waited = step; waited.compareTo(this.settings.commandTimeout()) < 0; waited = waited.plus(step)) {
			if (leaveQueue(rowTicket) || this.commands.await(rowTicket.ended, step)) {
				return;
			}
			RowTransaction transaction = rowTicket.transaction();
			if (transaction != null && !held) {
				transaction.cancel(this.canceller);
			}
			step = step.plus(CANCELLATION_STEP);
		}
		throw new LockBackendException("The database did not cancel the wait for lock '" + rowTicket.ticket.key()
				+ "': check that it is reachable");
	}

	/** Checks the sessions: the caller may be about to commit a transaction. */
	@Override
	protected List<RenewalResult> renewNow(List<Renewal> renewals) {
		requireOpen();
		List<CompletableFuture<Boolean>> checks = renewals.stream()
			.map((renewal) -> this.commands.submit(() -> check(this.tickets.get(renewal.ticket()))))
			.toList();
		List<RenewalResult> results = new ArrayList<>(renewals.size());
		for (Renewal renewal : renewals) {
			results.add(result(renewal, checks.get(results.size())));
		}
		return results;
	}

	private RenewalResult result(Renewal renewal, CompletableFuture<Boolean> check) {
		String key = renewal.ticket().key();
		try {
			if (!this.commands.await(check, this.settings.commandTimeout())) {
				throw JdbcExceptionTranslator.noAnswer("check of the transaction", key);
			}
			this.commands.result(check, "renewal", key);
		}
		catch (LockBackendException ex) {
			return new RenewalResult.Unknown(ex);
		}
		RowTicket rowTicket = this.tickets.get(renewal.ticket());
		Grant grant = (rowTicket != null) ? rowTicket.grant() : null;
		return (grant != null && grant.lastToken() == renewal.lastToken())
				? new RenewalResult.Extended(grant.validity()) : new RenewalResult.Gone();
	}

	/**
	 * Check whether the session of a held row still exists. If not, the lock is lost.
	 * @return whether it was lost just now
	 */
	private boolean check(@Nullable RowTicket rowTicket) {
		RowTransaction transaction = (rowTicket != null && rowTicket.isHolding()) ? rowTicket.transaction() : null;
		if (rowTicket == null || transaction == null || transaction.isAlive() || rowTicket.leave() == null) {
			return false;
		}
		transaction.discard();
		end(rowTicket);
		return true;
	}

	private void checkAll() {
		for (RowTicket rowTicket : this.tickets.values()) {
			if (rowTicket.isHolding()) {
				this.commands.submit(() -> {
					if (check(rowTicket)) {
						this.signals.renewNow(rowTicket.ticket);
					}
					return true;
				});
			}
		}
	}

	private void requireOpen() {
		if (this.closed) {
			throw JdbcCommands.stopped();
		}
	}

	@Override
	public StoreInspection inspection() {
		return this.inspection;
	}

	@Override
	public void close() {
		this.closed = true;
		for (RowTicket rowTicket : this.tickets.values()) {
			try {
				cancel(rowTicket);
			}
			catch (RuntimeException ex) {
				logger.debug("The row of a lock is freed when its connection is closed", ex);
			}
		}
		this.canceller.shutdown();
		closeConnections();
	}

}
