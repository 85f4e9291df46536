package io.github.distlock.aop;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.github.distlock.DistributedLock;
import io.github.distlock.HeldLock;
import io.github.distlock.LockContext;
import io.github.distlock.LockLostException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.resilience.annotation.ConcurrencyLimit;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests the lock together with other advice of Spring: retries, caches, transactions.
 */
class AdviceCombinationTests {

	private final AnnotationConfigApplicationContext context = LockedApplication.of(Everything.class, Orders.class)
		.start();

	private final InMemoryLocks locks = this.context.getBean(InMemoryLocks.class);

	private final Orders orders = this.context.getBean(Orders.class);

	@AfterEach
	void stop() {
		this.context.close();
	}

	@Test
	void aScheduledMethodIsLocked() throws Exception {
		try (AnnotationConfigApplicationContext scheduling = LockedApplication.of(Scheduling.class).start()) {
			assertThat(scheduling.getBean(Scheduling.class).ran().get(10, TimeUnit.SECONDS)).isEqualTo("scheduled");
		}
	}

	@Test
	void theThreadThatDoesTheWorkOfAnAsynchronousMethodHoldsItsLock() throws Exception {
		CompletableFuture<String> released = new CompletableFuture<>();
		CountDownLatch submitted = new CountDownLatch(1);
		this.locks.onRelease = () -> released.complete(Thread.currentThread().getName());
		this.orders.asynchronous(submitted);
		assertThat(LockContext.current()).isEmpty();
		assertThat(released).isNotDone();
		submitted.countDown();
		assertThat(released.get(10, TimeUnit.SECONDS)).startsWith("orders-");
	}

	@Test
	void aCallThatWaitsForItsTurnHoldsNoLock() throws Exception {
		CountDownLatch inside = new CountDownLatch(1);
		CountDownLatch leave = new CountDownLatch(1);
		Thread first = new Thread(() -> this.orders.limited(inside, leave));
		first.start();
		assertThat(inside.await(10, TimeUnit.SECONDS)).isTrue();
		Thread second = new Thread(() -> this.orders.limited(inside, leave));
		second.start();
		Awaitility.await().until(second::getState, Thread.State.WAITING::equals);
		assertThat(this.locks.requests).hasSize(1);
		leave.countDown();
		first.join(10_000);
		second.join(10_000);
		assertThat(this.locks.requests).hasSize(2);
	}

	@Test
	void aTransactionThatLostItsLockIsTriedAgainUnderANewOne() {
		this.orders.retried();
		assertThat(this.locks.events).containsExactly("acquire retried", "transaction true", "release retried",
				"acquire retried", "transaction true", "release retried");
		assertThat(this.context.getBean(JdbcTemplate.class).queryForObject("select count(*) from stock", Integer.class))
			.isOne();
	}

	@Test
	void aCachedResultNeedsNoTransaction() {
		this.orders.cached();
		this.orders.cached();
		assertThat(this.locks.events).containsExactly("acquire cached", "transaction true", "release cached",
				"acquire cached", "release cached");
	}

	static class Orders {

		private final ObjectProvider<InMemoryLocks> locks;

		private final JdbcTemplate jdbc;

		private boolean tried;

		Orders(ObjectProvider<InMemoryLocks> locks, JdbcTemplate jdbc) {
			this.locks = locks;
			this.jdbc = jdbc;
		}

		@Async
		@DistributedLock("'async'")
		void asynchronous(CountDownLatch submitted) {
			await(submitted);
		}

		@ConcurrencyLimit(1)
		@DistributedLock("'limited'")
		void limited(CountDownLatch inside, CountDownLatch leave) {
			inside.countDown();
			await(leave);
		}

		@Retryable(maxRetries = 1, delay = 0, includes = LockLostException.class)
		@DistributedLock("'retried'")
		@Transactional
		void retried() {
			note();
			this.jdbc.execute("insert into stock values (1)");
			if (!this.tried) {
				this.locks.getObject().loseAll();
			}
			this.tried = true;
		}

		@Cacheable("orders")
		@DistributedLock("'cached'")
		@Transactional
		String cached() {
			note();
			return "cached";
		}

		private void note() {
			this.locks.getObject().events
				.add("transaction " + TransactionSynchronizationManager.isActualTransactionActive());
		}

		private static void await(CountDownLatch latch) {
			try {
				assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	static class Scheduling {

		private final CompletableFuture<String> ran = new CompletableFuture<>();

		@Bean
		Runnable job() {
			return new Job(this.ran);
		}

		CompletableFuture<String> ran() {
			return this.ran;
		}

	}

	static class Job implements Runnable {

		private final CompletableFuture<String> ran;

		Job(CompletableFuture<String> ran) {
			this.ran = ran;
		}

		@Override
		@Scheduled(fixedDelay = 1, timeUnit = TimeUnit.HOURS)
		@DistributedLock("'scheduled'")
		public void run() {
			this.ran.complete(LockContext.current().map(HeldLock::key).orElse("unlocked"));
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import(GuardedDatabase.class)
	@EnableAsync
	@EnableCaching
	@EnableResilientMethods
	@EnableTransactionManagement
	static class Everything {

		@Bean
		CacheManager cacheManager() {
			return new ConcurrentMapCacheManager();
		}

		@Bean
		SimpleAsyncTaskExecutor taskExecutor() {
			return new SimpleAsyncTaskExecutor("orders-");
		}

	}

}
