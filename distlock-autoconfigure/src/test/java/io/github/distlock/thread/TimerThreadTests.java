package io.github.distlock.thread;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Timers that no error ends.
 */
class TimerThreadTests {

	private static final long FAR_NANOS = TimeUnit.DAYS.toNanos(1);

	@AutoClose("stop")
	private final TimerThread timers = new TimerThread(LockThreads.named("timers"));

	private final Semaphore runs = new Semaphore(0);

	@Test
	void anErrorEndsNeitherTheTaskThatThrowsItNorTheOthers() throws Exception {
		this.timers.repeat(1, () -> {
			throw new OutOfMemoryError("injected");
		});
		this.timers.repeat(1, this.runs::release);
		this.timers.schedule(() -> {
			throw new OutOfMemoryError("injected");
		}, 0);
		assertThat(this.runs.tryAcquire(100, 60, TimeUnit.SECONDS)).isTrue();
		this.timers.schedule(() -> this.runs.release(1_000_000), 0);
		assertThat(this.runs.tryAcquire(1_000_000, 60, TimeUnit.SECONDS)).isTrue();
	}

	@Test
	void aRepeatedTaskIsBroughtForwardAsOftenAsNecessary() throws Exception {
		LockTimers.RepeatedTask task = this.timers.repeat(FAR_NANOS, this.runs::release);
		for (int i = 0; i < 20; i++) {
			task.within(0);
			assertThat(this.runs.tryAcquire(60, TimeUnit.SECONDS)).isTrue();
		}
		assertThat(this.timers.size()).isEqualTo(1);
	}

	@Test
	void tasksRunInTheOrderOfTheirTimesUnlessTheyAreCancelled() throws Exception {
		List<Integer> order = new CopyOnWriteArrayList<>();
		Semaphore set = new Semaphore(0);
		this.timers.schedule(() -> {
			this.runs.release();
			set.acquireUninterruptibly();
		}, 0);
		// Otherwise the thread may first look when some of them are there.
		assertThat(this.runs.tryAcquire(60, TimeUnit.SECONDS)).isTrue();
		List<? extends Future<?>> all = IntStream.range(0, 10).mapToObj((i) -> this.timers.schedule(() -> {
			order.add(i);
			this.runs.release();
		}, -i * FAR_NANOS)).toList();
		all.get(3).cancel(false);
		set.release();
		assertThat(this.runs.tryAcquire(9, 60, TimeUnit.SECONDS)).isTrue();
		assertThat(order).containsExactly(9, 8, 7, 6, 5, 4, 2, 1, 0);
		this.timers.schedule(this.runs::release, FAR_NANOS).cancel(false);
		// A task is removed after it has run.
		await().until(() -> this.timers.size() == 0);
	}

	@Test
	void aTimerThatIsNotTheNextOneDoesNotWakeTheThread() throws Exception {
		CompletableFuture<Thread> found = new CompletableFuture<>();
		this.timers.schedule(() -> found.complete(Thread.currentThread()), 0);
		Thread thread = found.get(60, TimeUnit.SECONDS);
		ThreadMXBean threads = ManagementFactory.getThreadMXBean();
		long before = threads.getThreadInfo(thread.getId()).getWaitedCount();
		for (int i = 0; i < 500; i++) {
			await().pollInterval(Duration.ofNanos(1))
				.pollDelay(Duration.ZERO)
				.until(() -> thread.getState() == Thread.State.TIMED_WAITING);
			this.timers.schedule(this.runs::release, FAR_NANOS + i);
		}
		assertThat(threads.getThreadInfo(thread.getId()).getWaitedCount() - before).isLessThan(100);
	}

	@Test
	void nothingCanBeSetAfterTheEnd() {
		this.timers.stop();
		assertThatExceptionOfType(RejectedExecutionException.class)
			.isThrownBy(() -> this.timers.schedule(this.runs::release, 0));
	}

}
