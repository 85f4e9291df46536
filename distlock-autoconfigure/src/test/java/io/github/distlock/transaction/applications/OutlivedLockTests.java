package io.github.distlock.transaction.applications;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import io.github.distlock.DistributedLock;
import io.github.distlock.HeldLock;
import io.github.distlock.LockContext;
import io.github.distlock.LockLostException;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.task.support.ContextPropagatingTaskDecorator;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Transactions of work that was started under a lock and that commits after the lock was
 * closed, in applications with a real Redis and a real database.
 */
class OutlivedLockTests {

	private static final Duration PATIENCE = Duration.ofSeconds(20);

	@AutoClose
	private static final Shops shops = new Shops();

	private static final ConfigurableApplicationContext byProperty = shops
		.open(List.of(JdbcApplication.class, Work.class), "--spring.task.execution.propagate-context=true");

	private static final ConfigurableApplicationContext byDecorator = shops
		.open(List.of(JdbcApplication.class, Work.class, Decorating.class));

	/** Opens when the outer lock has been closed. */
	private final CountDownLatch closed = new CountDownLatch(1);

	private final AtomicReference<CompletableFuture<Void>> later = new AtomicReference<>();

	private final AtomicReference<HeldLock> outer = new AtomicReference<>();

	@BeforeEach
	void restock() {
		shops.restock();
	}

	/** Work that the locked method starts and does not wait for. */
	enum Scene {

		STAGE_OF_BLOCKING(false, Clerk::lockedSale),

		STAGE_OF_STAGE(true, Clerk::lockedSale),

		PROPAGATED_BY_PROPERTY(false, Clerk::asynchronousSale),

		PROPAGATED_BY_DECORATOR(false, Clerk::asynchronousSale);

		private final boolean asynchronous;

		private final Start start;

		Scene(boolean asynchronous, Start start) {
			this.asynchronous = asynchronous;
			this.start = start;
		}

		private <T> T bean(Class<T> type) {
			return ((this == PROPAGATED_BY_DECORATOR) ? byDecorator : byProperty).getBean(type);
		}

		private void run(Runnable work, boolean briefly) {
			Office office = bean(Office.class);
			if (this.asynchronous) {
				(briefly ? office.brieflyAsync(work) : office.withinAsync(work)).join();
			}
			else if (briefly) {
				office.briefly(work);
			}
			else {
				office.within(work);
			}
		}

	}

	private interface Start {

		CompletableFuture<Void> sale(Clerk clerk, CountDownLatch gate);

	}

	private void start(Scene scene) {
		this.outer.set(LockContext.current().orElseThrow());
		this.later.set(scene.start.sale(scene.bean(Clerk.class), this.closed));
	}

	@ParameterizedTest
	@EnumSource
	void workThatOutlivesALockThatWasReleasedCommits(Scene scene) {
		scene.run(() -> start(scene), false);
		assertThat(this.outer.get().isReleased()).isTrue();
		this.closed.countDown();
		assertThat(this.later.get()).succeedsWithin(PATIENCE);
		assertThat(shops.stock()).isEqualTo(9);
	}

	@ParameterizedTest
	@EnumSource
	void workThatOutlivesALockThatWasLostAndThenClosedIsRolledBack(Scene scene) {
		Throwable thrown = catchThrowable(() -> scene.run(() -> {
			start(scene);
			Shops.outliveTheLease();
		}, true));
		assertThat((scene.asynchronous) ? thrown.getCause() : thrown).isInstanceOf(LockLostException.class);
		assertThat(this.outer.get().isReleased()).isFalse();
		this.closed.countDown();
		assertThat(this.later.get()).failsWithin(PATIENCE)
			.withThrowableThat()
			.havingRootCause()
			.isInstanceOf(LockLostException.class)
			.withMessageMatching("Lock 'outer' \\(token \\d+\\) was lost before its transaction committed.*");
		assertThat(shops.stock()).isEqualTo(10);
	}

	@Test
	void aLostLockThatIsNotYetClosedPreventsTheCommitToo() {
		Office office = byProperty.getBean(Office.class);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> office.briefly(() -> {
			start(Scene.PROPAGATED_BY_PROPERTY);
			Shops.outliveTheLease();
			this.closed.countDown();
			assertThat(this.later.get()).failsWithin(PATIENCE);
		}));
		assertThat(shops.stock()).isEqualTo(10);
	}

	static class Office {

		@DistributedLock("'outer'")
		void within(Runnable work) {
			work.run();
		}

		@DistributedLock(key = "'outer'", leaseTime = "200ms")
		void briefly(Runnable work) {
			work.run();
		}

		@DistributedLock("'outer'")
		CompletableFuture<Void> withinAsync(Runnable work) {
			work.run();
			return CompletableFuture.completedFuture(null);
		}

		@DistributedLock(key = "'outer'", leaseTime = "200ms")
		CompletableFuture<Void> brieflyAsync(Runnable work) {
			work.run();
			return CompletableFuture.completedFuture(null);
		}

	}

	static class Clerk {

		private final Cashier cashier;

		Clerk(Cashier cashier) {
			this.cashier = cashier;
		}

		@DistributedLock("'clerk'")
		CompletableFuture<Void> lockedSale(CountDownLatch gate) {
			this.cashier.sell(gate);
			return CompletableFuture.completedFuture(null);
		}

		@Async
		CompletableFuture<Void> asynchronousSale(CountDownLatch gate) {
			this.cashier.sell(gate);
			return CompletableFuture.completedFuture(null);
		}

	}

	static class Cashier {

		private final JdbcClient jdbc;

		Cashier(JdbcClient jdbc) {
			this.jdbc = jdbc;
		}

		@Transactional(propagation = Propagation.REQUIRES_NEW)
		void sell(CountDownLatch gate) {
			try {
				assertThat(gate.await(20, TimeUnit.SECONDS)).isTrue();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
			this.jdbc.sql("update book set quantity = quantity - 1 where id = 1").update();
		}

	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAsync(proxyTargetClass = true)
	@Import({ Office.class, Clerk.class, Cashier.class })
	static class Work {

	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	static class Decorating {

		@Bean
		ContextPropagatingTaskDecorator contextPropagation() {
			return new ContextPropagatingTaskDecorator();
		}

	}

}
