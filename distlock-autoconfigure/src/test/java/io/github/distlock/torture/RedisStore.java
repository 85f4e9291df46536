package io.github.distlock.torture;

import java.io.IOException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Random;

import io.github.distlock.testing.RedisTestServer;
import io.github.distlock.testing.RespConnection;
import io.github.distlock.torture.check.HistoryWriter;
import io.github.distlock.torture.worker.WorkerSettings;
import org.jspecify.annotations.Nullable;

/**
 * The Redis server of a run. It can be restarted without its data, and its keys are
 * observed.
 */
final class RedisStore extends Store {

	/** After that the watched owners are unknown. */
	private static final Duration PATIENCE = Duration.ofSeconds(3);

	private final int port;

	private volatile RedisTestServer server;

	/** With all faults, except a restart with its data: it has none on disk. */
	RedisStore(HistoryWriter history, int keys) {
		super(history, keys, EnumSet.complementOf(EnumSet.of(FaultKind.CRASH)));
		this.server = RedisTestServer.start();
		this.port = this.server.port();
		watch(this::connect, RedisStore::owner);
	}

	@Override
	int port() {
		return this.port;
	}

	@Override
	void inject(FaultKind kind, Random random) {
		switch (kind) {
			case KILL_NORMAL -> ask("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
			case KILL_PUBSUB -> ask("CLIENT", "KILL", "TYPE", "pubsub");
			case SCRIPT_FLUSH -> ask("SCRIPT", "FLUSH");
			case FLUSH_ALL -> ask("FLUSHALL");
			case RESTART -> restart();
			case CLIENT_PAUSE -> {
				int millis = 50 + random.nextInt(800);
				ask("CLIENT", "PAUSE", "" + millis, "ALL");
				Torture.pause(Duration.ofMillis(millis));
			}
			case OUT_OF_MEMORY -> {
				ask("CONFIG", "SET", "maxmemory", "1");
				Torture.pause(Duration.ofMillis(50 + random.nextInt(1500)));
				ask("CONFIG", "SET", "maxmemory", "0");
			}
			case STALL -> stall(random, this.server.process().pid());
			default -> throw new IllegalArgumentException(kind.toString());
		}
	}

	private @Nullable Object ask(String... words) {
		return this.server.process().ask(words);
	}

	private void restart() {
		this.server.close();
		this.server = RedisTestServer.start(this.port);
	}

	/**
	 * A connection without a driver, so that it shares no code with the tested library.
	 */
	private RespConnection connect() {
		return new RespConnection(this.port, PATIENCE);
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
		String names = String.valueOf(ask("KEYS", "*{*"));
		return names.equals("[]") ? "none" : names;
	}

	@Override
	public void close() throws IOException {
		super.close();
		this.server.close();
	}

}
