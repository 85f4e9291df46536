package io.github.distlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.function.LongSupplier;

import io.github.distlock.testing.ManualClock;
import io.github.distlock.thread.LockTimers;

/**
 * Timers that fire when a test lets time pass.
 */
final class ManualTimers implements LockTimers {

	private final ManualClock clock;

	private final List<Timer> timers = new ArrayList<>();

	/** Runs on the thread that sets a timer, after it was set. */
	Runnable afterSetting = () -> {
	};

	/** How many of the next timers cannot be set. */
	int errors;

	ManualTimers(ManualClock clock) {
		this.clock = clock;
	}

	@Override
	public Future<?> schedule(Runnable task, long delayNanos) {
		failIfDue();
		this.timers.add(new Timer(() -> {
			task.run();
			return Long.MAX_VALUE / 2;
		}, delayNanos));
		return new FutureTask<>(task, null);
	}

	@Override
	public RepeatedTask repeat(LongSupplier task, long retryNanos) {
		Timer timer = new Timer(task, retryNanos);
		this.timers.add(timer);
		return timer;
	}

	private void failIfDue() {
		if (this.errors > 0) {
			this.errors--;
			throw new InternalError("injected at the timer");
		}
	}

	@Override
	public int size() {
		return this.timers.size();
	}

	@Override
	public void stop() {
		this.timers.clear();
	}

	void pass(Duration duration) {
		long end = this.clock.nanoTime() + duration.toNanos();
		while (true) {
			Timer next = this.timers.stream()
				.filter((timer) -> timer.at - end <= 0)
				.min(Comparator.comparingLong((timer) -> timer.at - end))
				.orElse(null);
			if (next == null) {
				this.clock.pass(Duration.ofNanos(end - this.clock.nanoTime()));
				return;
			}
			this.clock.pass(Duration.ofNanos(Math.max(0, next.at - this.clock.nanoTime())));
			next.fire();
		}
	}

	private final class Timer implements RepeatedTask {

		private final LongSupplier task;

		private final long retryNanos;

		private long at;

		Timer(LongSupplier task, long retryNanos) {
			this.task = task;
			this.retryNanos = retryNanos;
			this.at = ManualTimers.this.clock.nanoTime() + retryNanos;
		}

		private void fire() {
			long retry = ManualTimers.this.clock.nanoTime() + this.retryNanos;
			this.at = retry;
			long next = ManualTimers.this.clock.nanoTime() + this.task.getAsLong();
			if (this.at == retry || next - this.at < 0) {
				this.at = next;
			}
		}

		@Override
		public void within(long nanos) {
			failIfDue();
			long earlier = ManualTimers.this.clock.nanoTime() + nanos;
			if (earlier - this.at < 0) {
				this.at = earlier;
			}
			Runnable after = ManualTimers.this.afterSetting;
			ManualTimers.this.afterSetting = () -> {
			};
			after.run();
		}

	}

}
