package io.github.distlock.registry;

import java.util.UUID;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.distlock.LockListener;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.LockSignals;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.renewal.LeaseRenewer;
import io.github.distlock.waiting.WaitingRoom;

/**
 * One life of a registry, from start to shutdown: its name in the store, its threads, and
 * the rooms that work with them.
 */
final class Session implements LockSignals {

	private static final int THREADS = 4;

	private static final long IDLE_THREAD_SECONDS = 30;

	private static final long POLL_MILLIS = 10;

	private final LockBackend backend;

	private final ThreadPoolExecutor executor;

	private final ScheduledThreadPoolExecutor timers;

	private final WaitingRoom room;

	private final Holding holding;

	Session(LockBackend backend, RegistrySettings settings, LockListener listeners, TimeSource clock) {
		this.backend = backend;
		this.executor = new ThreadPoolExecutor(THREADS, THREADS, IDLE_THREAD_SECONDS, TimeUnit.SECONDS,
				new LinkedBlockingQueue<>(), threads("distlock-io-"));
		this.executor.allowCoreThreadTimeOut(true);
		this.timers = new ScheduledThreadPoolExecutor(1, threads("distlock-timer-"));
		this.timers.setRemoveOnCancelPolicy(true);
		this.timers.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
		String instance = UUID.randomUUID().toString().replace("-", "");
		this.room = new WaitingRoom(backend, instance, settings.backendTimeout(), clock, this.executor, this.timers);
		this.holding = new Holding(backend.description().name(), this.room,
				(events) -> new LeaseRenewer(backend, clock, this.executor, this.timers, events), listeners, clock,
				this.executor, settings.interruptOnLost());
		backend.start(instance, this);
	}

	WaitingRoom room() {
		return this.room;
	}

	Holding holding() {
		return this.holding;
	}

	/**
	 * End it. Locks still held after the grace period are left to their leases: their
	 * holders may still be at work, so nobody else must enter sooner.
	 */
	void close(long graceNanos) {
		this.room.close();
		boolean finished = awaitQuiet(graceNanos);
		this.holding.renewer().stop();
		this.timers.shutdownNow();
		this.executor.shutdown();
		try {
			// What is on its way to the store, one command each.
			this.executor.awaitTermination(finished ? TimeUnit.SECONDS.toNanos(2) : 0, TimeUnit.NANOSECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		this.backend.stop();
	}

	private boolean awaitQuiet(long graceNanos) {
		long start = System.nanoTime();
		while (!this.holding.isEmpty() || !this.room.isEmpty()) {
			if (System.nanoTime() - start >= graceNanos) {
				return false;
			}
			try {
				TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				return false;
			}
		}
		return true;
	}

	private static ThreadFactory threads(String prefix) {
		AtomicInteger number = new AtomicInteger();
		return (task) -> {
			Thread thread = new Thread(task, prefix + number.incrementAndGet());
			thread.setDaemon(true);
			return thread;
		};
	}

	@Override
	public void granted(Ticket ticket, Grant grant) {
		this.room.granted(ticket, grant);
	}

	@Override
	public void lookAgain(Ticket ticket) {
		this.room.lookAgain(ticket);
	}

	@Override
	public void lookAgainAll() {
		this.room.lookAgain(null);
	}

	@Override
	public void renewNow(Ticket ticket) {
		this.holding.renewer().renewNow(ticket);
	}

}
