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
			if (kind == FaultKind.LOSE_REPLIES) {
				this.workers.forEachProxy((proxy) -> proxy.mute());
				Pauses.pause(Duration.ofMillis(50 + this.random.nextInt(700)));
				this.workers.forEachProxy((proxy) -> proxy.cut());
			}
			else {
				this.store.inject(kind, this.signals, this.random);
			}
		}
		finally {
			episode.end();
		}
	}

}
