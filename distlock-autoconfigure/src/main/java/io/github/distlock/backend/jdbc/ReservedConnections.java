package io.github.distlock.backend.jdbc;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

import io.github.distlock.backend.TimeSource;
import org.jspecify.annotations.Nullable;

/**
 * The connections that the mode {@code lease} keeps from its start to its end, so that
 * releases and renewals do not depend on what the application leaves in the pool. They
 * are validated before use. They are replaced before the pool would end them, after an
 * error, and all together after a failure of the database.
 * {@link ReservedConnectionsMaintenance} takes them from the pool.
 */
final class ReservedConnections {

	/** For so long after an answer a connection is not validated. */
	private static final long PROVEN_NANOS = Duration.ofMillis(500).toNanos();

	/** Interval of validation while idle, so that no firewall closes the connection. */
	private static final long KEEP_ALIVE_NANOS = Duration.ofSeconds(30).toNanos();

	private final LockDataSource dataSource;

	private final ReservedConnectionCount count;

	private final TimeSource clock;

	/** Guards all fields below. Never held during a database call. */
	private final ReentrantLock lock = new ReentrantLock();

	/** Connections that are not in use. */
	private final Deque<ReservedConnection> idle = new ArrayDeque<>();

	/** Number of connections, idle or in use: at most {@link #target}. */
	private int total;

	/** Connections in use, at most {@link #total} together with the idle ones. */
	private final LentConnections lent = new LentConnections();

	/** Number of connections to reserve, unknown until the size of the pool is known. */
	private @Nullable Integer target;

	/** Number of database failures. Connections from before the last one are not used. */
	private int failures;

	/** Whether a validation has failed since the last answer of the database. */
	private boolean validationFailed;

	private boolean stopped;

	ReservedConnections(LockDataSource dataSource, ReservedConnectionCount count, TimeSource clock) {
		this.dataSource = dataSource;
		this.count = count;
		this.clock = clock;
		this.target = count.now();
	}

	/** Return the connections to the pool; those in use when their command ends. */
	void stop() {
		List<ReservedConnection> rest;
		this.lock.lock();
		try {
			this.stopped = true;
			rest = new ArrayList<>(this.idle);
			this.idle.clear();
			this.total -= rest.size();
		}
		finally {
			this.lock.unlock();
		}
		rest.forEach((each) -> each.connection.closeQuietly());
	}

