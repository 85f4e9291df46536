package io.github.distlock.torture;

import java.time.Duration;
import java.util.Random;

/**
 * The faults of the server, which affect all workers.
 */
final class StoreFaults {

	private final Store store;

	private final Workers workers;

	private final Signals signals;

	private final Random random;

	StoreFaults(Store store, Workers workers, Signals signals, Random random) {
		this.store = store;
		this.workers = workers;
		this.signals = signals;
		this.random = random;
	}

	void inject(FaultKind kind, Nemesis.Episode episode) {
		episode.begin("all");
		try {
			switch (kind) {
				case KILL_NORMAL -> this.store.send("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
				case KILL_PUBSUB -> this.store.send("CLIENT", "KILL", "TYPE", "pubsub");
				case SCRIPT_FLUSH -> this.store.send("SCRIPT", "FLUSH");
				case FLUSH_ALL -> this.store.send("FLUSHALL");
				case RESTART -> this.store.restart();
				case CLIENT_PAUSE -> {
					int millis = 50 + this.random.nextInt(800);
					this.store.send("CLIENT", "PAUSE", "" + millis, "ALL");
					Pauses.pause(Duration.ofMillis(millis));
				}
				case OUT_OF_MEMORY -> {
					this.store.send("CONFIG", "SET", "maxmemory", "1");
					pause(1500);
					this.store.send("CONFIG", "SET", "maxmemory", "0");
				}
				case STALL -> stall();
				case LOSE_REPLIES -> {
					this.workers.forEachProxy((proxy) -> proxy.mute());
					pause(700);
					this.workers.forEachProxy((proxy) -> proxy.cut());
				}
				default -> throw new IllegalArgumentException(kind.toString());
			}
		}
		finally {
			episode.end();
		}
	}

	private void stall() {
		long pid = this.store.pid();
		this.signals.send(pid, "STOP");
		try {
			pause(1200);
		}
		finally {
			this.signals.send(pid, "CONT");
		}
	}

	private void pause(int millis) {
		Pauses.pause(Duration.ofMillis(50 + this.random.nextInt(millis)));
	}

}
