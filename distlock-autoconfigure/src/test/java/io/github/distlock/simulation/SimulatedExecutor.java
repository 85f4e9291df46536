package io.github.distlock.simulation;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import io.github.distlock.thread.LockTimers;

/** A thread pool of a simulated JVM, which also has timers. */
final class SimulatedExecutor extends AbstractExecutorService implements LockTimers {

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
		mayReject();
		add(task);
	}

	private void mayReject() {
		if (this.shutDown) {
			throw new RejectedExecutionException(this.name + " is shut down");
		}
		this.jvm.mayReject(this.name);
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
	public Future<?> schedule(Runnable command, long delayNanos) {
		mayReject();
		return set(command, delayNanos);
	}

	private Timer set(Runnable command, long delayNanos) {
		Timer timer = new Timer(command);
		this.timers.add(timer);
		timer.event = this.scheduler.after(this.jvm.toTrueNanos(delayNanos), timer::due);
		return timer;
	}

	@Override
	public RepeatedTask repeat(LongSupplier task, long retryNanos) {
		// A repetition is never refused.
		return new Repetition(task, retryNanos);
	}

	@Override
	public int size() {
		return this.timers.size();
	}

	@Override
	public void stop() {
		shutdownNow();
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

	private final class Timer extends FutureTask<Void> {

		private Scheduler.@org.jspecify.annotations.Nullable Event event;

		Timer(Runnable task) {
			super(task, null);
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

	}

	private final class Repetition implements RepeatedTask {

		private final LongSupplier task;

		private final long retryNanos;

		private long nextNanos;

		private Timer timer;

		Repetition(LongSupplier task, long retryNanos) {
			this.task = task;
			this.retryNanos = retryNanos;
			this.timer = arm(retryNanos);
		}

		private Timer arm(long delayNanos) {
			this.nextNanos = SimulatedExecutor.this.jvm.nanoTime() + delayNanos;
			return set(this::run, delayNanos);
		}

		private void run() {
			this.timer = arm(this.retryNanos);
			long next = this.task.getAsLong();
			this.timer.cancel(false);
			if (!SimulatedExecutor.this.shutDown) {
				long broughtForward = this.nextNanos - SimulatedExecutor.this.jvm.nanoTime();
				this.timer = arm(Math.max(0, Math.min(next, broughtForward)));
			}
		}

		@Override
		public void within(long nanos) {
			if (!SimulatedExecutor.this.shutDown
					&& this.nextNanos - SimulatedExecutor.this.jvm.nanoTime() - nanos > 0) {
				this.timer.cancel(false);
				this.timer = arm(nanos);
			}
		}

	}

}
