package io.github.distlock.backend.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import io.github.distlock.backend.LockSignals;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.jdbc.JdbcCommands.Kind;
import io.github.distlock.thread.LockThreads;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Wakes the waiting tickets of this JVM when another JVM releases their lock, by
 * {@code LISTEN} and {@code NOTIFY} of PostgreSQL. A notification is a hint: if it is
 * lost, the ticket polls.
 * <p>
 * A thread listens while tickets wait, and for a minute longer. It sends itself a
 * notification on another connection at the beginning and every 30 seconds. If that does
 * not arrive and the connection is not broken, a pooler gives each transaction another
 * session of the server. The store then never listens again, since such a session may
 * listen for as long as it exists. After three other failures the store only polls for
 * five minutes.
 */
final class ReleaseNotifications {

	private static final Log logger = LogFactory.getLog(ReleaseNotifications.class);

	private static final Duration RECEIVE = Duration.ofMillis(500);

	private static final long IDLE_NANOS = Duration.ofMinutes(1).toNanos();

	private static final long PROBE_NANOS = Duration.ofSeconds(30).toNanos();

	private static final long PAUSE_NANOS = Duration.ofMinutes(5).toNanos();

	private static final int MAX_FAILURES = 3;

	/** Another driver for PostgreSQL has no method for notifications. */
	private static final boolean DRIVER = PostgreSqlListener.isSupported();

	private final LockPool pool;

	private final JdbcCommands commands;

	private final LockTable table;

	private final LockSignals signals;

	private final Duration timeout;

	private final TimeSource clock;

	private final LockThreads threads = LockThreads.numbered("distlock-jdbc-listener-");

	/** The waiting ticket of each key in the table, in hexadecimal digits. */
	private final ConcurrentMap<String, Ticket> waiting = new ConcurrentHashMap<>();

	private final CountDownLatch closed = new CountDownLatch(1);

	/** When a ticket began to wait last. */
	private volatile long lastWaitNanos;

	/** Whether the listening connection receives notifications. */
	private volatile boolean listening;

	/** Whether a living connection received no notifications. Never reset. */
	private volatile boolean silent;

	/**
	 * Completed when the thread that listens has ended, {@code null} without one. So only
	 * one thread listens at a time; it alone changes the fields below.
	 */
	private final AtomicReference<@Nullable CompletableFuture<Void>> listener = new AtomicReference<>();

	/** Number of failures since the last notification of this JVM to itself arrived. */
	private volatile int failures;

	/** When the last failure happened. */
	private volatile long failedNanos;

	ReleaseNotifications(LockPool pool, JdbcCommands commands, LockTable table, LockSignals signals, Duration timeout,
			TimeSource clock) {
		this.pool = pool;
		this.commands = commands;
		this.table = table;
		this.signals = signals;
		this.timeout = timeout;
		this.clock = clock;
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
		if (!DRIVER || !this.table.notifies()) {
			return;
		}
		this.waiting.put(this.table.hexKey(ticket.key()), ticket);
		this.lastWaitNanos = this.clock.nanoTime();
		start();
	}

	/** Note that a ticket does not wait, or not any more. */
	void ends(Ticket ticket) {
		if (!this.waiting.isEmpty()) {
			this.waiting.remove(this.table.hexKey(ticket.key()), ticket);
		}
	}

	/** Return whether notifications arrive. */
	boolean isListening() {
		return this.listening;
	}

	/** Return whether notifications did not arrive, so that the store only polls. */
	boolean isPaused() {
		return this.silent || (this.failures >= MAX_FAILURES && this.clock.nanoTime() - this.failedNanos < PAUSE_NANOS);
	}

	private void start() {
		if (this.listening || isPaused() || isClosed()) {
			return;
		}
		CompletableFuture<Void> ended = new CompletableFuture<>();
		if (!this.listener.compareAndSet(null, ended)) {
			return;
		}
		boolean started = false;
		try {
			this.threads.newThread(() -> run(ended)).start();
			started = true;
		}
		finally {
			if (!started) {
				this.listener.set(null);
			}
		}
	}

	private boolean isClosed() {
		return this.closed.getCount() == 0;
	}

	private void run(CompletableFuture<Void> ended) {
		try {
			// The thread before may have given up meanwhile.
			boolean again = !isPaused();
			while (again && !isClosed()) {
				again = listenOnce();
			}
		}
		finally {
			this.listener.set(null);
			ended.complete(null);
		}
	}

