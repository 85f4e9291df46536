package io.github.distlock.thread;

import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * Timers on one thread, which runs until the end.
 * <p>
 * A scheduled executor puts a periodic task into its queue again after each run, and
 * replaces a thread that an error has ended. Both need memory, so an
 * {@link OutOfMemoryError} can end a periodic task. Here neither is necessary: a repeated
 * task has its place for as long as the thread, and {@link LockThreads#repeatWhile} ends
 * only here. A task that runs once is removed after its run, which an error can only
 * delay.
 */
public final class TimerThread implements LockTimers {

	/** The longest time in which the thread does not look at its tasks. */
	private static final long LONGEST_PARK_NANOS = TimeUnit.SECONDS.toNanos(1);

	/** The tasks that run once, the earliest first. */
	private final ConcurrentSkipListSet<Timer> timers = new ConcurrentSkipListSet<>();

	private final AtomicLong timersSet = new AtomicLong();

	private final List<Repetition> repetitions = new CopyOnWriteArrayList<>();

	private final Thread thread;

	private volatile boolean stopped;

	/**
	 * Start a thread. Stop it at the end.
	 * @param threads creates the thread
	 */
	public TimerThread(LockThreads threads) {
		this.thread = threads.newThread(() -> LockThreads.repeatWhile(() -> !this.stopped, this::runDue));
		this.thread.start();
	}

	@Override
	public Future<?> schedule(Runnable task, long delayNanos) {
		if (this.stopped) {
			throw new RejectedExecutionException(this.thread.getName() + " has been stopped");
		}
		Timer timer = new Timer(task, System.nanoTime() + delayNanos);
		this.timers.add(timer);
		if (delayNanos < LONGEST_PARK_NANOS && this.timers.lower(timer) == null) {
			// Otherwise it is not the next one, or the thread looks at it in time. To
			// wake the thread costs as much as a command.
			LockSupport.unpark(this.thread);
		}
		return timer;
	}

	@Override
	public RepeatedTask repeat(LongSupplier task, long retryNanos) {
		Repetition added = new Repetition(task, retryNanos);
		this.repetitions.add(added);
		LockSupport.unpark(this.thread);
		return added;
	}

	@Override
	public int size() {
		return this.timers.size() + this.repetitions.size();
	}

	@Override
	public void stop() {
		this.stopped = true;
		this.timers.clear();
		this.thread.interrupt();
	}

	/** Run what is due, or wait for it. */
	private void runDue() {
		// A task may have left it set, and the thread would not park.
		Thread.interrupted();
		long wait = LONGEST_PARK_NANOS;
		for (Repetition each : this.repetitions) {
			wait = this.stopped ? 0 : Math.min(wait, each.runIfDue());
		}
		// Not first(), which throws if another thread cancels the last one meanwhile.
		Iterator<Timer> earliest = this.timers.iterator();
		if (earliest.hasNext()) {
			Timer first = earliest.next();
			long early = first.nanos - System.nanoTime();
			wait = Math.min(wait, early);
			if (early <= 0) {
				// In this order: it runs once, even if it cannot be removed now.
				first.run();
				this.timers.remove(first);
			}
		}
		if (wait > 0) {
			LockSupport.parkNanos(this, wait);
		}
	}

	/** A task that is repeated; the value is when it runs next. */
	private final class Repetition extends AtomicLong implements RepeatedTask {

		private final transient LongSupplier task;

		private final long retryNanos;

		Repetition(LongSupplier task, long retryNanos) {
			super(System.nanoTime() + retryNanos);
			this.task = task;
			this.retryNanos = retryNanos;
		}

		/** Returns the time until the next run. */
		long runIfDue() {
			long now = System.nanoTime();
			if (get() - now <= 0) {
				// First: whatever the task throws, it is repeated.
				long retry = now + this.retryNanos;
				set(retry);
				try {
					long next = this.task.getAsLong();
					// Unless it was brought forward meanwhile.
					if (!compareAndSet(retry, System.nanoTime() + next)) {
						within(next);
					}
				}
				catch (Throwable ex) {
					// The other tasks run. A report could need memory.
				}
			}
			return get() - System.nanoTime();
		}

		@Override
		public void within(long nanos) {
			long at = System.nanoTime() + nanos;
			if (getAndAccumulate(at, (next, earlier) -> (earlier - next < 0) ? earlier : next) - at > 0) {
				LockSupport.unpark(TimerThread.this.thread);
			}
		}

	}

	/** A task that runs once. */
	private final class Timer extends FutureTask<Object> implements Comparable<Timer> {

		private final long nanos;

		private final long number = TimerThread.this.timersSet.getAndIncrement();

		Timer(Runnable task, long nanos) {
			super(Executors.callable(task));
			this.nanos = nanos;
		}

		@Override
		public int compareTo(Timer other) {
			long later = this.nanos - other.nanos;
			return Long.signum((later != 0) ? later : this.number - other.number);
		}

		@Override
		public boolean cancel(boolean mayInterrupt) {
			TimerThread.this.timers.remove(this);
			return super.cancel(false);
		}

	}

}
