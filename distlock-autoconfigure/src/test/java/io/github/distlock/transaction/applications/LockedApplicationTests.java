package io.github.distlock.transaction.applications;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;

import javax.sql.DataSource;

import io.github.distlock.DistributedLock;
import io.github.distlock.HeldLock;
import io.github.distlock.LockContext;
import io.github.distlock.LockListener;
import io.github.distlock.LockLostException;
import io.github.distlock.backend.ControlledLock;
import io.github.distlock.testing.RedisTestServer;
import io.r2dbc.spi.ConnectionFactories;
import io.r2dbc.spi.ConnectionFactory;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Primary;
import org.springframework.core.task.support.ContextPropagatingTaskDecorator;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.r2dbc.connection.R2dbcTransactionManager;
import org.springframework.r2dbc.core.DatabaseClient;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.reactive.TransactionalOperator;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * An application with transaction managers of its own, a real Redis and a real database:
 * holders that pause for longer than their leases; work that was started under a lock and
 * commits after the lock was closed; and locked methods that are called while an
 * {@code EntityManager} is open on the thread, as it is in a web request by default.
 */
@ExtendWith(OutputCaptureExtension.class)
class LockedApplicationTests {

	private static final Duration PATIENCE = Duration.ofSeconds(20);

	private static final String DATABASE = "jdbc:h2:mem:shops;DB_CLOSE_DELAY=-1;DEFAULT_LOCK_TIMEOUT=60000";

	/** The same one. */
	private static final ConnectionFactory REACTIVE = ConnectionFactories.get("r2dbc:h2:mem://sa@localhost/shops");

	private static final String WARNING = "was called while an EntityManager is open on the thread";

	private static final RedisTestServer redis = RedisTestServer.start();

	/** Not part of any transaction. */
	private static final JdbcClient jdbc = JdbcClient.create(new DriverManagerDataSource(DATABASE, "sa", ""));

	@SuppressWarnings("NullAway.Init")
	private static ConfigurableApplicationContext byProperty;

	@SuppressWarnings("NullAway.Init")
	private static ConfigurableApplicationContext byDecorator;

	/** Is completed when the outer lock has been closed. */
	private final CompletableFuture<Void> closed = new CompletableFuture<>();

	private final AtomicReference<CompletableFuture<Void>> later = new AtomicReference<>();

	private final AtomicReference<HeldLock> outer = new AtomicReference<>();

	@BeforeAll
	static void start() {
		jdbc.sql("create table book (id bigint primary key, quantity int not null)").update();
		jdbc.sql("insert into book (id, quantity) values (1, 10)").update();
		byProperty = start("spring.task.execution.propagate-context=true", Application.class);
		byDecorator = start("spring.jpa.open-in-view=false", Application.class, ContextPropagatingTaskDecorator.class);
	}

	private static ConfigurableApplicationContext start(String property, Class<?>... sources) {
		return new SpringApplicationBuilder(sources).web(WebApplicationType.NONE)
			.run("--spring.data.redis.port=" + redis.port(), "--spring.datasource.url=" + DATABASE,
					"--spring.jpa.hibernate.ddl-auto=none", "--" + property);
	}

	@AfterAll
	static void stop() {
		byProperty.close();
		byDecorator.close();
		jdbc.sql("shutdown").update();
		redis.close();
	}

	@BeforeEach
	void restock() {
		jdbc.sql("update book set quantity = 10").update();
	}

	private static int stock() {
		return jdbc.sql("select quantity from book").query(Integer.class).single();
	}

	/** Has the same effect on the lock as a pause of the process. */
	private static void outliveTheLease() {
		HeldLock lock = LockContext.current().orElseThrow();
		ControlledLock.expireAfter(lock, Duration.ofMillis(100));
		Awaitility.await().atMost(PATIENCE).until(() -> !lock.isHeld());
	}

