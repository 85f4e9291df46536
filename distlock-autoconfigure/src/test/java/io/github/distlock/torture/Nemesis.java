package io.github.distlock.torture;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

import io.github.distlock.testing.TcpProxy;
import io.github.distlock.torture.check.HistoryWriter;
import io.github.distlock.torture.check.Kind;

/**
 * Injects faults for a while, then pauses for a while, and repeats. The seed determines
 * the faults and their times, but not how they coincide with the workers.
 */
record Nemesis(TortureSettings settings, Store store, Workers workers, HistoryWriter history, Random random,
		AtomicInteger faults) {

	Nemesis(TortureSettings settings, Store store, Workers workers, HistoryWriter history) {
		this(settings, store, workers, history, new Random(settings.seed()), new AtomicInteger());
	}

	/**
	 * Inject faults until the time is over, or until it is enough after a pause. Answers
	 * whether that was so.
	 */
	boolean injectFaults(BooleanSupplier enough) {
		List<FaultKind> kinds = this.settings.faults().stream().filter(this.store.faults::contains).toList();
		long end = System.nanoTime() + this.settings.duration().toNanos();
		while (System.nanoTime() < end) {
			long storm = Math.min(end, System.nanoTime() + this.settings.storm().toNanos());
			while (System.nanoTime() < storm) {
				if (!kinds.isEmpty()) {
					inject(kinds.get(this.random.nextInt(kinds.size())));
				}
				Torture.pause(Duration.ofMillis(this.random.nextInt(350)));
			}
			long calm = Math.min(end, System.nanoTime() + this.settings.calm().toNanos());
			while (System.nanoTime() < calm) {
				Torture.pause(Duration.ofMillis(100));
			}
			if (enough.getAsBoolean()) {
				return true;
			}
		}
		return false;
	}

	private void inject(FaultKind kind) {
		try {
			switch (kind) {
				case KILL_NORMAL, KILL_PUBSUB, CLIENT_PAUSE, SCRIPT_FLUSH, FLUSH_ALL, RESTART, CRASH, OUT_OF_MEMORY,
						STALL, LOSE_REPLIES ->
					injectIntoAll(kind, new Episode(kind));
				default -> new WorkerFaults(this.settings, this.workers, this.random).inject(kind, new Episode(kind));
			}
		}
		catch (RuntimeException ex) {
			throw new IllegalStateException("The nemesis failed at " + kind, ex);
		}
	}

	private void injectIntoAll(FaultKind kind, Episode episode) {
		episode.begin("all");
		try {
			if (kind == FaultKind.LOSE_REPLIES) {
				this.workers.forEachProxy(TcpProxy::mute);
				Torture.pause(Duration.ofMillis(50 + this.random.nextInt(700)));
				this.workers.forEachProxy(TcpProxy::cut);
			}
			else {
				this.store.inject(kind, this.random);
			}
		}
		finally {
			episode.end();
		}
	}

	/** Records one fault. */
	final class Episode {

		private final FaultKind kind;

		private final int id = Nemesis.this.faults.incrementAndGet();

		Episode(FaultKind kind) {
			this.kind = kind;
		}

		void begin(String worker) {
			Nemesis.this.history.write(Kind.FAULT, "id", this.id, "name", this.kind, "worker", worker, "loses",
					Nemesis.this.store.forgets(this.kind));
		}

		void killed(String worker) {
			Nemesis.this.history.write(Kind.KILLED, "worker", worker);
		}

		void end() {
			endIn(Duration.ZERO);
		}

		/** The fault ends when other processes have detected it. */
		void endIn(Duration later) {
			Nemesis.this.history.writeAt(System.nanoTime() + later.toNanos(), Kind.HEALED, "id", this.id);
		}

	}

}
