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
 * Runs short commands. A command waits here for a connection: an idle one of the reserve
 * is used at once, and while the reserve is busy one is taken from the pool, too.
 * Whichever comes first runs the first command, releases and renewals before attempts. So
 * a pool that has none left delays no release.
 */
final class JdbcExecutor {

	private static final Log logger = LogFactory.getLog(JdbcExecutor.class);

	private final LockDataSource source;

	private final JdbcThreads threads;

	private final ReservedConnections reserve;

	private final ReservedConnectionsMaintenance maintenance;

	private final TimeSource clock;

	private final Duration timeout;

	private final int maxConnections;

	/** Guards all fields below. Never held while a command is sent. */
	private final ReentrantLock lock = new ReentrantLock();

	/** Commands without a connection. Who removes one must run it or fail it. */
	private final PendingCommands pending = new PendingCommands();

	/** Tasks that wait for a connection of the pool: no more than pending commands. */
	private int connecting;

	/** Tasks that wait for a connection of the pool or have one. */
	private int pooled;

	private boolean stopped;

	JdbcExecutor(LockDataSource source, JdbcThreads threads, ReservedConnectionCount reserve,
			JdbcBackendSettings settings, TimeSource clock) {
		this.source = source;
		this.threads = threads;
		this.reserve = new ReservedConnections(source, reserve, clock);
		this.maintenance = new ReservedConnectionsMaintenance(this.reserve, source, threads, reserve,
				this::dispatchQuietly);
		this.timeout = settings.commandTimeout();
		this.maxConnections = settings.maxConnections();
		this.clock = clock;
	}

	void start() {
		this.maintenance.start(this.timeout);
	}

	/** Fail what has no connection yet, and give back the reserve. */
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
	 * @param kind what depends on it
	 * @param what the verb, for the message
	 * @param key the lock, for the message
	 */
	<T> T run(Kind kind, String what, @Nullable String key, JdbcCommand.Work<T> work) {
		if (kind == Kind.ATTEMPT) {
			this.maintenance.awaitReady(this.timeout, what, key);
		}
		JdbcCommand<T> command = new JdbcCommand<>(kind, what, key, work);
		try {
			add(command);
			if (!this.threads.await(command.connected, this.timeout) && abandon(command)) {
				throw noConnection(command, command.refusal);
			}
			if (!this.threads.await(command.result, this.timeout.multipliedBy(3).plusSeconds(1))) {
				throw new LockBackendException(
						"The database did not answer the " + what + JdbcExceptionTranslator.lock(key)
								+ " in time: check its load, and distlock.jdbc.command-timeout");
			}
			return JdbcThreads.result(command.result, what, key);
		}
		finally {
			// Nothing is sent for a caller that has gone.
			abandon(command);
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

	/** Give a command up; answers whether it was still without a connection. */
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
	 * Start whatever pending commands need. Throws what keeps a thread from starting,
	 * with everything left as it was.
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
				else if (needsThePool()) {
					this.connecting++;
					this.pooled++;
				}
				else {
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

	private boolean needsThePool() {
		// What is reserved counts, but one connection may always be taken.
		return this.connecting < this.pending.size()
				&& this.pooled < Math.max(1, this.maxConnections - this.reserve.size());
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
			// The caller may still wait: it gave the command up while this thread had it.
			command.fail(open ? noConnection(command, command.refusal) : JdbcThreads.stopped());
		}
	}

	private void runReserved(JdbcCommand<?> command, ReservedConnection reserved) {
		boolean usable = false;
		boolean databaseFailed = false;
		Runnable end = () -> returnToQueue(command);
		try {
			usable = this.reserve.validate(reserved);
			if (usable) {
				end = command.run(reserved.connection, this.clock);
				this.reserve.answered(reserved);
			}
		}
		catch (Throwable ex) {
			usable = false;
			end = () -> command.fail(ex);
			databaseFailed = JdbcExceptionTranslator.isDatabaseFailure(ex);
			usable = reserved.connection.isUsableAfter(ex);
		}
		finally {
			try {
				this.maintenance.takeBack(reserved, usable, databaseFailed);
			}
			finally {
				endAndDispatch(end);
			}
		}
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
		try (LockConnection connection = this.source.open()) {
			waiting = false;
			JdbcCommand<?> command = takeFirst();
			if (command != null) {
				taken = true;
				Runnable result = runPooled(command, connection);
				end = () -> endAndDispatch(result);
			}
		}
		catch (Throwable ex) {
			// A command that has run keeps its result although the close fails.
			end = taken ? end : () -> refused(ex);
		}
		finally {
			pooledEnds(waiting);
			end.run();
		}
	}

	private Runnable runPooled(JdbcCommand<?> command, LockConnection connection) {
		try {
			this.source.prepare(connection, command.kind == Kind.MAINTENANCE);
			return command.run(connection, this.clock);
		}
		catch (Throwable ex) {
			return () -> command.fail(ex);
		}
	}

	private @Nullable JdbcCommand<?> takeFirst() {
		this.lock.lock();
		try {
			this.connecting--;
			return this.pending.removeFirst(Kind.values());
		}
		finally {
			this.lock.unlock();
		}
	}

	private void pooledEnds(boolean waiting) {
		this.lock.lock();
		try {
			this.pooled--;
			this.connecting -= waiting ? 1 : 0;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * The pool gave no connection. A command that the reserve can run goes on waiting for
	 * it; asking the pool for it again at once would be in vain.
	 */
	private void refused(Throwable failure) {
		boolean reserved = this.reserve.hasConnections() && failure instanceof Exception;
		JdbcCommand<?> command;
		this.lock.lock();
		try {
			command = reserved ? this.pending.removeFirst(Kind.MAINTENANCE) : this.pending.removeFirst(Kind.values());
			this.pending.forEach((waiting) -> waiting.refusal = failure);
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
		return this.source.noConnection(command.what, command.key, cause);
	}

	private void dispatchQuietly() {
		try {
			dispatch();
		}
		catch (Throwable ex) {
			// Pending commands find another thread, or their callers give them up.
			logger.debug("No thread could be started for a lock command", ex);
		}
	}

}
