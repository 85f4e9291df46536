package io.github.distlock.aop;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.distlock.DistributedLock;
import io.github.distlock.HeldLock;
import io.github.distlock.LockContext;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockLostException;
import io.github.distlock.LockRequest;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.test.FakeHeldLock;
import io.github.distlock.transaction.CommitGuard;
import io.github.distlock.transaction.CommitTerms;
import io.r2dbc.spi.ConnectionFactories;
import io.r2dbc.spi.ConnectionFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.r2dbc.connection.R2dbcTransactionManager;
import org.springframework.r2dbc.core.DatabaseClient;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.interceptor.TransactionAspectSupport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests locks inside and around real transactions: locked methods that are called, and
 * locked publishers that are subscribed to, inside a running transaction.
 */
@ExtendWith(OutputCaptureExtension.class)
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class LockTransactionTests {

	private static final JdbcTemplate JDBC = new JdbcTemplate(
			new DriverManagerDataSource("jdbc:h2:mem:kept;DB_CLOSE_DELAY=-1"));

	/** Of the same database. */
	private static final ConnectionFactory CONNECTIONS = ConnectionFactories.get("r2dbc:h2:mem:///kept");

	@AutoClose
	private static final AnnotationConfigApplicationContext keeping = application().start();

	private final Stock stock = keeping.getBean(Stock.class);

	private static LockedApplication application() {
		return LockedApplication.of(Transactions.class, Stock.class, LocalStoreApplication.class);
	}

	@BeforeEach
	void empty() {
		JDBC.execute("create table if not exists sales (sku varchar)");
		JDBC.execute("delete from sales");
	}

	private static List<String> sold() {
		return JDBC.queryForList("select sku from sales", String.class);
	}

	/** The work of a blocking transaction is done by its subscriber. */
	enum Kind {

		BLOCKING, REACTIVE;

		Mono<Void> sell(Stock stock, String sku) {
			return (this == REACTIVE) ? stock.reactive(sku) : Mono.fromRunnable(() -> stock.blocking(sku));
		}

		Mono<Void> fail(Stock stock, String sku) {
			return (this == REACTIVE) ? stock.reactiveFailure(sku)
					: Mono.fromRunnable(() -> stock.blockingFailure(sku));
		}

		<T> Mono<T> within(Stock stock, Mono<T> work) {
			return (this == REACTIVE) ? stock.within(work) : Mono.fromCallable(() -> stock.withinBlocking(work));
		}

	}

	@ParameterizedTest
	@EnumSource
	void aRunningTransactionKeepsTheLockUntilItHasCommitted(Kind kind, CapturedOutput output) {
		try (AnnotationConfigApplicationContext context = application().start()) {
			Stock warned = context.getBean(Stock.class);
			for (int i = 0; i < 2; i++) {
				Mono<Boolean> free = kind.sell(warned, "kept").then(warned.isFree("kept"));
				assertThat(kind.within(warned, free).block()).isFalse();
				assertThat(warned.isFree("kept").block()).isTrue();
			}
		}
		assertThat(sold()).containsExactly("kept", "kept");
		assertThat(output.getAll().split("\\(String\\) was called inside a running transaction", -1)).hasSize(2);
	}

	@Test
	void theLocksOfAFluxAreKeptToo() {
		Mono<Boolean> free = this.stock.all("f1", "f2").count().then(this.stock.isFree("f1"));
		assertThat(this.stock.within(free).block()).isFalse();
		assertThat(this.stock.isFree("f1").block()).isTrue();
	}

	@ParameterizedTest
	@EnumSource
	void aRunningTransactionKeepsTheLockUntilItHasRolledBack(Kind kind) {
		Mono<Void> work = kind.sell(this.stock, "back")
			.then(this.stock.isFree("back"))
			.flatMap((free) -> Mono.error(new IllegalStateException("free: " + free)));
		assertThatIllegalStateException().isThrownBy(kind.within(this.stock, work)::block).withMessage("free: false");
		assertThat(this.stock.isFree("back").block()).isTrue();
		assertThat(sold()).isEmpty();
	}

	@ParameterizedTest
	@EnumSource
	void theLockOfAMethodThatFailsIsKeptToo(Kind kind) {
		Mono<Boolean> free = kind.fail(this.stock, "fails")
			.then(Mono.just(true))
			.onErrorResume(IllegalStateException.class, (ex) -> this.stock.isFree("fails"));
		assertThat(kind.within(this.stock, free).block()).isFalse();
		assertThat(this.stock.isFree("fails").block()).isTrue();
	}

	@ParameterizedTest
	@EnumSource
	void aTransactionWhoseKeptLockIsLostIsRolledBack(Kind kind, CapturedOutput output) {
		Mono<Void> ended = kind.sell(this.stock, "ended").then(Mono.defer(this.stock::endLast));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(kind.within(this.stock, ended)::block)
			.withMessageContaining("was lost before its transaction committed");
		assertThat(sold()).isEmpty();
		assertThat(this.stock.isFree("ended").block()).isTrue();
		assertThat(output).contains("'ended' was kept for a transaction, which was rolled back");
	}

	@ParameterizedTest
	@EnumSource
	void theTransactionEntersALockAgainThatIsKeptForIt(Kind kind) {
		kind.within(this.stock, kind.sell(this.stock, "again").then(kind.sell(this.stock, "again"))).block();
		assertThat(sold()).containsExactly("again", "again");
		assertThat(this.stock.isFree("again").block()).isTrue();
	}

	/** Before it waits for its lock. */
	@ParameterizedTest
	@EnumSource
	void aRunningTransactionIsRefusedOnRequest(Kind kind) {
		try (AnnotationConfigApplicationContext context = application().with("on-active", "FAIL").start()) {
			Stock failing = context.getBean(Stock.class);
			context.getBean(BackendLockRegistry.class).acquireAsync(LockRequest.of("refused")).join();
			assertThatExceptionOfType(LockDefinitionException.class)
				.isThrownBy(kind.within(failing, kind.sell(failing, "refused"))::block)
				.withMessageContaining("distlock.transaction.on-active=fail");
			assertThat(sold()).isEmpty();
			kind.sell(failing, "outside").block();
			assertThat(sold()).containsExactly("outside");
		}
	}

	@ParameterizedTest
	@EnumSource
	void aRunningTransactionDoesNotKeepTheLockOnRequest(Kind kind) {
		try (AnnotationConfigApplicationContext context = application().with("on-active", "RELEASE").start()) {
			Stock releasing = context.getBean(Stock.class);
			Mono<Boolean> free = kind.sell(releasing, "released").then(releasing.isFree("released"));
			assertThat(kind.within(releasing, free).block()).isTrue();
			assertThat(sold()).containsExactly("released");
		}
	}

	@Test
	void aTransactionInsideDoesNotCommitWhenTheLeaseIsLost() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.stock.transactionInside(true))
			.withMessageContaining("The transaction is rolled back");
		assertThat(sold()).isEmpty();
		this.stock.transactionInside(false);
		assertThat(sold()).containsExactly("inside");
	}

	@Test
	void anOuterLockThatIsLostStopsTheCommitToo() {
		FakeHeldLock lost = FakeHeldLock.of("outer");
		lost.lose();
		try (LockContext.Scope outer = LockContext.open(lost)) {
			assertThat(outer).isNotNull();
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.stock.transactionInside(false))
				.withMessageContaining("'outer'");
			assertThat(sold()).isEmpty();
		}
	}

	@Test
	void aMethodInARunningTransactionThatLosesItsLeaseThrows() {
		Kind.BLOCKING.within(this.stock, Mono.fromRunnable(() -> {
			TransactionAspectSupport.currentTransactionStatus().setRollbackOnly();
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.stock.transactionInside(true))
				.withMessageContaining("was lost while the method ran");
		})).block();
	}

	@Test
	void aNewTransactionInsideARunningOneCommitsUnderTheLockWhichIsKeptForTheRunningOne() {
		Kind.BLOCKING.within(this.stock, Mono.fromRunnable(() -> {
			this.stock.newTransaction();
			TransactionAspectSupport.currentTransactionStatus().setRollbackOnly();
			assertThat(sold()).containsExactly("new");
			assertThat(this.stock.isFree("new").block()).isFalse();
		})).block();
		assertThat(this.stock.isFree("new").block()).isTrue();
		assertThat(sold()).containsExactly("new");
	}

	static class Stock {

		@Autowired
		private BackendLockRegistry locks;

		private final DatabaseClient client = DatabaseClient.create(CONNECTIONS);

		private volatile @Nullable HeldLock last;

		@Transactional("reactive")
		<T> Mono<T> within(Mono<T> work) {
			return work;
		}

		@Transactional
		<T> @Nullable T withinBlocking(Mono<T> work) {
			return work.block();
		}

		@DistributedLock(key = "#sku", waitTime = "0s")
		void blocking(String sku) {
			this.last = LockContext.current().orElseThrow();
			JDBC.update("insert into sales values (?)", sku);
		}

		@DistributedLock(key = "#sku", waitTime = "0s")
		void blockingFailure(String sku) {
			throw new IllegalStateException(sku);
		}

		@DistributedLock(key = "#sku", waitTime = "0s")
		Mono<Void> reactive(String sku) {
			this.last = LockContext.current().orElseThrow();
			return this.client.sql("insert into sales values ('" + sku + "')").then();
		}

		@DistributedLock(key = "#sku", waitTime = "0s")
		Mono<Void> reactiveFailure(String sku) {
			return Mono.error(new IllegalStateException(sku));
		}

		@DistributedLock(key = "{#first, #second}", waitTime = "0s")
		Flux<Integer> all(String first, String second) {
			return reactive(first).then(reactive(second)).thenMany(Flux.range(1, 2));
		}

		@Transactional
		@DistributedLock("'inside'")
		void transactionInside(boolean lose) {
			blocking("inside");
			if (lose) {
				endLast().block();
			}
		}

		@Transactional(propagation = Propagation.REQUIRES_NEW)
		@DistributedLock("'new'")
		void newTransaction() {
			blocking("new");
		}

		/**
		 * Ends the last lock as an operator does, and completes when its loss is known.
		 */
		Mono<Void> endLast() {
			HeldLock lock = Objects.requireNonNull(this.last);
			CompletableFuture<Void> lost = new CompletableFuture<>();
			lock.onLost(() -> lost.complete(null));
			this.locks.inspection().end(lock.key(), lock.fencingToken());
			return Mono.fromFuture(lost);
		}

		/** On another thread, so that no lock of this one is entered again. */
		Mono<Boolean> isFree(String sku) {
			return Mono
				.fromFuture(() -> CompletableFuture.supplyAsync(() -> LocalStoreApplication.isFree(this.locks, sku)));
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement
	static class Transactions {

		@Bean
		static CommitGuard commitGuard() {
			return new CommitGuard(() -> new CommitTerms(true, Duration.ZERO));
		}

		@Bean
		@Primary
		DataSourceTransactionManager blocking() {
			return new DataSourceTransactionManager(Objects.requireNonNull(JDBC.getDataSource()));
		}

		@Bean
		ReactiveTransactionManager reactive() {
			return new R2dbcTransactionManager(CONNECTIONS);
		}

	}

}