	@ParameterizedTest
	@EnumSource
	void theWorkOfAPausedHolderIsRolledBack(Manager manager) {
		Till till = byProperty.getBean(Till.class);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> manager.sale.accept(till, () -> {
			outliveTheLease();
			// As in another JVM, with a thread and a transaction of its own.
			assertThat(CompletableFuture.runAsync(() -> till.sellByJdbc(2, () -> {
			}))).succeedsWithin(PATIENCE);
		})).withMessageContaining("The transaction is rolled back");
		assertThat(stock()).isEqualTo(8);
	}

	@ParameterizedTest
	@EnumSource
	void theTransactionHasCommittedWhenTheLockIsReleased(Manager manager) {
		Released released = byProperty.getBean(Released.class);
		released.stock = -1;
		manager.sale.accept(byProperty.getBean(Till.class), () -> {
		});
		assertThat(released.stock).isEqualTo(9);
	}

	/** The transaction manager of a sale. */
	enum Manager {

		JDBC((till, afterReading) -> till.sellByJdbc(1, afterReading)),

		/** Its SQL is sent at the commit. */
		JPA(Till::sellByJpa);

		private final BiConsumer<Till, Runnable> sale;

		Manager(BiConsumer<Till, Runnable> sale) {
			this.sale = sale;
		}

	}

	/** Work that the locked method starts and does not wait for. */
	enum Scene {

		STAGE_OF_BLOCKING(Office::run, Clerk::lockedSale),

		STAGE_OF_STAGE((office, work) -> office.stage(work).join(), Clerk::lockedSale),

		PROPAGATED_BY_PROPERTY(Office::run, Clerk::asynchronousSale),

		PROPAGATED_BY_DECORATOR(Office::run, Clerk::asynchronousSale),

		REACTIVE_OF_BLOCKING(Office::run, Clerk::reactiveSale),

		REACTIVE_OF_PUBLISHER((office, work) -> office.publisher(work).block(PATIENCE), Clerk::reactiveSale);

		private final BiConsumer<Office, Runnable> around;

		private final BiFunction<Clerk, CompletableFuture<Void>, CompletableFuture<Void>> sale;

		Scene(BiConsumer<Office, Runnable> around,
				BiFunction<Clerk, CompletableFuture<Void>, CompletableFuture<Void>> sale) {
			this.around = around;
			this.sale = sale;
		}

		private <T> T bean(Class<T> type) {
			return ((this == PROPAGATED_BY_DECORATOR) ? byDecorator : byProperty).getBean(type);
		}

	}

	private void start(Scene scene) {
		this.outer.set(LockContext.current().orElseThrow());
		this.later.set(scene.sale.apply(scene.bean(Clerk.class), this.closed));
	}

	@ParameterizedTest
	@EnumSource
	void workThatOutlivesALockThatWasReleasedCommits(Scene scene) {
		scene.around.accept(scene.bean(Office.class), () -> start(scene));
		assertThat(this.outer.get().isReleased()).isTrue();
		this.closed.complete(null);
		assertThat(this.later.get()).succeedsWithin(PATIENCE);
		assertThat(stock()).isEqualTo(9);
	}

	@ParameterizedTest
	@EnumSource
	void workThatOutlivesALockThatWasLostAndThenClosedIsRolledBack(Scene scene) {
		Throwable thrown = catchThrowable(() -> scene.around.accept(scene.bean(Office.class), () -> {
			start(scene);
			outliveTheLease();
		}));
		assertThat((scene == Scene.STAGE_OF_STAGE) ? thrown.getCause() : thrown).isInstanceOf(LockLostException.class);
		assertThat(this.outer.get().isReleased()).isFalse();
		this.closed.complete(null);
		assertThat(this.later.get()).failsWithin(PATIENCE)
			.withThrowableThat()
			.havingRootCause()
			.isInstanceOf(LockLostException.class)
			.withMessageMatching("Lock 'outer' \\(token \\d+\\) was lost before its transaction committed.*");
		assertThat(stock()).isEqualTo(10);
	}

	@Test
	void aLostLockThatIsNotYetClosedPreventsTheCommitToo() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> byProperty.getBean(Office.class).run(() -> {
			start(Scene.PROPAGATED_BY_PROPERTY);
			outliveTheLease();
			this.closed.complete(null);
			assertThat(this.later.get()).failsWithin(PATIENCE);
		}));
		assertThat(stock()).isEqualTo(10);
	}

	@Test
	void aCallWithAnOpenEntityManagerCausesOneWarningAndOtherCallsNone(CapturedOutput output) {
		Shelf shelf = byProperty.getBean(Shelf.class);
		shelf.count();
		assertThat(output).doesNotContain(WARNING);
		inView(shelf::count);
		inView(shelf::count);
		assertThat(output.getAll().split("Shelf.count\\(\\) " + WARNING, -1)).hasSize(2);
		assertThat(output).contains("spring.jpa.open-in-view");
	}

	@Test
	void aCallAfterTheCommitReadsAgainInANewTransactionOnly() {
		Checkout checkout = byProperty.getBean(Checkout.class);
		checkout.buy();
		assertThat(checkout.seen()).as("without, and with a new transaction").containsExactly(10, 7);
	}

	/** Binds an entity manager as Spring's OpenEntityManagerInViewInterceptor does. */
	private static void inView(Runnable request) {
		EntityManagerFactory factory = byProperty.getBean(EntityManagerFactory.class);
		EntityManager manager = factory.createEntityManager();
		TransactionSynchronizationManager.bindResource(factory, new EntityManagerHolder(manager));
		try {
			request.run();
		}
		finally {
			TransactionSynchronizationManager.unbindResource(factory);
			manager.close();
		}
	}

	/** Runs work under a lock. */
	static class Office {

		@DistributedLock("'outer'")
		void run(Runnable work) {
			work.run();
		}

		@DistributedLock("'outer'")
		CompletableFuture<Void> stage(Runnable work) {
			work.run();
			return CompletableFuture.completedFuture(null);
		}

		@DistributedLock("'outer'")
		Mono<Void> publisher(Runnable work) {
			work.run();
			return Mono.empty();
		}

	}

	/** Sells a book when a gate opens. */
	static class Clerk {

		private static final String SALE = "update book set quantity = quantity - 1";

		private final Cashier cashier;

		private final TransactionalOperator reactive;

		Clerk(Cashier cashier, ReactiveTransactionManager manager) {
			this.cashier = cashier;
			this.reactive = TransactionalOperator.create(manager);
		}

		@DistributedLock("'clerk'")
		CompletableFuture<Void> lockedSale(CompletableFuture<Void> gate) {
			this.cashier.sell(gate);
			return CompletableFuture.completedFuture(null);
		}

		@Async
		CompletableFuture<Void> asynchronousSale(CompletableFuture<Void> gate) {
			this.cashier.sell(gate);
			return CompletableFuture.completedFuture(null);
		}

		CompletableFuture<Void> reactiveSale(CompletableFuture<Void> gate) {
			Mono<Void> sale = Mono.fromFuture(gate).then(DatabaseClient.create(REACTIVE).sql(SALE).then());
			return this.reactive.transactional(sale).toFuture();
		}

	}

	static class Cashier {

		@Autowired
		private JdbcClient client;

		@Transactional(transactionManager = "jdbc", propagation = Propagation.REQUIRES_NEW)
		void sell(CompletableFuture<Void> gate) {
			assertThat(gate).succeedsWithin(PATIENCE);
			this.client.sql(Clerk.SALE).update();
		}

	}

	/** Reads the stock and writes the rest, under a lock. */
	static class Till {

		@Autowired
		private JdbcClient client;

		@Autowired
		private EntityManager entities;

		@Transactional("jdbc")
		@DistributedLock(key = "'book'", waitTime = "20s")
		void sellByJdbc(int amount, Runnable afterReading) {
			int quantity = this.client.sql("select quantity from book").query(Integer.class).single();
			afterReading.run();
			this.client.sql("update book set quantity = ?").param(quantity - amount).update();
		}

		@Transactional
		@DistributedLock(key = "'book'", waitTime = "20s")
		void sellByJpa(Runnable afterReading) {
			Book book = this.entities.find(Book.class, 1L);
			afterReading.run();
			book.quantity--;
		}

	}

	static class Shelf {

		@Autowired
		private EntityManager entities;

		@DistributedLock("'shelf'")
		void count() {
		}

		@DistributedLock("'shelf'")
		int recount() {
			return this.entities.find(Book.class, 1L).quantity;
		}

		@DistributedLock("'shelf'")
		@Transactional(propagation = Propagation.REQUIRES_NEW)
		int recountInNewTransaction() {
			return this.entities.find(Book.class, 1L).quantity;
		}

	}

	/** Reads the stock, and works under a lock after the commit. */
	static class Checkout {

		private final List<Integer> seen = new ArrayList<>();

		@Autowired
		private EntityManager entities;

		@Autowired
		private Shelf shelf;

		@Autowired
		private ApplicationEventPublisher events;

		List<Integer> seen() {
			return List.copyOf(this.seen);
		}

		@Transactional
		void buy() {
			this.seen.clear();
			this.entities.find(Book.class, 1L);
			this.events.publishEvent("bought");
		}

		@TransactionalEventListener
		void bought(String event) {
			jdbc.sql("update book set quantity = 7").update();
			this.seen.add(this.shelf.recount());
			this.seen.add(this.shelf.recountInNewTransaction());
		}

	}

	/** The stock at the last release. */
	static class Released implements LockListener {

		private volatile int stock;

		@Override
		public void onReleased(LockListener.Released event) {
			this.stock = stock();
		}

	}

	@Entity(name = "book")
	static class Book {

		@Id
		private long id;

		private int quantity;

		protected Book() {
		}

	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableAsync(proxyTargetClass = true)
	@Import({ Office.class, Clerk.class, Cashier.class, Till.class, Shelf.class, Checkout.class, Released.class })
	static class Application {

		@Bean
		@Primary
		JpaTransactionManager transactionManager(EntityManagerFactory factory) {
			return new JpaTransactionManager(factory);
		}

		@Bean(name = "jdbc")
		JdbcTransactionManager jdbcTransactionManager(DataSource dataSource) {
			return new JdbcTransactionManager(dataSource);
		}

		@Bean
		ReactiveTransactionManager reactiveTransactionManager() {
			return new R2dbcTransactionManager(REACTIVE);
		}

	}

}