	/** Whether there are connections, idle or in use. */
	boolean hasConnections() {
		this.lock.lock();
		try {
			return this.total > 0;
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Whether all connections have been taken from the pool. */
	boolean isComplete() {
		this.lock.lock();
		try {
			return has(this.target);
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Return the number of connections to reserve, 0 while it is unknown. */
	int size() {
		this.lock.lock();
		try {
			return (this.target != null) ? this.target : 0;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Take an idle connection. Attempts leave one to releases and renewals, unless there
	 * is only one. The caller returns it by {@link #giveBack} or {@link #drop}.
	 * @param attempt whether an attempt will use the connection
	 */
	@Nullable ReservedConnection take(boolean attempt) {
		this.lock.lock();
		try {
			if (attempt && this.lent.attempts() >= Math.max(1, this.total - 1)) {
				return null;
			}
			ReservedConnection connection = this.idle.pollFirst();
			if (connection != null) {
				this.lent.add(connection, attempt, this.clock.nanoTime());
			}
			return connection;
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Check whether a connection that was taken can be used. */
	boolean validate(ReservedConnection connection) {
		if (isOutdated(connection)) {
			return false;
		}
		if (this.clock.nanoTime() - connection.provenNanos < PROVEN_NANOS) {
			return true;
		}
		boolean alive = connection.connection.isAlive();
		if (alive) {
			answered(connection);
		}
		else {
			validationFailed(connection);
		}
		return alive;
	}

	/** Notify that the database has answered on a connection that was taken. */
	void answered(ReservedConnection connection) {
		this.lock.lock();
		try {
			connection.provenNanos = this.clock.nanoTime();
			this.validationFailed = false;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Have the other connections validated before their next use. If a second validation
	 * fails without an answer in between, the database has failed.
	 */
	private void validationFailed(ReservedConnection connection) {
		this.lock.lock();
		try {
			if (this.validationFailed) {
				databaseFailed(connection);
			}
			this.validationFailed = !this.validationFailed;
			long unproven = this.clock.nanoTime() - PROVEN_NANOS;
			this.idle.forEach((each) -> each.provenNanos = Math.min(each.provenNanos - unproven, 0) + unproven);
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Called with the lock held. */
	private void databaseFailed(ReservedConnection connection) {
		if (connection.failures == this.failures) {
			this.failures++;
		}
	}

	private boolean isOutdated(ReservedConnection connection) {
		this.lock.lock();
		try {
			return connection.failures != this.failures;
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Return a connection that was taken. */
	void giveBack(ReservedConnection connection) {
		boolean surplus;
		this.lock.lock();
		try {
			if (!this.lent.remove(connection)) {
				return;
			}
			surplus = this.stopped;
			if (surplus) {
				this.total--;
			}
			else {
				// First, since it needs no validation for a while.
				this.idle.addFirst(connection);
			}
		}
		finally {
			this.lock.unlock();
		}
		if (surplus) {
			connection.connection.closeQuietly();
		}
	}

	/**
	 * Cut off a connection that was taken.
	 * @param databaseFailed whether no other connection can be used either
	 */
	void drop(ReservedConnection connection, boolean databaseFailed) {
		this.lock.lock();
		try {
			if (!this.lent.remove(connection)) {
				return;
			}
			this.total--;
			if (databaseFailed) {
				databaseFailed(connection);
			}
		}
		finally {
			this.lock.unlock();
		}
		connection.connection.discard();
	}

	/** Return the connections that commands use. */
	List<ReservedConnection> lent() {
		this.lock.lock();
		try {
			return this.lent.all();
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Whether connections are missing or have to be replaced. */
	boolean needsConnections() {
		this.lock.lock();
		try {
			return !this.stopped && (!has(this.target) || expired() != null);
		}
		finally {
			this.lock.unlock();
		}
	}

	private boolean has(@Nullable Integer number) {
		return number != null && this.total >= number;
	}

	/** Return an idle connection that has to be replaced. */
	private @Nullable ReservedConnection expired() {
		long limit = this.dataSource.pool().longestUse().toNanos();
		for (ReservedConnection each : this.idle) {
			if (each.failures != this.failures || this.clock.nanoTime() - each.takenNanos >= limit) {
				return each;
			}
		}
		return null;
	}

	/** Add a connection, or replace an old one by it. */
	void add(LockConnection connection) {
		LockConnection surplus = null;
		this.lock.lock();
		try {
			Integer size = (this.target != null) ? this.target : this.count.afterFirstUse();
			this.target = size;
			ReservedConnection old = has(size) ? expired() : null;
			if (this.stopped || (old == null && has(size))) {
				surplus = connection;
			}
			else {
				this.idle.addLast(new ReservedConnection(connection, this.failures, this.clock.nanoTime()));
				this.total++;
				if (old != null) {
					this.idle.remove(old);
					this.total--;
					surplus = old.connection;
				}
			}
		}
		finally {
			this.lock.unlock();
		}
		if (surplus != null) {
			surplus.closeQuietly();
		}
	}

	/** Whether a connection is missing, or has to be replaced or validated. */
	boolean needsMaintenance() {
		this.lock.lock();
		try {
			return needsConnections() || isLongIdle(this.idle.peekLast());
		}
		finally {
			this.lock.unlock();
		}
	}

	private boolean isLongIdle(@Nullable ReservedConnection connection) {
		return connection != null && this.clock.nanoTime() - connection.provenNanos >= KEEP_ALIVE_NANOS;
	}

	/** Take a connection that has been idle for long. */
	@Nullable ReservedConnection takeLongIdle() {
		this.lock.lock();
		try {
			ReservedConnection connection = isLongIdle(this.idle.peekLast()) ? this.idle.pollLast() : null;
			if (connection != null) {
				this.lent.add(connection, false, this.clock.nanoTime());
			}
			return connection;
		}
		finally {
			this.lock.unlock();
		}
	}

}
