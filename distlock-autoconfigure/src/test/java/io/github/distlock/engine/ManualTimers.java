package io.github.distlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import io.github.distlock.testing.ManualClock;

/**
 * Timers that fire when a test lets time pass.
 */
final class ManualTimers extends ScheduledThreadPoolExecutor {

	private final ManualClock clock;

	private final List<Timer> timers = new ArrayList<>();

	/** Runs on the thread that sets a timer, after it was set. */
	Runnable afterSetting = () -> {
	};

	/** How many of the next timers cannot be set. */
	int errors;

	ManualTimers(ManualClock clock) {
		super(0);
		this.clock = clock;
	}

	@Override
	public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
		if (this.errors > 0) {
			this.errors--;
			throw new InternalError("injected at the timer");
		}
		this.timers.add(new Timer(this.clock.nanoTime() + unit.toNanos(delay), task, false));
		Runnable after = this.afterSetting;
		this.afterSetting = () -> {
		};
		after.run();
		return super.schedule(() -> {
		}, Long.MAX_VALUE / 2, TimeUnit.NANOSECONDS);
	}

	@Override
	public ScheduledFuture<?> scheduleWithFixedDelay(Runnable task, long initialDelay, long delay, TimeUnit unit) {
		this.timers.add(new Timer(this.clock.nanoTime() + unit.toNanos(initialDelay), () -> {
			task.run();
			scheduleWithFixedDelay(task, delay, delay, unit);
		}, true));
		return super.schedule(() -> {
		}, Long.MAX_VALUE / 2, TimeUnit.NANOSECONDS);
	}

	/** Besides the sweep. */
	int pending() {
		return (int) this.timers.stream().filter((timer) -> !timer.repeated()).count();
	}

	void pass(Duration duration) {
		long end = this.clock.nanoTime() + duration.toNanos();
		while (true) {
			Timer next = this.timers.stream()
				.filter((timer) -> timer.at() - end <= 0)
				.min(Comparator.comparingLong((timer) -> timer.at() - end))
				.orElse(null);
			if (next == null) {
				this.clock.pass(Duration.ofNanos(end - this.clock.nanoTime()));
				return;
			}
			this.timers.remove(next);
			this.clock.pass(Duration.ofNanos(Math.max(0, next.at() - this.clock.nanoTime())));
			next.task().run();
		}
	}

	private record Timer(long at, Runnable task, boolean repeated) {
	}

}
