package io.github.distlock.backend.jdbc;

/**
 * Counts the tasks that run commands on connections of the pool. Not thread-safe: guarded
 * by the lock of {@link JdbcExecutor}.
 */
final class PooledTasks {

	private final int maxConnections;

	/** Number of tasks that wait for a connection: at most one per pending command. */
	private int connecting;

	/** Number of tasks that wait for a connection or have one. */
	private int all;

	PooledTasks(int maxConnections) {
		this.maxConnections = maxConnections;
	}

	/**
	 * Count a new task if one is needed.
	 * @param pending the number of commands without a connection
	 * @param reserved the number of reserved connections
	 */
	boolean begin(int pending, int reserved) {
		// Reserved connections count, but one connection of the pool is always allowed.
		if (this.connecting >= pending || this.all >= Math.max(1, this.maxConnections - reserved)) {
			return false;
		}
		this.connecting++;
		this.all++;
		return true;
	}

	/** Note that a task has got its connection. */
	void connected() {
		this.connecting--;
	}

	/**
	 * Note that a task has ended.
	 * @param waiting whether it got no connection
	 */
	void end(boolean waiting) {
		this.all--;
		this.connecting -= waiting ? 1 : 0;
	}

}
