package io.github.distlock.backend.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.jdbc.JdbcCommand.Kind;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Runs short commands. If a reserved connection is idle and no command waits, the thread
 * of the caller sends the command, as far as {@link CallerThreads} allow it. Otherwise a
 * thread of the store does. A command waits for a connection in a queue: an idle reserved
 * connection is used at once; while all of them are in use, one is also requested from
 * the pool. The connection that comes first runs the first command of the queue, and
 * releases and renewals precede attempts. So an exhausted pool does not delay a release.
 */
final class JdbcExecutor {

	private static final Log logger = LogFactory.getLog(JdbcExecutor.class);

	private final LockDataSource dataSource;

	private final JdbcThreads threads;

	private final ReservedConnections reserve;

	private final ReservedConnectionsMaintenance maintenance;

	private final ReservedExecution reservedExecution;

	private final CallerThreads callers;

	private final TimeSource clock;

	private final Duration timeout;

	/** For a command that has a connection: validation, statements and repetitions. */
	private final Duration answerTimeout;

	/** Guards all fields below. Never held during a database call. */
	private final ReentrantLock lock = new ReentrantLock();

	/** Commands without a connection. A command that is removed must be run or failed. */
	private final PendingCommands pending = new PendingCommands();

	private final PooledTasks pooled;

	private boolean stopped;

	JdbcExecutor(LockDataSource dataSource, JdbcThreads threads, ReservedConnectionCount count,
			JdbcBackendSettings settings, TimeSource clock) {
		this.dataSource = dataSource;
		this.threads = threads;
		this.reserve = new ReservedConnections(dataSource, count, clock);
		this.maintenance = new ReservedConnectionsMaintenance(this.reserve, dataSource, threads, count, clock,
				this::dispatchQuietly);
		this.reservedExecution = new ReservedExecution(this.reserve, this.maintenance, clock);
		this.callers = new CallerThreads(dataSource.pool());
		this.timeout = settings.commandTimeout();
		this.answerTimeout = this.timeout.multipliedBy(3).plusSeconds(1);
		this.pooled = new PooledTasks(settings.maxConnections());
		this.clock = clock;
	}

	void start() {
		this.maintenance.start(this.timeout);
	}

	/** Fail the commands that have no connection yet, and return reserved connections. */
	void stop() {
		List<JdbcCommand<?>> rest;
		this.lock.lock();
		try {
			this.stopped = true;
			rest = this.pending.removeAll();
		}
		finally {
			this.lock.unlock();
		}
		rest.forEach((command) -> command.fail(JdbcThreads.stopped()));
		this.maintenance.stop();
	}

	/**
	 * Run a command and wait for it.
	 * @param action the name of the command in messages
	 * @param key the key of the lock in messages, if it has one
	 */
	<T> T run(Kind kind, String action, @Nullable String key, JdbcCommand.Work<T> work) {
		if (kind == Kind.ATTEMPT) {
			this.maintenance.awaitReady(this.timeout, action, key);
		}
		JdbcCommand<T> command = new JdbcCommand<>(kind, action, key, work);
		try {
			if (!sendHere(command)) {
				add(command);
			}
			if (!this.threads.await(command.connected, this.timeout) && abandon(command)) {
				throw noConnection(command, command.poolFailure);
			}
			if (!this.threads.await(command.result, this.answerTimeout)) {
				throw JdbcExceptionTranslator.noAnswer(action, key);
			}
			return JdbcThreads.result(command.result, action, key);
		}
		finally {
			// Nothing is sent after the caller has given up.
			abandon(command);
		}
	}

	/**
	 * Run a command on this thread, if that is allowed and possible without waiting for a
	 * connection. If the connection cannot be used, the command is queued.
	 */
	private boolean sendHere(JdbcCommand<?> command) {
		if (command.kind == Kind.MAINTENANCE || !this.callers.maySend()) {
			return false;
		}
		ReservedConnection reserved = takeIdle(command.kind);
		if (reserved == null) {
			return false;
		}
		if (!reserved.connection.isNetworkLimited()) {
			startReserved(command, reserved);
			return true;
		}
		CallerThreads.uninterrupted(() -> runReserved(command, reserved));
		return true;
	}

	private @Nullable ReservedConnection takeIdle(Kind kind) {
		this.lock.lock();
		try {
			boolean first = !this.stopped && this.pending.isEmpty();
			return first ? this.reserve.take(kind == Kind.ATTEMPT) : null;
		}
		finally {
			this.lock.unlock();
		}
	}

	private void add(JdbcCommand<?> command) {
		this.lock.lock();
		try {
			if (this.stopped) {
				throw JdbcThreads.stopped();
			}
			this.pending.addLast(command);
		}
		finally {
			this.lock.unlock();
		}
		dispatch();
	}

