package io.github.distlock.transaction;

import java.time.Duration;

import io.github.distlock.LockContext;
import io.github.distlock.LockLostException;
import io.github.distlock.test.FakeHeldLock;
import io.github.distlock.testing.WithoutJars;
import io.r2dbc.spi.ConnectionFactories;
import org.h2.Driver;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;
import org.springframework.r2dbc.connection.R2dbcTransactionManager;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.Mockito.mock;

/**
 * Which transaction managers of an application are guarded, also without JPA, Hibernate
 * and Reactor on the class path.
 */
@ExtendWith(OutputCaptureExtension.class)
class GuardedManagersTests {

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void aManagerIsGuardedWheneverItIsCreated(boolean early, CapturedOutput output) {
		try (AnnotationConfigApplicationContext context = start(true, early, jdbc())) {
			commitUnderALostLock(context.getBean(PlatformTransactionManager.class));
			assertThat(output).doesNotContain("even if a lock");
		}
	}

	@Test
	void switchedOffThereIsNoListenerAndNoWarning(CapturedOutput output) {
		try (AnnotationConfigApplicationContext context = start(false, false, jdbc(),
				mock(PlatformTransactionManager.class), reactive())) {
			assertThat(context.getBean(DataSourceTransactionManager.class).getTransactionExecutionListeners())
				.isEmpty();
			assertThat(context.getBean(R2dbcTransactionManager.class).getTransactionExecutionListeners()).isEmpty();
			assertThat(output).doesNotContain("even if a lock");
		}
	}

	@Test
	void aManagerWithoutListenersCausesOneWarning(CapturedOutput output) {
		start(true, false, mock(PlatformTransactionManager.class)).close();
		assertThat(output).containsOnlyOnce("Transactions of the transaction manager 'manager0' (")
			.contains("is not a ConfigurableTransactionManager")
			.contains("distlock.transaction.commit-guard=false");
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void aReactiveManagerIsAProxyOfItsInterfacesWheneverItIsCreated(boolean early, CapturedOutput output) {
		try (AnnotationConfigApplicationContext context = start(true, early, reactive())) {
			assertThat(context.getBean(ReactiveTransactionManager.class))
				.isInstanceOf(ConfigurableTransactionManager.class)
				.isNotInstanceOf(R2dbcTransactionManager.class);
			assertThat(output).doesNotContain("even if a lock");
		}
	}

	private static TransactionManager jdbc() {
		return new DataSourceTransactionManager(new DriverManagerDataSource("jdbc:h2:mem:"));
	}

	private static TransactionManager reactive() {
		return new R2dbcTransactionManager(ConnectionFactories.get("r2dbc:h2:mem:///unused"));
	}

	private static void commitUnderALostLock(PlatformTransactionManager manager) {
		FakeHeldLock lock = FakeHeldLock.of("stock");
		lock.lose();
		try (LockContext.Scope scope = LockContext.open(lock)) {
			assertThat(scope).isNotNull();
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> new TransactionTemplate(manager).executeWithoutResult((status) -> {
				}));
		}
	}

	private static AnnotationConfigApplicationContext start(boolean guarded, boolean early,
			TransactionManager... managers) {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		context.registerBean(CommitGuard.class, () -> new CommitGuard(() -> new CommitTerms(guarded, Duration.ZERO)));
		for (int i = 0; i < managers.length; i++) {
			register(context, "manager" + i, managers[i]);
		}
		if (early) {
			context.registerBean(EarlyBird.class, () -> new EarlyBird(context.getBean(TransactionManager.class)));
		}
		context.refresh();
		return context;
	}

	/** As a bean method that returns the class, which a proxy does not have. */
	@SuppressWarnings("unchecked")
	private static <T> void register(AnnotationConfigApplicationContext context, String name, T manager) {
		context.registerBean(name, (Class<T>) manager.getClass(), () -> manager);
	}

	/** Is created before other beans, together with the transaction manager. */
	record EarlyBird(TransactionManager manager) implements BeanPostProcessor, Ordered {

		@Override
		public int getOrder() {
			return HIGHEST_PRECEDENCE;
		}

	}

	@Test
	void commitsAreGuardedWithoutJpaAndReactor() throws Exception {
		WithoutJars.run(PlainJdbc.class, "spring-orm", "hibernate-core", "persistence-api", "reactor-core",
				"reactive-streams", "r2dbc");
	}

	/**
	 * Runs in a class loader of its own.
	 */
	public static class PlainJdbc implements Runnable {

		@Override
		public void run() {
			assertThat(ClassUtils.isPresent("reactor.core.publisher.Mono", null)).isFalse();
			assertThat(ClassUtils.isPresent("org.springframework.orm.jpa.EntityManagerHolder", null)).isFalse();
			DataSourceTransactionManager manager = new DataSourceTransactionManager(
					new SimpleDriverDataSource(new Driver(), "jdbc:h2:mem:plain"));
			new CommitGuard(() -> new CommitTerms(true, Duration.ZERO)).postProcessAfterInitialization(manager,
					"plain");
			try (LockContext.Scope scope = LockContext.open(FakeHeldLock.of("held"))) {
				assertThat(scope).isNotNull();
				new TransactionTemplate(manager).executeWithoutResult((status) -> {
				});
			}
			commitUnderALostLock(manager);
		}

	}

}
