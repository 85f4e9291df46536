package io.github.distlock.integration;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Arrays;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Lock;

import io.github.distlock.HeldLock;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockLostException;
import io.github.distlock.LockRequest;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.testing.RedisNodes;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.integration.aggregator.AggregatingMessageHandler;
import org.springframework.integration.aggregator.DefaultAggregatingMessageGroupProcessor;
import org.springframework.integration.channel.QueueChannel;
import org.springframework.integration.config.EnableIntegration;
import org.springframework.integration.support.MessageBuilder;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.integration.util.UUIDConverter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Locks of Spring Integration in Redis.
 */
class IntegrationLockRegistryTests {

	@AutoClose
	private static final RedisNodes redis = RedisNodes.start();

	@AutoClose("shutdownNow")
	private final ExecutorService threads = Executors.newCachedThreadPool();

	private final BackendLockRegistry registry = redis.node();

	private final LockRegistry<Lock> locks = new IntegrationLockRegistry(this.registry);

	@Test
	void theLockOfAKeyIsThatOfItsText() throws Exception {
		UUID key = UUID.randomUUID();
		this.locks.obtain(key).lock();
		assertThat(isFree(key.toString())).isFalse();
		assertThat(this.locks.obtain(key.toString()).tryLock(0, TimeUnit.SECONDS)).isTrue();
		this.locks.obtain(key).unlock();
		assertThat(isFree(key.toString())).isFalse();
		this.locks.obtain(key).unlock();
		assertThat(isFree(key.toString())).isTrue();
		this.locks.obtain(7).lockInterruptibly();
		assertThat(isFree("7")).isFalse();
		this.locks.obtain(7).unlock();
	}

	@Test
	@SuppressWarnings("NullAway")
	void aKeyWithoutATextOfItsOwnIsRefusedAsInAKeyExpression() {
		for (Object key : Arrays.asList(null, new Object(), List.of("a"), new java.sql.Timestamp(0))) {
			assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> this.locks.obtain(key))
				.withMessageStartingWith("The key of a lock of Spring Integration is ");
		}
		assertThat(this.locks.obtain(new BigDecimal("1.50"))).isEqualTo(this.locks.obtain("1.5"));
	}

	@Test
	void twoLocksOfAKeyAreEqual() {
		assertThat(this.locks.obtain("a")).isEqualTo(this.locks.obtain("a"))
			.hasSameHashCodeAs(this.locks.obtain("a"))
			.isNotEqualTo(this.locks.obtain("b"))
			.isNotEqualTo(new IntegrationLockRegistry(redis.node()).obtain("a"));
		assertThat(this.registry.obtain("a")).isEqualTo(this.registry.obtain("a")).hasToString("Lock[a]");
	}

	@Test
	void aLostLockIsReportedAsTheRegistriesOfSpringIntegrationDo() {
		BackendLockRegistry brief = redis.node(RedisNodes.settings(Duration.ofSeconds(9)), List.of());
		Lock lock = new IntegrationLockRegistry(brief).obtain("lost");
		assertThat(lock.tryLock()).isTrue();
		HeldLock sameLock = brief.acquire(LockRequest.of("lost"));
		redis.flush();
		await().atMost(Duration.ofMinutes(5)).until(() -> !sameLock.isHeld());
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::tryLock);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(sameLock::close);
		assertThatExceptionOfType(ConcurrentModificationException.class).isThrownBy(lock::unlock)
			.withMessageContaining("'lost'")
			.withCauseInstanceOf(LockLostException.class);
		assertThat(lock.tryLock()).isTrue();
		lock.unlock();
	}

	@Test
	void onlyTheOwnerUnlocksAndThereAreNoConditions() {
		Lock lock = this.locks.obtain("free");
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
		assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(lock::newCondition);
	}

	@Test
	void aTaskUnderALockWaitsAsLongAsItMay() throws Exception {
		assertThat(this.locks.<String, RuntimeException>executeLocked("task", () -> isFree("task") ? "free" : "locked"))
			.isEqualTo("locked");
		try (HeldLock other = redis.node().acquire(LockRequest.of("task"))) {
			assertThatExceptionOfType(TimeoutException.class).isThrownBy(
					() -> this.locks.executeLocked("task", Duration.ofMillis(50), () -> assertThat(other).isNull()));
			assertThat(other.isHeld()).isTrue();
		}
	}

	@Test
	void anAggregatorWaitsForAnotherJvmThatHandlesTheSameGroup() throws Exception {
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext(Integration.class)) {
			QueueChannel output = new QueueChannel();
			AggregatingMessageHandler aggregator = new AggregatingMessageHandler(
					new DefaultAggregatingMessageGroupProcessor());
			aggregator.setLockRegistry(this.locks);
			aggregator.setOutputChannel(output);
			aggregator.setBeanFactory(context);
			aggregator.afterPropertiesSet();
			String key = UUIDConverter.getUUID("order-7").toString();
			HeldLock other = redis.node().acquire(LockRequest.of(key));
			Future<?> message = this.threads.submit(() -> aggregator.handleMessage(MessageBuilder.withPayload("book")
				.setCorrelationId("order-7")
				.setSequenceSize(1)
				.setSequenceNumber(1)
				.build()));
			await().atMost(Duration.ofMinutes(5)).until(() -> this.registry.snapshot().waiting().size() == 1);
			assertThat(output.receive(0)).isNull();
			other.close();
			message.get(5, TimeUnit.MINUTES);
			assertThat(output.receive(0)).isNotNull();
			assertThat(isFree(key)).isTrue();
		}
	}

	/** Asynchronously, so that no lock of this thread is entered again. */
	private boolean isFree(String key) {
		Optional<HeldLock> lock = this.registry.tryAcquireAsync(LockRequest.of(key).waitTime(Duration.ZERO)).join();
		lock.ifPresent(HeldLock::close);
		return lock.isPresent();
	}

	@EnableIntegration
	static class Integration {

	}

}
