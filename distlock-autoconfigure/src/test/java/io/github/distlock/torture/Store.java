package io.github.distlock.torture;

import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.LongStream;

import io.github.distlock.testing.Signals;
import io.github.distlock.torture.check.HistoryWriter;
import io.github.distlock.torture.check.Kind;
import io.github.distlock.torture.worker.WorkerSettings.Load;
import org.jspecify.annotations.Nullable;

/** The server of a run. The owners of its keys are recorded. */
abstract class Store implements AutoCloseable {

	private static final Duration WATCH = Duration.ofMillis(100);

	final HistoryWriter history;

	private final int keys;

	/** The faults that it can inject, and those of its workers. */
	final Set<FaultKind> faults;

	/** Used by the thread that watches. */
	private final Map<String, Owner> seen = new HashMap<>();

	private volatile boolean closed;

	Store(HistoryWriter history, int keys, Set<FaultKind> faults) {
		this.history = history;
		this.keys = keys;
		this.faults = faults;
	}

	/** Start the server that {@code -Dtorture.store} names. */
	static Store start(HistoryWriter history, Load load) throws IOException {
		String name = System.getProperty("torture.store", "redis");
		return switch (name) {
			case "redis" -> new RedisStore(history, load.keys());
			case "postgresql" -> new PostgresStore(history, load.keys(), true);
			case "postgresql-connection" -> new PostgresStore(history, load.keys(), false);
			case "zookeeper" -> new ZooKeeperStore(history, load);
			default -> throw new IllegalArgumentException("-Dtorture.store=" + name
					+ " is not a store of the torture: use redis, postgresql, postgresql-connection or zookeeper");
		};
	}

	abstract int port();

	/** Whether the store may grant locks again after a fault that are still held. */
	boolean forgets(FaultKind kind) {
		return kind.losesData();
	}

	/** Inject a fault of the server, and wait until the server works again. */
	abstract void inject(FaultKind kind, Random random);

	static void stall(Random random, long... pids) {
		LongStream.of(pids).forEach((pid) -> Signals.send(pid, "STOP"));
		try {
			Torture.pause(Duration.ofMillis(50 + random.nextInt(1200)));
		}
		finally {
			LongStream.of(pids).forEach((pid) -> Signals.send(pid, "CONT"));
		}
	}

	/** Record the owner of each key whenever it changes, from now on. */
	final <C extends AutoCloseable> void watch(Callable<C> connect, OwnerQuery<C> query) {
		Thread watcher = new Thread(() -> {
			while (!this.closed) {
				try (C connection = connect.call()) {
					while (!this.closed) {
						for (int i = 0; i < this.keys; i++) {
							record("k" + i, connection, query);
						}
						Torture.pause(WATCH);
					}
				}
				catch (Exception ex) {
					// Stalled or unreachable: the owners are unknown.
					this.seen.keySet()
						.forEach((key) -> this.history.write(Kind.STORE, "key", key, "owner", "?", "last", 0));
					this.seen.clear();
					Torture.pause(WATCH);
				}
			}
		}, "store-watcher");
		watcher.setDaemon(true);
		watcher.start();
	}

	private <C extends AutoCloseable> void record(String key, C connection, OwnerQuery<C> query) throws Exception {
		long asked = System.nanoTime();
		Owner owner = query.owner(connection, key);
		if (owner != null && !owner.equals(this.seen.put(key, owner))) {
			this.history.writeAt(asked, Kind.STORE, "key", key, "owner", owner.name, "last", owner.lastToken);
		}
	}

	/**
	 * After all workers have stopped: wait until nothing has to remain, and record what
	 * remains.
	 */
	final void recordLeftOvers() {
		long end = System.nanoTime() + longestLeftOver().toNanos();
		String left;
		boolean over;
		do {
			Torture.pause(WATCH);
			// First: what remains is asked for after the end, however late that is.
			over = System.nanoTime() - end > 0;
			left = leftOvers();
		}
		while (!left.equals("none") && !over);
		this.history.write(Kind.LEFT_OVER, "names", left);
	}

	abstract Duration longestLeftOver();

	/** What remains now, or {@code none}. */
	abstract String leftOvers();

	@Override
	public void close() throws IOException {
		this.closed = true;
	}

	/** Asks for the owner of a key; {@code null} if it cannot be told. */
	interface OwnerQuery<C> {

		@Nullable Owner owner(C connection, String key) throws Exception;

	}

	/** The owner of a key, empty if there is none, and its last token. */
	record Owner(String name, long lastToken) {
	}

}
