package io.github.distlock.aop;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

import io.github.distlock.DistributedLock;
import io.github.distlock.HeldLock;
import io.github.distlock.LockContext;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockLostException;
import io.github.distlock.LockRequest;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.transaction.CommitGuard;
import io.github.distlock.transaction.CommitTerms;
import io.r2dbc.spi.ConnectionFactories;
import io.r2dbc.spi.ConnectionFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.r2dbc.connection.R2dbcTransactionManager;
import org.springframework.r2dbc.core.DatabaseClient;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests locked publishers that are subscribed to inside a running reactive transaction,
 * on a real database.
 */
@ExtendWith(OutputCaptureExtension.class)
class SubscribedTransactionTests {

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private static final DatabaseClient CLIENT = DatabaseClient.create(database());

	@AutoClose
	private static final AnnotationConfigApplicationContext keeping = application().start();

	private final Shop shop = keeping.getBean(Shop.class);

	private final Stock stock = keeping.getBean(Stock.class);

	private static ConnectionFactory database() {
		return ConnectionFactories.get("r2dbc:h2:mem:///subscribed?options=DB_CLOSE_DELAY=-1");
	}

	private static LockedApplication application() {
		return LockedApplication.of(Transactions.class, Stock.class, Shop.class, LocalStoreApplication.class);
	}

	@BeforeEach
	void empty() {
		CLIENT.sql("create table if not exists sales (sku varchar)").then().block(PATIENCE);
		CLIENT.sql("delete from sales").then().block(PATIENCE);
	}

	private static Iterable<String> sold() {
		return CLIENT.sql("select sku from sales")
			.mapValue(String.class)
			.all()
			.collectList()
			.blockOptional()
			.orElseThrow();
	}

	@Test
	void theLockIsKeptUntilTheTransactionHasCommitted(CapturedOutput output) {
		for (int i = 0; i < 2; i++) {
			assertThat(this.shop.within(this.stock.logged("kept").then(this.stock.isFree("kept"))).block(PATIENCE))
				.isFalse();
			assertThat(this.stock.isFree("kept").block(PATIENCE)).isTrue();
		}
		assertThat(sold()).containsExactly("kept", "kept");
		assertThat(output.getAll().split("Stock.logged\\(String\\) was called inside a running transaction", -1))
			.hasSize(2);
	}

	@Test
	void theLocksOfAFluxAreKeptToo() {
		assertThat(this.shop.within(this.stock.all("f1", "f2").count().then(this.stock.isFree("f1"))).block(PATIENCE))
			.isFalse();
		assertThat(this.stock.isFree("f1").block(PATIENCE)).isTrue();
	}

	@Test
	void theLockIsKeptForATransactionThatRollsBack() {
		assertThatIllegalStateException().isThrownBy(
				this.shop.within(this.stock.deduct("back").then(Mono.error(new IllegalStateException("mine"))))::block)
			.withMessage("mine");
		assertThat(this.stock.isFree("back").block(PATIENCE)).isTrue();
		assertThat(sold()).isEmpty();
	}

	@Test
	void theLockOfAMethodThatFailsIsKeptToo() {
		Mono<Boolean> free = this.stock.failing("fails")
			.then(Mono.just(true))
			.onErrorResume(IllegalStateException.class, (ex) -> this.stock.isFree("fails"));
		assertThat(this.shop.within(free).block(PATIENCE)).isFalse();
		assertThat(this.stock.isFree("fails").block(PATIENCE)).isTrue();
	}

	@Test
	void aTransactionWhoseKeptLockIsLostIsRolledBack() {
		Mono<Void> ended = this.stock.watched("ended").then(Mono.defer(this.stock::endWatched));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.shop.within(ended)::block)
			.withMessageContaining("was lost before its transaction committed");
		assertThat(sold()).isEmpty();
		assertThat(this.stock.isFree("ended").block(PATIENCE)).isTrue();
	}

	@Test
	void theTransactionEntersALockAgainThatIsKeptForIt() {
		this.shop.within(this.stock.deduct("again").then(this.stock.deduct("again"))).block(PATIENCE);
		assertThat(sold()).containsExactly("again", "again");
		assertThat(this.stock.isFree("again").block(PATIENCE)).isTrue();
	}

	@Test
	void theCallIsRefusedOnRequest() {
		try (AnnotationConfigApplicationContext context = application().with("on-active", "FAIL").start()) {
			Stock failing = context.getBean(Stock.class);
			assertThatExceptionOfType(LockDefinitionException.class)
				.isThrownBy(context.getBean(Shop.class).within(failing.deduct("refused"))::block)
				.withMessageContaining("distlock.transaction.on-active=fail");
			assertThat(sold()).isEmpty();
			failing.deduct("outside").block(PATIENCE);
			assertThat(sold()).containsExactly("outside");
		}
	}

	@Test
	void theLockIsReleasedWithThePublisherOnRequest() {
		try (AnnotationConfigApplicationContext context = application().with("on-active", "RELEASE").start()) {
			Stock releasing = context.getBean(Stock.class);
			assertThat(context.getBean(Shop.class)
				.within(releasing.deduct("released").then(releasing.isFree("released")))
				.block(PATIENCE)).isTrue();
			assertThat(sold()).containsExactly("released");
		}
	}

	static class Shop {

		@Transactional
		<T> Mono<T> within(Mono<T> work) {
			return work;
		}

	}

	static class Stock {

		private final BackendLockRegistry locks;

		private final DatabaseClient client;

		private volatile @Nullable HeldLock watched;

		Stock(BackendLockRegistry locks, DatabaseClient client) {
			this.locks = locks;
			this.client = client;
		}

		private Mono<Void> sell(String sku) {
			return this.client.sql("insert into sales values ('" + sku + "')").then();
		}

		@DistributedLock(key = "#sku", waitTime = "0s")
		Mono<Void> deduct(String sku) {
			return sell(sku);
		}

		@DistributedLock(key = "#sku", waitTime = "0s")
		Mono<Void> logged(String sku) {
			return sell(sku);
		}

		@DistributedLock(key = "{#first, #second}", waitTime = "0s")
		Flux<Integer> all(String first, String second) {
			return sell(first).then(sell(second)).thenMany(Flux.range(1, 2));
		}

		@DistributedLock(key = "#sku", waitTime = "0s")
		Mono<Void> failing(String sku) {
			return Mono.error(new IllegalStateException(sku));
		}

		@DistributedLock(key = "#sku", waitTime = "0s")
		Mono<Void> watched(String sku) {
			this.watched = LockContext.current().orElseThrow();
			return sell(sku);
		}

		/** Ends the lock as an operator does, and completes when its loss is known. */
		Mono<Void> endWatched() {
			HeldLock lock = Objects.requireNonNull(this.watched);
			CompletableFuture<Void> lost = new CompletableFuture<>();
			lock.onLost(() -> lost.complete(null));
			this.locks.inspection().end(lock.key(), lock.fencingToken());
			return Mono.fromFuture(lost);
		}

		Mono<Boolean> isFree(String sku) {
			return Mono.fromCallable(() -> this.locks.tryAcquire(LockRequest.of(sku).waitTime(Duration.ZERO)))
				.map((lock) -> {
					lock.ifPresent(HeldLock::close);
					return lock.isPresent();
				});
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
		ConnectionFactory connections() {
			return database();
		}

		@Bean
		ReactiveTransactionManager transactionManager(ConnectionFactory connections) {
			return new R2dbcTransactionManager(connections);
		}

		@Bean
		DatabaseClient client(ConnectionFactory connections) {
			return DatabaseClient.create(connections);
		}

	}

}