	/** Returns whether to listen again on a new connection. */
	private boolean listenOnce() {
		Throwable failure;
		try (PostgreSqlListener connection = PostgreSqlListener.open(this.pool, this.timeout)) {
			if (probe(connection)) {
				this.failures = 0;
				if (listen(connection)) {
					return isNeeded();
				}
			}
			if (!isClosed()) {
				silent();
			}
			return false;
		}
		catch (Throwable ex) {
			failure = ex;
		}
		finally {
			this.listening = false;
		}
		// An error, too: the next ticket that waits starts a new thread.
		boolean again = failed(failure);
		if (failure instanceof Error error && !(failure instanceof LinkageError)) {
			throw error;
		}
		return again;
	}

	/** Returns false if no notifications arrive, else when the connection has to end. */
	private boolean listen(PostgreSqlListener connection) throws SQLException {
		long probed = this.clock.nanoTime();
		this.listening = true;
		while (!isClosed() && isNeeded()) {
			connection.receive(RECEIVE).forEach(this::deliver);
			if (this.clock.nanoTime() - probed >= PROBE_NANOS) {
				probed = this.clock.nanoTime();
				if (!probe(connection)) {
					return false;
				}
			}
		}
		return true;
	}

	private boolean isNeeded() {
		return this.clock.nanoTime() - this.lastWaitNanos < IDLE_NANOS;
	}

	/**
	 * Return whether a notification of another connection arrives. Fails if the
	 * connection is broken.
	 */
	private boolean probe(PostgreSqlListener connection) throws SQLException {
		String probe = "probe " + this.table.self() + " " + this.clock.nanoTime();
		this.commands.run(Kind.ATTEMPT, "check of the notifications", null,
				(other, sent) -> other.query("notify", Map.of("payload", probe), (row, number) -> true));
		long sent = this.clock.nanoTime();
		boolean arrived = false;
		while (!arrived && this.clock.nanoTime() - sent < this.timeout.toNanos() && !isClosed()) {
			arrived = receives(probe, connection);
		}
		if (!arrived && !isClosed()) {
			connection.validate();
			// This process may have been paused since the notification was sent.
			arrived = receives(probe, connection);
		}
		return arrived;
	}

	private boolean receives(String probe, PostgreSqlListener connection) throws SQLException {
		List<String> payloads = connection.receive(RECEIVE);
		payloads.forEach(this::deliver);
		return payloads.contains(probe);
	}

	/** The payload is the key, and the instance that has released the lock. */
	private void deliver(String payload) {
		int end = payload.indexOf(' ');
		// Of its own releases this JVM knows. It must leave the lock to the others.
		if (end > 0 && !payload.substring(end + 1).equals(this.table.self())) {
			Ticket ticket = this.waiting.get(payload.substring(0, end));
			if (ticket != null) {
				this.signals.retry(ticket);
			}
		}
	}

	/** Never listen again: each further session would listen, too. */
	private void silent() {
		this.silent = true;
		logger.info("Waiting callers poll from now on: notifications of PostgreSQL do not arrive, as behind a pooler in"
				+ " transaction mode, which does not pass them on. Set distlock.jdbc.notifications=false");
	}

	/** Returns whether to try again now. */
	private boolean failed(Throwable failure) {
		if (this.silent) {
			return false;
		}
		this.failedNanos = this.clock.nanoTime();
		this.failures = Math.min(this.failures + 1, MAX_FAILURES);
		boolean again = this.failures < MAX_FAILURES;
		if (!again && !isClosed()) {
			logger.info("Waiting callers poll for the next five minutes: notifications of PostgreSQL do not arrive ("
					+ JdbcExceptionTranslator.describe(failure)
					+ "). If that is permanent, set distlock.jdbc.notifications=false");
		}
		return again && !sleep();
	}

	/** Returns whether the store was closed meanwhile. */
	private boolean sleep() {
		try {
			return this.closed.await(1, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			// Only this class knows the thread, and never interrupts it.
			return true;
		}
	}

	/** Stop listening, and wait a moment for the connection to be returned. */
	void close() {
		this.closed.countDown();
		CompletableFuture<Void> ending = this.listener.get();
		if (ending != null) {
			ending.completeOnTimeout(null, 2 * RECEIVE.toMillis(), TimeUnit.MILLISECONDS).join();
		}
	}

}
