package io.github.distlock.torture.worker;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

import io.github.distlock.LockListener;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.engine.HandOffLimits;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.registry.RegistrySettings.ReleaseMode;
import io.github.distlock.registry.RegistrySnapshot;
import io.github.distlock.testing.RedisNodes;
import io.github.distlock.testing.TestSettings;
import io.github.distlock.torture.check.Checker;
import io.github.distlock.torture.check.HistoryWriter;
import io.github.distlock.torture.check.Kind;

/**
 * A JVM whose threads contend for locks until it is asked to stop, is killed, or its
 * standard input is closed.
 */
public final class TortureWorker {

	/**
	 * The longest lease of a dead holder, and after it a section of each waiting caller,
	 * some of which overrun their lease. On a busy machine each takes longer.
	 */
	private static final Duration LAST_SECTION = Duration.ofSeconds(45);

	private static final Duration LAST_COMMAND = Duration.ofSeconds(20);

	private final WorkerSettings settings;

	private final HistoryWriter history;

	private final BackendLockRegistry registry;

	private final Map<Thread, Contender> contenders = new ConcurrentHashMap<>();

	private TortureWorker(WorkerSettings settings) throws IOException {
		this.settings = settings;
		this.history = new HistoryWriter(settings.history());
		// Some of the workers have the default length of a turn, and the token block of
		// the default. The others hand off longer sections, too.
		boolean byDefault = settings.number() % 2 == 0;
		Duration turn = byDefault ? RedisNodes.HAND_OFF.maxTime() : Duration.ofMillis(50);
		int tokens = (byDefault ? RedisNodes.HAND_OFF.budget() : Checker.HAND_OFF_BUDGET) + 1;
		Duration lease = Duration.ofMillis(settings.load().leaseMillis());
		LockBackend store = WorkerStore.open(settings.storePort(), tokens, lease);
		this.registry = new BackendLockRegistry(store,
				TestSettings.releasing(RedisNodes.settings(lease, new HandOffLimits(Checker.HAND_OFF_BUDGET, turn)),
						ReleaseMode
							.valueOf(System.getProperty("torture.release", "confirmed").toUpperCase(Locale.ROOT))),
				List.of(new Recorder()), TimeSource.SYSTEM);
	}

	public static void main(String[] args) throws IOException {
		TortureWorker worker = new TortureWorker(WorkerSettings.parse(args));
		Thread work = new Thread(worker::work, "work");
		work.setDaemon(true);
		work.start();
		try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
			for (String line; (line = in.readLine()) != null;) {
				if (line.equals("stop")) {
					Thread stop = new Thread(worker::stop, "stop");
					stop.setDaemon(true);
					stop.start();
				}
			}
		}
		catch (IOException ex) {
			// The launcher has ended.
		}
		Runtime.getRuntime().halt(0);
	}

	private void work() {
		this.registry.start();
		PrintStream out = System.out;
		for (int i = 0; i < this.settings.load().threads(); i++) {
			Contender contender = new Contender(i, this.registry, this.settings, this.history, out);
			Thread thread = new Thread(contender, "contender-" + i);
			this.contenders.put(thread, contender);
		}
		this.contenders.keySet().forEach(Thread::start);
		out.println("@ready");
		interrupt();
	}

	/** Interrupt calls for locks and releases, but never a critical section. */
	private void interrupt() {
		int mean = this.settings.load().interrupts();
		Random random = new Random(this.settings.seed());
		List<Thread> threads = new ArrayList<>(this.contenders.keySet());
		while (mean > 0) {
			LockSupport.parkNanos(Duration.ofMillis(random.nextInt(2 * mean) + 1).toNanos());
			Thread thread = threads.get(random.nextInt(threads.size()));
			Contender contender = this.contenders.get(thread);
			if (contender != null && (contender.phase == Phase.ACQUIRING || contender.phase == Phase.RELEASING)) {
				thread.interrupt();
			}
		}
	}

	private void stop() {
		this.contenders.values().forEach(Contender::stop);
		long end = System.nanoTime() + LAST_SECTION.toNanos();
		long alive;
		while ((alive = this.contenders.keySet().stream().filter(Thread::isAlive).count()) > 0
				&& System.nanoTime() < end) {
			LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
		}
		long idleEnd = System.nanoTime() + LAST_COMMAND.toNanos();
		RegistrySnapshot last;
		// One snapshot decides: after it, a late message can still be answered.
		while (!(last = this.registry.snapshot()).isIdle() && System.nanoTime() < idleEnd) {
			LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
		}
		this.history.write(Kind.IDLE, "idle", last.isIdle(), "threads", alive, "leases", last.watchedLeases(), "keys",
				last.keys());
		this.registry.shutdown();
		Runtime.getRuntime().halt(0);
	}

	/** Records the events of the library. */
	private final class Recorder implements LockListener {

		@Override
		public void onWaiting(Waiting event) {
			Contender contender = TortureWorker.this.contenders.get(Thread.currentThread());
			if (contender != null) {
				contender.waiting();
			}
		}

		@Override
		public void onLost(Lost event) {
			TortureWorker.this.history.write(Kind.LOST, "key", event.key(), "token", event.fencingToken(), "reason",
					event.reason(), "cause", event.lossCause());
		}

	}

}
