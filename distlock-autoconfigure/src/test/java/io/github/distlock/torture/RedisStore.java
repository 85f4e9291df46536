package io.github.distlock.torture;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.github.distlock.testing.RedisTestServer;
import io.github.distlock.testing.RespConnection;
import io.github.distlock.torture.history.HistoryWriter;
import io.github.distlock.torture.history.Kind;
import io.github.distlock.torture.worker.WorkerSettings;

/**
 * The Redis server of a run. It can be restarted without its data, and its keys are
 * observed.
 */
final class RedisStore implements Store {

	private static final long WATCH_MILLIS = 100;

	private static final Duration PATIENCE = Duration.ofSeconds(3);

	private final int port;

	private final HistoryWriter history;

	private final int keys;

	private volatile RedisTestServer server;

	private volatile long pid;

	private volatile boolean closed;

	RedisStore(HistoryWriter history, int keys) {
		this.history = history;
		this.keys = keys;
		this.server = RedisTestServer.start();
		this.port = this.server.port();
		this.pid = fetchPid();
		Thread watcher = new Thread(this::watch, "store-watcher");
		watcher.setDaemon(true);
		watcher.start();
	}

	@Override
	public int port() {
		return this.port;
	}

	/** All, except a restart with its data: it has none on disk. */
	@Override
	public Set<FaultKind> faults() {
		return EnumSet.complementOf(EnumSet.of(FaultKind.CRASH));
	}

	@Override
	public void inject(FaultKind kind, Signals signals, Random random) {
		switch (kind) {
			case KILL_NORMAL -> send("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
			case KILL_PUBSUB -> send("CLIENT", "KILL", "TYPE", "pubsub");
			case SCRIPT_FLUSH -> send("SCRIPT", "FLUSH");
			case FLUSH_ALL -> send("FLUSHALL");
			case RESTART -> restart();
			case CLIENT_PAUSE -> {
				int millis = 50 + random.nextInt(800);
				send("CLIENT", "PAUSE", "" + millis, "ALL");
				Pauses.pause(Duration.ofMillis(millis));
			}
			case OUT_OF_MEMORY -> {
				send("CONFIG", "SET", "maxmemory", "1");
				Pauses.pause(Duration.ofMillis(50 + random.nextInt(1500)));
				send("CONFIG", "SET", "maxmemory", "0");
			}
			case STALL -> signals.stall(this.pid, random);
			default -> throw new IllegalArgumentException(kind.toString());
		}
	}

	/** Restart without data. */
	private void restart() {
		this.server.close();
		this.server = RedisTestServer.start(this.port);
		this.pid = fetchPid();
	}

	/** Send one command on a connection of its own. */
	private String send(String... words) {
		try (RespConnection connection = connect()) {
			return String.valueOf(connection.ask(words));
		}
	}

	/**
	 * A connection without a driver, so that it shares no code with the tested library.
	 */
	private RespConnection connect() {
		return new RespConnection(this.port, PATIENCE);
	}

	private long fetchPid() {
		return send("INFO", "server").lines()
			.filter((line) -> line.startsWith("process_id:"))
			.map((line) -> Long.parseLong(line.substring("process_id:".length()).trim()))
			.findFirst()
			.orElseThrow();
	}

	/** Record the owner of each key whenever it changes. */
	private void watch() {
		Map<String, String> seen = new HashMap<>();
		while (!this.closed) {
			try (RespConnection connection = connect()) {
				while (!this.closed) {
					for (int i = 0; i < this.keys; i++) {
						recordOwner(connection, "k" + i, seen);
					}
					LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(WATCH_MILLIS));
				}
			}
			catch (UncheckedIOException | IllegalStateException ex) {
				// Stalled or unreachable: the owners are unknown.
				seen.keySet().forEach((key) -> this.history.write(Kind.STORE, "key", key, "owner", "?", "last", 0));
				seen.clear();
				LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(WATCH_MILLIS));
			}
		}
	}

	private void recordOwner(RespConnection connection, String key, Map<String, String> seen) {
		long asked = System.nanoTime();
		String word = Objects.requireNonNullElse((String) connection.ask("GET", "distlock:lock:{" + key + "}"), "|0");
		if (!word.equals(seen.put(key, word))) {
			// Only the last token of the readers is recorded.
			String[] parts = word.replace('~', '|').split("\\|");
			long token = Long.parseLong(parts[parts.length - 1]);
			boolean owned = parts.length == 3;
			this.history.writeAt(asked, Kind.STORE, "key", key, "owner", owned ? parts[0].substring(1) : "", "last",
					owned ? token + Long.parseLong(parts[1]) - 1 : token);
		}
	}

	/**
	 * After all workers have stopped: wait until the longest lease of a killed worker and
	 * the last tombstone have expired, and record the remaining keys.
	 */
	@Override
	public void recordLeftOvers() {
		long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(WorkerSettings.LONGEST_LEASE_MILLIS)
				+ TimeUnit.SECONDS.toNanos(14);
		List<String> left;
		do {
			LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(WATCH_MILLIS));
			String names = send("KEYS", "*{*");
			left = names.equals("[]") ? List.of() : List.of(names);
		}
		while (!left.isEmpty() && System.nanoTime() < end);
		this.history.write(Kind.LEFT_OVER, "names", left.isEmpty() ? "none" : left.get(0));
	}

	@Override
	public void close() {
		this.closed = true;
		this.server.close();
	}

}
