package io.github.distlock.torture;

import java.util.Random;
import java.util.Set;

import io.github.distlock.torture.history.HistoryWriter;
import io.github.distlock.torture.worker.WorkerSettings.Load;

/**
 * The server of a run. The owners of its keys are recorded.
 */
interface Store extends AutoCloseable {

	/** Start the server that {@code -Dtorture.store} names. */
	static Store start(HistoryWriter history, Load load) {
		String name = System.getProperty("torture.store", "redis");
		return switch (name) {
			case "redis" -> new RedisStore(history, load.keys());
			case "postgresql" -> new PostgresStore(history, load.keys(), true);
			case "postgresql-connection" -> new PostgresStore(history, load.keys(), false);
			case "zookeeper" -> new ZooKeeperStore(history, load);
			default -> throw new IllegalArgumentException("-Dtorture.store=" + name
					+ " is not a store of the torture: use redis, postgresql," + " postgresql-connection or zookeeper");
		};
	}

	int port();

	/** The faults that it can inject, and those of its workers. */
	Set<FaultKind> faults();

	/** Whether the store may grant locks again after a fault that are still held. */
	default boolean forgets(FaultKind kind) {
		return kind.losesData();
	}

	/** Inject a fault of the server, and wait until the server works again. */
	void inject(FaultKind kind, Signals signals, Random random);

	/**
	 * After all workers have stopped: wait until nothing has to remain, and record what
	 * remains.
	 */
	void recordLeftOvers();

	@Override
	void close();

}
