package io.github.distlock.environment;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.distlock.environment.EngineThreads.Pool;
import io.github.distlock.thread.LockThreads;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * When a pool starts more threads.
 */
class EngineThreadsTests {

	private final AtomicInteger created = new AtomicInteger();

	private final Semaphore begun = new Semaphore(0);

	private final Semaphore end = new Semaphore(0);

	/** The second thread cannot be created. */
	private final Pool pool = new Pool(1, 8, (task) -> {
		if (this.created.incrementAndGet() == 2) {
			throw new OutOfMemoryError("injected at the second thread");
		}
		return LockThreads.named("pool").newThread(task);
	});

	@AfterEach
	void stop() {
		this.end.release(100);
		this.pool.shutdownNow();
	}

	@Test
	void aTaskRunsAfterAnErrorHasEndedTheOnlyThreadAndNoOtherCouldBeCreated() throws Exception {
		this.pool.execute(() -> {
			this.end.acquireUninterruptibly();
			throw new OutOfMemoryError("injected at the task");
		});
		this.pool.execute(this.begun::release);
		this.pool.check();
		this.end.release();
		for (int i = 0; !this.begun.tryAcquire(100, TimeUnit.MILLISECONDS); i++) {
			assertThat(i).isLessThan(600);
			this.pool.check();
		}
		assertThat(this.created.get()).isGreaterThan(2);
	}

	@Test
	void manyQuickTasksNeedNoMoreThreads() {
		this.created.set(10);
		this.pool.execute(this::block);
		this.begun.acquireUninterruptibly();
		for (int i = 0; i < 100; i++) {
			// Each check finds a task that waits, but another one each time.
			this.pool.execute(this::block);
			this.pool.check();
			this.end.release();
			this.begun.acquireUninterruptibly();
		}
		assertThat(this.pool.getLargestPoolSize()).isEqualTo(1);
		this.pool.execute(this::block);
		this.pool.check();
		this.pool.check();
		this.begun.acquireUninterruptibly();
		assertThat(this.pool.getLargestPoolSize()).as("the same task waits").isEqualTo(2);
	}

	private void block() {
		this.begun.release();
		this.end.acquireUninterruptibly();
	}

}