	/** Abandon a command. Returns whether it had no connection yet. */
	private boolean abandon(JdbcCommand<?> command) {
		this.lock.lock();
		try {
			command.abandoned = true;
			return this.pending.remove(command);
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Start a task for each pending command that can get a connection. If no thread can
	 * be started, throws the reason and leaves the state unchanged.
	 */
	private void dispatch() {
		while (true) {
			JdbcCommand<?> command;
			ReservedConnection reserved = null;
			this.lock.lock();
			try {
				command = this.pending.first(Kind.HOLDER, Kind.ATTEMPT);
				reserved = (command != null) ? this.reserve.take(command.kind == Kind.ATTEMPT) : null;
				if (command != null && reserved != null) {
					this.pending.remove(command);
				}
				else if (!this.pooled.begin(this.pending.size(), this.reserve.size())) {
					return;
				}
			}
			finally {
				this.lock.unlock();
			}
			if (command != null && reserved != null) {
				startReserved(command, reserved);
			}
			else {
				startPooled();
			}
		}
	}

	private void startReserved(JdbcCommand<?> command, ReservedConnection reserved) {
		try {
			this.threads.execute(() -> runReserved(command, reserved));
		}
		catch (Throwable ex) {
			this.reserve.giveBack(reserved);
			returnToQueue(command);
			throw ex;
		}
	}

	private void startPooled() {
		try {
			this.threads.execute(this::runPooled);
		}
		catch (Throwable ex) {
			pooledEnds(true);
			throw ex;
		}
	}

	private void returnToQueue(JdbcCommand<?> command) {
		boolean open;
		boolean queued;
		this.lock.lock();
		try {
			open = !this.stopped;
			queued = open && !command.abandoned;
			if (queued) {
				this.pending.addFirst(command);
			}
		}
		finally {
			this.lock.unlock();
		}
		if (!queued) {
			// The caller may still wait: it abandoned the command while this thread had
			// it.
			command.fail(open ? noConnection(command, command.poolFailure) : JdbcThreads.stopped());
		}
	}

	private void runReserved(JdbcCommand<?> command, ReservedConnection reserved) {
		this.reservedExecution.run(command, reserved, () -> returnToQueue(command), this::endAndDispatch);
	}

	private void endAndDispatch(Runnable end) {
		try {
			end.run();
		}
		finally {
			dispatchQuietly();
		}
	}

	private void runPooled() {
		Runnable end = this::dispatchQuietly;
		boolean waiting = true;
		boolean taken = false;
		try (LockConnection connection = this.dataSource.open()) {
			waiting = false;
			JdbcCommand<?> command = takeFirst();
			if (command != null) {
				taken = true;
				Runnable result = runPooled(command, connection);
				end = () -> endAndDispatch(result);
			}
		}
		catch (Throwable ex) {
			// A command that has run keeps its result if the connection cannot be closed.
			end = taken ? end : () -> poolFailed(ex);
		}
		finally {
			pooledEnds(waiting);
			end.run();
		}
	}

	private Runnable runPooled(JdbcCommand<?> command, LockConnection connection) {
		try {
			this.dataSource.prepare(connection, command.kind == Kind.MAINTENANCE);
			return command.run(connection, this.clock);
		}
		catch (Throwable ex) {
			return () -> command.fail(ex);
		}
	}

	private @Nullable JdbcCommand<?> takeFirst() {
		this.lock.lock();
		try {
			this.pooled.connected();
			return this.pending.removeFirst(Kind.values());
		}
		finally {
			this.lock.unlock();
		}
	}

	private void pooledEnds(boolean waiting) {
		this.lock.lock();
		try {
			this.pooled.end(waiting);
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Fail the first command that cannot wait for a reserved connection instead. */
	private void poolFailed(Throwable failure) {
		boolean reserved = this.reserve.hasConnections() && failure instanceof Exception;
		JdbcCommand<?> command;
		this.lock.lock();
		try {
			command = reserved ? this.pending.removeFirst(Kind.MAINTENANCE) : this.pending.removeFirst(Kind.values());
			this.pending.forEach((waiting) -> waiting.poolFailure = failure);
		}
		finally {
			this.lock.unlock();
		}
		if (command != null) {
			command.fail((failure instanceof SQLException) ? noConnection(command, failure) : failure);
			dispatchQuietly();
		}
	}

	private LockBackendException noConnection(JdbcCommand<?> command, @Nullable Throwable cause) {
		return this.dataSource.noConnection(command.action, command.key, cause);
	}

	private void dispatchQuietly() {
		try {
			dispatch();
		}
		catch (Throwable ex) {
			// Pending commands get another thread, or time out.
			logger.debug("No thread could be started for a lock command", ex);
		}
	}

}
