package io.github.distlock.torture;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import io.github.distlock.testing.TcpProxy;
import io.github.distlock.torture.worker.Phase;
import io.github.distlock.torture.worker.WorkerSettings;
import org.jspecify.annotations.Nullable;

/** All workers, each behind a proxy of its own. A worker that dies is replaced. */
final class Workers implements AutoCloseable {

	/**
	 * Workers that hold longer leases are not killed: the key would be blocked for most
	 * of a run.
	 */
	private static final Duration WORTH_A_SHOT = Duration.ofSeconds(3);

	private final TortureSettings settings;

	private final Path folder;

	private final int storePort;

	private final int resourcePort;

	private final List<Slot> slots = new ArrayList<>();

	private final AtomicReference<@Nullable Shot> shot = new AtomicReference<>();

	private volatile boolean stopping;

	Workers(TortureSettings settings, Path folder, int storePort, int resourcePort) {
		this.settings = settings;
		this.folder = folder;
		this.storePort = storePort;
		this.resourcePort = resourcePort;
		for (int i = 0; i < TortureSettings.JVMS; i++) {
			this.slots.add(new Slot(i));
		}
		Thread replacer = new Thread(this::replace, "replacer");
		replacer.setDaemon(true);
		replacer.start();
	}

	private void replace() {
		while (!this.stopping) {
			for (Slot slot : this.slots) {
				if (!slot.process.isAlive()) {
					Torture.pause(this.settings.replacement());
					if (!this.stopping) {
						slot.start();
					}
				}
			}
			Torture.pause(Duration.ofMillis(50));
		}
	}

	void awaitReady() {
		long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(90);
		while (this.slots.stream().anyMatch((slot) -> slot.process.isAlive() && !slot.process.isReady())) {
			if (System.nanoTime() > end) {
				throw new IllegalStateException("The workers did not start: see " + this.folder);
			}
			Torture.pause(Duration.ofMillis(50));
		}
	}

	Slot someSlot(Random random) {
		return this.slots.get(random.nextInt(this.slots.size()));
	}

	TcpProxy proxyOf(WorkerProcess worker) {
		return this.slots.stream().filter((slot) -> slot.process == worker).findFirst().orElseThrow().proxy;
	}

	void forEachProxy(Consumer<TcpProxy> action) {
		this.slots.forEach((slot) -> action.accept(slot.proxy));
	}

	/**
	 * Wait until a thread of any worker enters a phase, and hit its worker in that
	 * moment. Answers the worker and its lease, or {@code null} if none entered the
	 * phase.
	 */
	@Nullable Target aim(Phase phase, Random random, Consumer<WorkerProcess> hit) {
		Shot next = new Shot(phase, random.nextInt(TortureSettings.JVMS), hit, new CompletableFuture<>());
		this.shot.set(next);
		try {
			return next.done.get(1, TimeUnit.SECONDS);
		}
		catch (TimeoutException ex) {
			return this.shot.compareAndSet(next, null) ? null : next.done.join();
		}
		catch (InterruptedException | ExecutionException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** A thread of a worker has entered a phase. Must not block for long. */
	void changed(WorkerProcess worker, Phase phase, Duration lease) {
		Shot next = this.shot.get();
		if (next != null && next.phase == phase && worker == this.slots.get(next.slot).process
				&& lease.compareTo(WORTH_A_SHOT) < 0 && this.shot.compareAndSet(next, null)) {
			try {
				next.hit.accept(worker);
			}
			finally {
				next.done.complete(new Target(worker, lease));
			}
		}
	}

	/** Ask all workers to finish, and wait. Workers that do not finish are killed. */
	void stop() throws InterruptedException {
		this.stopping = true;
		Torture.pause(this.settings.replacement().plusMillis(100));
		awaitReady();
		this.slots.forEach((slot) -> slot.process.stop());
		for (Slot slot : this.slots) {
			slot.process.awaitEnd(Duration.ofSeconds(90));
		}
	}

	@Override
	public void close() {
		this.stopping = true;
		for (Slot slot : this.slots) {
			slot.process.close();
			slot.proxy.close();
		}
	}

	/** The slot of a worker. Its proxy remains when the worker is replaced. */
	final class Slot {

		private final int number;

		final TcpProxy proxy = new TcpProxy(Workers.this.storePort);

		private int generation;

		private volatile WorkerProcess process;

		Slot(int number) {
			this.number = number;
			this.process = next();
		}

		String worker() {
			return this.process.name();
		}

		private void start() {
			this.process.close();
			this.process = next();
		}

		private WorkerProcess next() {
			String name = "w" + this.number + "." + this.generation++;
			long seed = Workers.this.settings.seed() * 1000 + this.number * 100L + this.generation;
			return new WorkerProcess(
					new WorkerSettings(name, this.proxy.port(), Workers.this.resourcePort,
							Workers.this.folder.resolve(name + ".log"), seed, Workers.this.settings.load()),
					Workers.this.settings.classPathFirst(), Workers.this);
		}

	}

	record Target(WorkerProcess worker, Duration lease) {
	}

	private record Shot(Phase phase, int slot, Consumer<WorkerProcess> hit, CompletableFuture<Target> done) {
	}

}
