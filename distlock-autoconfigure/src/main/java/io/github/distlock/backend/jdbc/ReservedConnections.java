package io.github.distlock.backend.jdbc;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

import io.github.distlock.backend.TimeSource;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The connections that the lease mode keeps from its start to its stop, so that releases
 * and renewals do not depend on what the application leaves in the pool. They are
 * validated before use, and exchanged before the pool would end them, after an error, and
 * all together after a failure of the database. {@link ReservedConnectionsMaintenance}
 * takes them.
 */
final class ReservedConnections {

	private static final Log logger = LogFactory.getLog(ReservedConnections.class);

	/** After an answer a connection is believed to be alive for this long. */
	private static final long PROVEN_NANOS = Duration.ofMillis(500).toNanos();

	/** An idle connection is validated this often, so that a firewall keeps it open. */
	private static final long KEEP_ALIVE_NANOS = Duration.ofSeconds(30).toNanos();

	private final LockDataSource source;

	private final ReservedConnectionCount size;

	private final TimeSource clock;

	/** Guards all fields below. Never held while a command is sent. */
	private final ReentrantLock lock = new ReentrantLock();

	/** Connections that no thread uses. */
	private final Deque<ReservedConnection> idle = new ArrayDeque<>();

	/** Idle connections and those in use: never more than {@link #wanted}. */
	private int live;

	/** Connections that attempts use: at most all but one, unless there is only one. */
	private int lentToAttempts;

	/** How many connections there are to be; unknown until the pool tells its size. */
	private @Nullable Integer wanted;

	/** Failures of the database. Connections from before the last one are not used. */
	private int failures;

	/** Whether a validation has failed since the database last answered. */
	private boolean suspected;

	private boolean stopped;

	ReservedConnections(LockDataSource source, ReservedConnectionCount size, TimeSource clock) {
		this.source = source;
		this.size = size;
		this.clock = clock;
		this.wanted = size.now();
	}

	/**
	 * Return the connections to the pool. Those in use follow when their command ends.
	 */
	void stop() {
		List<ReservedConnection> rest;
		this.lock.lock();
		try {
			this.stopped = true;
			rest = new ArrayList<>(this.idle);
			this.idle.clear();
			this.live -= rest.size();
		}
		finally {
			this.lock.unlock();
		}
		rest.forEach((each) -> close(each.connection));
	}

	/** A connection that cannot be closed must not keep others from being returned. */
	private static void close(LockConnection connection) {
		try {
			connection.close();
		}
		catch (Throwable ex) {
			logger.warn("A connection for locks could not be returned to the pool", ex);
		}
	}

	/** Whether a command may hope for one of the connections. */
	boolean hasConnections() {
		this.lock.lock();
		try {
			return this.live > 0;
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Whether all connections are there, or in use. */
	boolean isComplete() {
		this.lock.lock();
		try {
			return has(this.wanted);
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Return how many connections are kept, or will be. */
	int size() {
		this.lock.lock();
		try {
			return (this.wanted != null) ? this.wanted : 0;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Take an idle connection. Give it back by {@link #giveBack} or {@link #drop}.
	 * @param attempt whether it is for an attempt, which leaves one for releases
	 */
	@Nullable ReservedConnection take(boolean attempt) {
		this.lock.lock();
		try {
			if (attempt && this.lentToAttempts >= Math.max(1, this.live - 1)) {
				return null;
			}
			ReservedConnection connection = this.idle.pollFirst();
			if (connection != null) {
				connection.lentToAttempt = attempt;
				this.lentToAttempts += attempt ? 1 : 0;
			}
			return connection;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Find out whether a connection that was taken can be used.
	 */
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
			suspect(connection);
		}
		return alive;
	}

	/** The database has answered on a connection that was taken. */
	void answered(ReservedConnection connection) {
		this.lock.lock();
		try {
			connection.provenNanos = this.clock.nanoTime();
			this.suspected = false;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * A connection is dead. It may be the only one: the others are validated before their
	 * next use. The second one without an answer in between is a failure of the database.
	 */
	private void suspect(ReservedConnection connection) {
		this.lock.lock();
		try {
			if (this.suspected) {
				failed(connection);
			}
			this.suspected = !this.suspected;
			long unproven = this.clock.nanoTime() - PROVEN_NANOS;
			this.idle.forEach((each) -> each.provenNanos = Math.min(each.provenNanos - unproven, 0) + unproven);
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Called with the lock held. */
	private void failed(ReservedConnection connection) {
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

	/** Give back a connection that was taken. */
	void giveBack(ReservedConnection connection) {
		boolean surplus;
		this.lock.lock();
		try {
			returned(connection);
			surplus = this.stopped;
			if (surplus) {
				this.live--;
			}
			else {
				// The one that was used last is the one that is proven.
				this.idle.addFirst(connection);
			}
		}
		finally {
			this.lock.unlock();
		}
		if (surplus) {
			close(connection.connection);
		}
	}

	/**
	 * Cut off a connection that was taken.
	 * @param database whether the database failed, so that no other one is to be used
	 */
	void drop(ReservedConnection connection, boolean database) {
		this.lock.lock();
		try {
			returned(connection);
			this.live--;
			if (database) {
				failed(connection);
			}
		}
		finally {
			this.lock.unlock();
		}
		connection.connection.discard();
	}

	private void returned(ReservedConnection connection) {
		this.lentToAttempts -= connection.lentToAttempt ? 1 : 0;
		connection.lentToAttempt = false;
	}

	/** Whether connections are missing or are to be exchanged. */
	boolean isWanting() {
		this.lock.lock();
		try {
			return !this.stopped && (!has(this.wanted) || oldest() != null);
		}
		finally {
			this.lock.unlock();
		}
	}

	private boolean has(@Nullable Integer number) {
		return number != null && this.live >= number;
	}

	/** An idle connection that is to be exchanged. */
	private @Nullable ReservedConnection oldest() {
		long limit = this.source.pool().longestUse().toNanos();
		for (ReservedConnection each : this.idle) {
			if (each.failures != this.failures || this.clock.nanoTime() - each.takenNanos >= limit) {
				return each;
			}
		}
		return null;
	}

	/** A connection has come: add it, or have it take the place of an old one. */
	void add(LockConnection connection) {
		LockConnection surplus = null;
		this.lock.lock();
		try {
			Integer size = (this.wanted != null) ? this.wanted : this.size.afterFirstUse();
			this.wanted = size;
			ReservedConnection old = has(size) ? oldest() : null;
			if (this.stopped || (old == null && has(size))) {
				surplus = connection;
			}
			else {
				this.idle.addLast(new ReservedConnection(connection, this.failures, this.clock.nanoTime()));
				this.live++;
				if (old != null) {
					this.idle.remove(old);
					this.live--;
					surplus = old.connection;
				}
			}
		}
		finally {
			this.lock.unlock();
		}
		if (surplus != null) {
			close(surplus);
		}
	}

	/** Whether there is anything to do: also, whether a connection is to be validated. */
	boolean needsCare() {
		this.lock.lock();
		try {
			return isWanting() || isSilent(this.idle.peekLast());
		}
		finally {
			this.lock.unlock();
		}
	}

	private boolean isSilent(@Nullable ReservedConnection connection) {
		return connection != null && this.clock.nanoTime() - connection.provenNanos >= KEEP_ALIVE_NANOS;
	}

	/**
	 * Take an idle connection that was not used for long.
	 */
	@Nullable ReservedConnection takeSilent() {
		this.lock.lock();
		try {
			return isSilent(this.idle.peekLast()) ? this.idle.pollLast() : null;
		}
		finally {
			this.lock.unlock();
		}
	}

}
