package io.github.distlock.backend.jdbc;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Stream;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.github.distlock.DistributedLock;
import io.github.distlock.FencingToken;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockMode;
import io.github.distlock.backend.jdbc.TransactionShop.Sales;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Methods and transactions that do not fit the store {@code transaction}.
 */
class TransactionRefusalTests {

	private static final List<String> STORE = List.of("distlock.backend=transaction");

	private final List<TransactionShop> open = new ArrayList<>();

	@AfterEach
	void close() {
		this.open.forEach(TransactionShop::close);
	}

	private TransactionShop start(HikariDataSource pool, List<String> properties,
			Consumer<AnnotationConfigApplicationContext> beans) {
		TransactionShop shop = new TransactionShop(pool, properties, beans);
		this.open.add(shop);
		return shop;
	}

	static Stream<Arguments> refusals() {
		return Stream.of(Arguments.of(WithoutTransaction.class, "write @Transactional on the method"),
				Arguments.of(Supports.class, "REQUIRED, REQUIRES_NEW or MANDATORY"),
				Arguments.of(NotSupported.class, "REQUIRED, REQUIRES_NEW or MANDATORY"),
				Arguments.of(Never.class, "REQUIRED, REQUIRES_NEW or MANDATORY"),
				Arguments.of(Nested.class, "REQUIRED, REQUIRES_NEW or MANDATORY"),
				Arguments.of(ReadOnly.class, "remove readOnly"), Arguments.of(Repeatable.class, "remove isolation"),
				Arguments.of(Lease.class, "has no lease: leave both out"),
				Arguments.of(MinHold.class, "has no lease: leave both out"),
				Arguments.of(Permits.class, "leave permits out"), Arguments.of(Fair.class, "leave fair out"),
				Arguments.of(Reader.class, "use one of [EXCLUSIVE]"),
				Arguments.of(Token.class, "has no token: remove it"),
				Arguments.of(Later.class, "lock a synchronous method"),
				Arguments.of(OtherManager.class, "does not work with the DataSource of the store"),
				Arguments.of(OtherManagerOfItsClass.class, "does not work with the DataSource of the store"));
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource("refusals")
	void theStartSaysWhatDoesNotFit(Class<?> bean, String remedy) {
		assertThat(failureOf(STORE, bean)).isInstanceOf(LockDefinitionException.class)
			.hasMessageContaining(remedy)
			.hasMessageContaining("'transaction'")
			.hasMessageContaining(bean.getSimpleName());
	}

	@Test
	void theStartRefusesToReleaseBeforeTheCommit() {
		assertThat(failureOf(List.of("distlock.backend=transaction", "distlock.transaction.on-active=release"),
				Sales.class))
			.hasMessageContaining("remove distlock.transaction.on-active=release");
	}

	private Throwable failureOf(List<String> properties, Class<?> bean) {
		return NestedExceptionUtils
			.getMostSpecificCause(catchThrowable(() -> start(TestDatabase.h2().pool(2), properties, (context) -> {
				context.register(bean);
				context.registerBean("other", JdbcTransactionManager.class,
						() -> new JdbcTransactionManager(new DriverManagerDataSource("jdbc:h2:mem:other")),
						(definition) -> definition.setPrimary(false));
			})));
	}

	@Test
	void aBeanThatIsCreatedLaterIsRefusedWhenItIsCalled() {
		TransactionShop shop = start(TestDatabase.h2().pool(2), STORE, (context) -> context
			.registerBean(WithoutTransaction.class, (definition) -> definition.setLazyInit(true)));
		WithoutTransaction late = shop.context.getBean(WithoutTransaction.class);
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(late::run)
			.withMessageContaining("write @Transactional on the method");
	}

	@Test
	void theStoreMayBeThatOfSingleMethods() {
		TransactionShop shop = start(TestDatabase.h2().pool(2),
				List.of("distlock.backend=local", "distlock.transaction.enabled=true"),
				(context) -> context.register(Named.class, WithoutTransaction.class));
		shop.context.getBean(Named.class).run();
		shop.context.getBean(WithoutTransaction.class).run();
	}

	/** The default of a session may be stronger, which the start does not know. */
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void aSessionWithAStrongerIsolationIsRefusedAtTheBegin(boolean isH2) {
		HikariConfig settings = (isH2 ? TestDatabase.h2() : TestDatabase.postgres()).poolSettings(2);
		settings.setTransactionIsolation("TRANSACTION_REPEATABLE_READ");
		TransactionShop shop = start(new HikariDataSource(settings), STORE, (context) -> context.register(Sales.class));
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> shop.sales.once("isolated", () -> {
		})).withMessageContaining("READ COMMITTED");
		assertThat(Objects.requireNonNull(shop.pool.getHikariPoolMXBean()).getActiveConnections()).isZero();
	}

	static class Named {

		@DistributedLock(registry = "transaction")
		@Transactional
		public void run() {
		}

	}

	static class WithoutTransaction {

		@DistributedLock
		public void run() {
		}

	}

	static class Supports {

		@DistributedLock
		@Transactional(propagation = Propagation.SUPPORTS)
		public void run() {
		}

	}

	static class NotSupported {

		@DistributedLock
		@Transactional(propagation = Propagation.NOT_SUPPORTED)
		public void run() {
		}

	}

	static class Never {

		@DistributedLock
		@Transactional(propagation = Propagation.NEVER)
		public void run() {
		}

	}

	static class Nested {

		@DistributedLock
		@Transactional(propagation = Propagation.NESTED)
		public void run() {
		}

	}

	static class ReadOnly {

		@DistributedLock
		@Transactional(readOnly = true)
		public void run() {
		}

	}

	static class Repeatable {

		@DistributedLock
		@Transactional(isolation = Isolation.REPEATABLE_READ)
		public void run() {
		}

	}

	static class Lease {

		@DistributedLock(leaseTime = "5s")
		@Transactional
		public void run() {
		}

	}

	static class MinHold {

		@DistributedLock(minHold = "5s")
		@Transactional
		public void run() {
		}

	}

	static class Permits {

		@DistributedLock(permits = "2")
		@Transactional
		public void run() {
		}

	}

	static class Fair {

		@DistributedLock(fair = true)
		@Transactional
		public void run() {
		}

	}

	static class Reader {

		@DistributedLock(mode = LockMode.READ)
		@Transactional
		public void run() {
		}

	}

	static class Token {

		@DistributedLock
		@Transactional
		public void run(@FencingToken long token) {
		}

	}

	static class Later {

		@DistributedLock
		@Transactional
		public CompletableFuture<String> run() {
			return CompletableFuture.completedFuture("");
		}

	}

	@Qualifier("other")
	static class OtherManagerOfItsClass {

		@DistributedLock
		@Transactional
		public void run() {
		}

	}

	static class OtherManager {

		@DistributedLock
		@Transactional("other")
		public void run() {
		}

	}

}
