package io.github.distlock.torture;

import java.time.Duration;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Random;
import java.util.Set;

import io.github.distlock.testing.RedisTestServer;
import io.github.distlock.testing.RespConnection;
import io.github.distlock.torture.check.HistoryWriter;
import io.github.distlock.torture.worker.WorkerSettings;

/**
 * The Redis server of a run. It can be restarted without its data, and its keys are
 * observed.
 */
final class RedisStore extends Store {

	/** After that the watched owners are unknown. */
	private static final Duration PATIENCE = Duration.ofSeconds(3);

	private final int port;

	private volatile RedisTestServer server;

	private volatile long pid;

	RedisStore(HistoryWriter history, int keys) {
		super(history, keys);
		this.server = RedisTestServer.start();
		this.port = this.server.port();
		this.pid = fetchPid();
		watch(this::connect, RedisStore::owner);
	}

	@Override
	int port() {
		return this.port;
	}

	/** All, except a restart with its data: it has none on disk. */
	@Override
	Set<FaultKind> faults() {
		return EnumSet.complementOf(EnumSet.of(FaultKind.CRASH));
	}

	@Override
	void inject(FaultKind kind, Random random) {
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
			case STALL -> stall(this.pid, random);
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
		try (RespConnection connection = new RespConnection(this.port)) {
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

	private static Owner owner(RespConnection connection, String key) {
		String word = Objects.requireNonNullElse((String) connection.ask("GET", "distlock:lock:{" + key + "}"), "|0");
		// Only the last token of the readers is recorded.
		String[] parts = word.replace('~', '|').split("\\|");
		long token = Long.parseLong(parts[parts.length - 1]);
		return (parts.length == 3) ? new Owner(parts[0].substring(1), token + Long.parseLong(parts[1]) - 1)
				: new Owner("", token);
	}

	/** The longest lease of a killed worker, and the last tombstone after it. */
	@Override
	Duration longestLeftOver() {
		return Duration.ofMillis(WorkerSettings.LONGEST_LEASE_MILLIS).plusSeconds(14);
	}

	@Override
	String leftOvers() {
		String names = send("KEYS", "*{*");
		return names.equals("[]") ? "none" : names;
	}

	@Override
	public void close() {
		super.close();
		this.server.close();
	}

}
