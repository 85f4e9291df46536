package io.github.distlock.registry;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

import io.github.distlock.LockBackendException;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockLostException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * The contract of {@link Lock} over two stores, each a real server of its own.
 */
class CompositeLockTests extends TwoServers {

	private Lock lock;

	private Lock rival;

	private ExecutorService threads;

	@BeforeEach
	void setUp() {
		this.lock = this.both.obtain(KEY);
		this.rival = secondServer.node().obtain(KEY);
		this.threads = Executors.newCachedThreadPool();
	}

	@AfterEach
	void tearDown() {
		this.threads.shutdownNow();
	}

	@Test
	void viewsAreInterchangeableAndReentrantAndOwnedByTheirThread() throws Exception {
		this.lock.lock();
		assertThat(this.lock.tryLock()).isTrue();
		assertThat(this.both.obtain(KEY).tryLock(1, TimeUnit.SECONDS)).isTrue();
		assertLocked(true, true);
		Future<Boolean> other = this.threads.submit(() -> this.lock.tryLock());
		assertThat(other.get(10, TimeUnit.SECONDS)).isFalse();
		this.threads
			.submit(() -> assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(this.lock::unlock))
			.get(10, TimeUnit.SECONDS);
		this.lock.unlock();
		this.both.obtain(KEY).unlock();
		assertLocked(true, true);
		this.lock.unlock();
		assertLocked(false, false);
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(this.lock::unlock);
		assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(this.lock::newCondition);
	}

	@Test
	void theFirstIsReleasedIfTheSecondIsNotAcquired() throws Exception {
		this.rival.lock();
		assertThat(this.lock.tryLock()).isFalse();
		assertLocked(false, true);
		assertThat(this.lock.tryLock(50, TimeUnit.MILLISECONDS)).isFalse();
		assertLocked(false, true);
		this.rival.unlock();
		assertThat(this.lock.tryLock(20, TimeUnit.SECONDS)).isTrue();
		this.lock.unlock();
	}

	@Test
	void aFailureOfTheSecondReleasesTheFirst() {
		this.second.shutdown();
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(this.lock::lock);
		assertLocked(false, false);
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(this.lock::tryLock);
		assertLocked(false, false);
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(this.lock::unlock);
	}

	@Test
	void anInterruptDuringTheWaitForTheSecondReleasesTheFirst() throws Exception {
		this.rival.lock();
		for (int i = 0; i < 2; i++) {
			boolean timed = i == 0;
			Thread[] thread = new Thread[1];
			Future<?> waiter = this.threads.submit(() -> {
				thread[0] = Thread.currentThread();
				if (timed) {
					return this.lock.tryLock(20, TimeUnit.SECONDS);
				}
				this.lock.lockInterruptibly();
				return true;
			});
			await().until(() -> this.secondEvents.waiting.get() == 1);
			thread[0].interrupt();
			assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> waiter.get(10, TimeUnit.SECONDS))
				.withCauseInstanceOf(InterruptedException.class);
			assertLocked(false, true);
		}
		this.rival.unlock();
	}

	@Test
	void unlockAfterALossInOneThrowsLockLostExceptionAndReleasesTheOther() {
		this.lock.lock();
		secondServer.flush();
		await().until(() -> this.secondEvents.lost.size() == 1);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.lock::unlock);
		assertLocked(false, false);
		this.lock.lock();
		assertLocked(true, true);
		this.lock.unlock();
	}

	@Test
	void aKeyThatNoStoreSupportsIsRefused() {
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> this.both.obtain(" "));
	}

}
