package io.github.distlock.backend.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.distlock.backend.LockSignals;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.jdbc.LockConnection.PostgreSqlDriver;
import io.github.distlock.thread.LockLog;
import io.github.distlock.thread.LockThreads;
import org.apache.commons.logging.Log;

import org.springframework.dao.DataAccessException;

/**
 * Wakes the waiting tickets of this JVM when another JVM releases their lock, by
 * {@code LISTEN} and {@code NOTIFY} of PostgreSQL. A notification is a hint: if it is
 * lost, the ticket polls.
 * <p>
 * A thread listens while tickets wait, and for a minute longer. If its connection breaks,
 * a ticket that polls after five seconds lets it listen again on a new one.
 */
final class ReleaseNotifications {

	private static final Log logger = LockLog.of(ReleaseNotifications.class);

	private static final Duration RECEIVE = Duration.ofMillis(500);

	private static final long IDLE_NANOS = Duration.ofMinutes(1).toNanos();

	/** How often a silent connection is checked, in {@link #RECEIVE}. */
	private static final int CHECK_ROUNDS = 60;

	private static final long PAUSE_NANOS = Duration.ofSeconds(5).toNanos();

	private final LockPool pool;

	private final LockTable table;

	private final LockSignals signals;

	private final Duration timeout;

	private final TimeSource clock;

	private final LockThreads threads = LockThreads.numbered("distlock-jdbc-listener-");

	/** The waiting ticket of each key in the table, in hexadecimal digits. */
	private final ConcurrentMap<String, Ticket> waiting = new ConcurrentHashMap<>();

	/** When a ticket began to wait last. */
	private volatile long lastWaitNanos;

	/** Not before this time a thread listens. */
	private volatile long notBeforeNanos;

	/** Whether the listening connection receives notifications. */
	private volatile boolean listening;

	/** Whether a thread listens, or tries to. So there is one at most. */
	private final AtomicBoolean started = new AtomicBoolean();

	private volatile boolean closed;

	ReleaseNotifications(LockPool pool, LockTable table, LockSignals signals, Duration timeout, TimeSource clock) {
		this.pool = pool;
		this.table = table;
		this.signals = signals;
		this.timeout = timeout;
		this.clock = clock;
		this.notBeforeNanos = clock.nanoTime();
	}

	/** Note that a ticket is about to attempt, and may have to wait. */
	void attempts(Ticket ticket) {
		if (this.listening) {
			// Before the attempt: the lock may be released before its answer arrives.
			this.waiting.put(this.table.hexKey(ticket.key()), ticket);
		}
	}

	/** Note that a ticket waits. */
	void waits(Ticket ticket) {
		if (!PostgreSqlDriver.PRESENT || !this.table.notifies()) {
			return;
		}
		this.waiting.put(this.table.hexKey(ticket.key()), ticket);
		this.lastWaitNanos = this.clock.nanoTime();
		if (this.lastWaitNanos - this.notBeforeNanos >= 0 && !this.started.get()) {
			this.threads.newThread(this::run).start();
		}
	}

	/** Note that a ticket does not wait, or not any more. */
	void ends(Ticket ticket) {
		if (!this.waiting.isEmpty()) {
			this.waiting.remove(this.table.hexKey(ticket.key()), ticket);
		}
	}

	/** Return whether a connection listens. */
	boolean isListening() {
		return this.listening;
	}

	private void run() {
		// Here: a thread that cannot be started must not count.
		if (!this.started.compareAndSet(false, true)) {
			return;
		}
		try {
			listen();
		}
		catch (SQLException | DataAccessException ex) {
			logger.debug("Notifications of PostgreSQL do not arrive for a moment: waiting callers poll", ex);
			this.notBeforeNanos = this.clock.nanoTime() + PAUSE_NANOS;
			this.signals.renewAll();
		}
		finally {
			this.listening = false;
			this.started.set(false);
		}
	}

	private void listen() throws SQLException {
		try (LockConnection connection = this.pool.open(this.timeout)) {
			connection.update("listen", Map.of());
			// It would listen in the pool, too.
			connection.doubtful = true;
			this.listening = true;
			for (int round = 1; !this.closed && this.clock.nanoTime() - this.lastWaitNanos < IDLE_NANOS; round++) {
				PostgreSqlDriver.receive(connection.driver, RECEIVE).forEach(this::deliver);
				if (round % CHECK_ROUNDS == 0 && !connection.isAlive()) {
					throw new SQLException("The connection that listens is broken");
				}
			}
		}
	}

	/** The payload is the key, and the instance that has released the lock. */
	private void deliver(String payload) {
		int end = payload.indexOf(' ');
		// Of its own releases this JVM knows. It must leave the lock to the others.
		if (end > 0 && !payload.substring(end + 1).equals(this.table.self)) {
			Ticket ticket = this.waiting.get(payload.substring(0, end));
			if (ticket != null) {
				this.signals.retry(ticket);
			}
		}
	}

	/** Stop listening, soon. */
	void close() {
		this.closed = true;
	}

}
