package io.github.distlock.simulation;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * A thread pool of a simulated JVM, which also has timers.
 */
final class SimulatedExecutor extends AbstractExecutorService implements ScheduledExecutorService {

	private final Scheduler scheduler;

	private final SimulatedJvm jvm;

	private final String name;

	private final int maximum;

	private final Deque<Runnable> tasks = new ArrayDeque<>();

	private final List<Timer> timers = new ArrayList<>();

	private final List<SimulatedThread> terminationWaiters = new ArrayList<>();

	private int active;

	private boolean shutDown;

	SimulatedExecutor(Scheduler scheduler, SimulatedJvm jvm, String name, int maximum) {
		this.scheduler = scheduler;
		this.jvm = jvm;
		this.name = name;
		this.maximum = maximum;
	}

	@Override
	public void execute(Runnable task) {
		if (this.shutDown) {
			throw new RejectedExecutionException(this.name + " is shut down");
		}
		this.jvm.mayReject(this.name);
		add(task);
	}

	/** Never passes the baton: the engine may call it while it holds a lock. */
	void add(Runnable task) {
		this.tasks.add(task);
		if (this.active < this.maximum) {
			this.active++;
			this.scheduler.start(this.jvm + "/" + this.name, this.jvm, this::work);
		}
	}

	private void work() {
		Runnable task;
		while ((task = this.tasks.poll()) != null) {
			try {
				task.run();
			}
			catch (Scheduler.Killed ex) {
				throw ex;
			}
			catch (Throwable ex) {
				// A pool thread prints it and ends, and the pool starts another one.
				this.jvm.uncaught(ex);
			}
			Thread.interrupted();
		}
		this.active--;
		if (isTerminated()) {
			this.terminationWaiters.forEach(this.scheduler::wake);
			this.terminationWaiters.clear();
		}
	}

	@Override
	public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
		if (this.shutDown) {
			throw new RejectedExecutionException(this.name + " is shut down");
		}
		this.jvm.mayReject(this.name);
		return set(command, delay, unit);
	}

	private Timer set(Runnable command, long delay, TimeUnit unit) {
		Timer timer = new Timer(command, unit.toNanos(delay));
		this.timers.add(timer);
		timer.event = this.scheduler.after(this.jvm.toTrueNanos(unit.toNanos(delay)), timer::due);
		return timer;
	}

	@Override
	public ScheduledFuture<?> scheduleWithFixedDelay(Runnable command, long initialDelay, long delay, TimeUnit unit) {
		// A repetition is never refused: it stays in the queue of the timers.
		return set(() -> {
			command.run();
			if (!this.shutDown) {
				scheduleWithFixedDelay(command, delay, delay, unit);
			}
		}, initialDelay, unit);
	}

	@Override
	public ScheduledFuture<?> scheduleAtFixedRate(Runnable command, long initialDelay, long period, TimeUnit unit) {
		return scheduleWithFixedDelay(command, initialDelay, period, unit);
	}

	@Override
	public <V> ScheduledFuture<V> schedule(Callable<V> callable, long delay, TimeUnit unit) {
		throw new UnsupportedOperationException();
	}

	@Override
	public String toString() {
		return this.name;
	}

	/** Whether nothing runs or waits to run, timers aside. */
	boolean isIdle() {
		return this.active == 0;
	}

	@Override
	public void shutdown() {
		this.shutDown = true;
	}

	@Override
	public List<Runnable> shutdownNow() {
		this.shutDown = true;
		new ArrayList<>(this.timers).forEach((timer) -> timer.cancel(false));
		List<Runnable> left = new ArrayList<>(this.tasks);
		this.tasks.clear();
		return left;
	}

	@Override
	public boolean isShutdown() {
		return this.shutDown;
	}

	@Override
	public boolean isTerminated() {
		return this.shutDown && this.active == 0;
	}

	@Override
	public boolean awaitTermination(long timeout, TimeUnit unit) {
		if (!isTerminated() && timeout > 0) {
			this.terminationWaiters.add(this.scheduler.current());
			this.scheduler.block(unit.toNanos(timeout));
		}
		return isTerminated();
	}

	@Override
	public <T> List<java.util.concurrent.Future<T>> invokeAll(Collection<? extends Callable<T>> all) {
		throw new UnsupportedOperationException();
	}

	/** One timer. */
	private final class Timer extends FutureTask<Void> implements ScheduledFuture<Void> {

		private final long delayNanos;

		private Scheduler.@org.jspecify.annotations.Nullable Event event;

		Timer(Runnable task, long delayNanos) {
			super(task, null);
			this.delayNanos = delayNanos;
		}

		/** An event: the thread of the timers runs the task when it can. */
		void due() {
			SimulatedExecutor.this.timers.remove(this);
			add(this);
		}

		@Override
		public boolean cancel(boolean mayInterruptIfRunning) {
			SimulatedExecutor.this.timers.remove(this);
			if (this.event != null) {
				SimulatedExecutor.this.scheduler.cancel(this.event);
			}
			return super.cancel(false);
		}

		@Override
		protected void setException(Throwable ex) {
			super.setException(ex);
			if (!(ex instanceof Scheduler.Killed)) {
				SimulatedExecutor.this.jvm.uncaught(ex);
			}
		}

		@Override
		public long getDelay(TimeUnit unit) {
			return unit.convert(this.delayNanos, TimeUnit.NANOSECONDS);
		}

		@Override
		public int compareTo(Delayed other) {
			return Long.compare(this.delayNanos, other.getDelay(TimeUnit.NANOSECONDS));
		}

	}

}
