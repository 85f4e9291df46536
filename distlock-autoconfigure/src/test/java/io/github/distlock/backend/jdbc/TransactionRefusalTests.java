package io.github.distlock.backend.jdbc;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Stream;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.github.distlock.DistributedLock;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.backend.jdbc.TransactionShop.Sales;
import io.github.distlock.docs.CodeBlock;
import io.github.distlock.docs.PageCode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.interceptor.TransactionInterceptor;

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

	/** Classes that the start refuses, each with what the message says. */
	private static final String REFUSED = """
			class NoTransaction { @DistributedLock public void run() { } } => write @Transactional on the method
			class Supports { @DistributedLock @Transactional(propagation = Propagation.SUPPORTS) public void run() { } } => REQUIRED, REQUIRES_NEW or MANDATORY
			class NotSupported { @DistributedLock @Transactional(propagation = Propagation.NOT_SUPPORTED) public void run() { } } => REQUIRED, REQUIRES_NEW or MANDATORY
			class Never { @DistributedLock @Transactional(propagation = Propagation.NEVER) public void run() { } } => REQUIRED, REQUIRES_NEW or MANDATORY
			class Nested { @DistributedLock @Transactional(propagation = Propagation.NESTED) public void run() { } } => REQUIRED, REQUIRES_NEW or MANDATORY
			class ReadOnly { @DistributedLock @Transactional(readOnly = true) public void run() { } } => remove readOnly
			class Repeatable { @DistributedLock @Transactional(isolation = Isolation.REPEATABLE_READ) public void run() { } } => remove isolation
			class Lease { @DistributedLock(leaseTime = "5s") @Transactional public void run() { } } => has no lease: leave both out
			class MinHold { @DistributedLock(minHold = "5s") @Transactional public void run() { } } => has no lease: leave both out
			class Permits { @DistributedLock(permits = "2") @Transactional public void run() { } } => leave permits out
			class Fair { @DistributedLock(fair = true) @Transactional public void run() { } } => leave fair out
			class Reader { @DistributedLock(mode = LockMode.READ) @Transactional public void run() { } } => use one of [EXCLUSIVE]
			class Token { @DistributedLock @Transactional public void run(@FencingToken long token) { } } => has no token: remove it
			class Later { @DistributedLock @Transactional public CompletableFuture<String> run() { return null; } } => lock a synchronous method
			class OtherManager { @DistributedLock @Transactional("other") public void run() { } } => does not work with the DataSource of the store
			@Qualifier("other") class OtherManagerOfItsClass { @DistributedLock @Transactional public void run() { } } => does not work with the DataSource of the store
			""";

	private static final PageCode CODE = PageCode.of(List.of(),
			new CodeBlock("refusals", 1, "java", true, REFUSED.replaceAll(" => .*", "")));

	static Stream<Arguments> refusals() {
		return REFUSED.lines()
			.map((line) -> line.split(" => "))
			.map((row) -> Arguments.of(CODE.type(row[0].replaceFirst(".*class (\\w+) .*", "$1")), row[1]));
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
		return failureOf(properties, (context) -> {
			context.setClassLoader(CODE.loader());
			context.register(bean);
		});
	}

	private Throwable failureOf(List<String> properties, Consumer<AnnotationConfigApplicationContext> beans) {
		return NestedExceptionUtils
			.getMostSpecificCause(catchThrowable(() -> start(TestDatabase.h2().pool(2), properties, (context) -> {
				beans.accept(context);
				context.registerBean("other", JdbcTransactionManager.class,
						() -> new JdbcTransactionManager(new DriverManagerDataSource("jdbc:h2:mem:other")),
						(definition) -> definition.setFallback(true));
			})));
	}

	/** As {@code <tx:annotation-driven transaction-manager="other"/>} does. */
	@Test
	void theStartRefusesAnInterceptorThatNamesAManagerOfAnotherDatabase() {
		assertThat(failureOf(STORE, (context) -> {
			context.register(Sales.class);
			context.addBeanFactoryPostProcessor((factory) -> factory.addBeanPostProcessor(new OtherManagerByName()));
		})).isInstanceOf(LockDefinitionException.class)
			.hasMessageContaining("does not work with the DataSource of the store");
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

	private static final class OtherManagerByName implements BeanPostProcessor {

		@Override
		public Object postProcessBeforeInitialization(Object bean, String name) {
			if (bean instanceof TransactionInterceptor interceptor) {
				interceptor.setTransactionManagerBeanName("other");
			}
			return bean;
		}

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

}
