package io.github.distlock.registry;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

import io.github.distlock.LockLostException;
import io.github.distlock.testing.RedisNodes;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/**
 * The contract of {@link java.util.concurrent.locks.Lock}.
 */
class LockViewTests extends TwoRegistries {

	@Test
	void theLockViewKeepsTheContractOfLock() throws Exception {
		Lock lock = this.one.obtain("view");
		assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
		lock.lock();
		assertThat(lock.tryLock()).isTrue();
		assertThat(this.one.obtain("view").tryLock(1, TimeUnit.SECONDS)).isTrue();
		Future<Boolean> other = this.threads.submit(() -> lock.tryLock());
		assertThat(other.get(10, TimeUnit.SECONDS)).isFalse();
		Future<?> thief = this.threads
			.submit(() -> assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class));
		thief.get(10, TimeUnit.SECONDS);
		lock.unlock();
		lock.unlock();
		assertThat(this.two.obtain("view").tryLock()).isFalse();
		lock.unlock();
		assertThat(this.two.obtain("view").tryLock(5, TimeUnit.SECONDS)).isTrue();
		this.two.obtain("view").unlock();
		assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
		assertThatThrownBy(lock::newCondition).isInstanceOf(UnsupportedOperationException.class);
	}

	@Test
	void theLockViewThrowsInterruptedExceptionAsLockRequires() throws Exception {
		Lock held = this.two.obtain("interruptible");
		held.lock();
		for (Callable<?> wait : List.<Callable<?>>of(() -> {
			this.one.obtain("interruptible").lockInterruptibly();
			return null;
		}, () -> this.one.obtain("interruptible").tryLock(20, TimeUnit.SECONDS))) {
			Future<?> waiter = this.threads.submit(() -> {
				Thread.currentThread().interrupt();
				return wait.call();
			});
			assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> waiter.get(10, TimeUnit.SECONDS))
				.withCauseInstanceOf(InterruptedException.class);
		}
		CountDownLatch locked = new CountDownLatch(1);
		Thread stubborn = new Thread(() -> {
			Lock lock = this.one.obtain("interruptible");
			lock.lock();
			if (Thread.currentThread().isInterrupted()) {
				locked.countDown();
			}
			lock.unlock();
		});
		stubborn.start();
		await().until(() -> this.events.waiting.get() == 1);
		stubborn.interrupt();
		held.unlock();
		assertThat(locked.await(10, TimeUnit.SECONDS)).isTrue();
		stubborn.join(10_000);
	}

	@Test
	void unlockAfterALostLeaseThrowsLockLostException() {
		BackendLockRegistry brief = redis.node(RedisNodes.settings(Duration.ofMillis(600)), List.of(this.events));
		Lock lock = brief.obtain("lost-view");
		lock.lock();
		lock.lock();
		redis.flush();
		await().atMost(Duration.ofSeconds(10)).until(() -> this.events.lost.size() == 1);
		assertThatThrownBy(lock::lock).isInstanceOf(LockLostException.class);
		assertThatThrownBy(lock::unlock).isInstanceOf(LockLostException.class);
		assertThatThrownBy(lock::unlock).isInstanceOf(LockLostException.class);
		assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
		assertThat(lock.tryLock()).isTrue();
		lock.unlock();
	}

}
