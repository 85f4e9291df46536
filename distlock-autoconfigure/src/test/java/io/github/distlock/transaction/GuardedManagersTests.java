package io.github.distlock.transaction;

import java.time.Duration;

import io.github.distlock.LockContext;
import io.github.distlock.LockLostException;
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
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
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
	@ValueSource(classes = { Made.class, MadeEarly.class })
	void aManagerIsGuardedWheneverItIsCreated(Class<?> application, CapturedOutput output) {
		try (AnnotationConfigApplicationContext context = start(application, true)) {
			commitUnderALostLock(context.getBean(PlatformTransactionManager.class));
			assertThat(output).doesNotContain("even if a lock");
		}
	}

	@Test
	void switchedOffThereIsNoListenerAndNoWarning(CapturedOutput output) {
		try (AnnotationConfigApplicationContext context = start(Made.class, false, Deaf.class, Reactive.class)) {
			assertThat(context.getBean(DataSourceTransactionManager.class).getTransactionExecutionListeners())
				.isEmpty();
			assertThat(context.getBean(R2dbcTransactionManager.class).getTransactionExecutionListeners()).isEmpty();
			assertThat(output).doesNotContain("even if a lock");
		}
	}

	@Test
	void aManagerWithoutListenersCausesOneWarning(CapturedOutput output) {
		start(Deaf.class, true).close();
		assertThat(output).containsOnlyOnce("Transactions of the transaction manager 'deaf' (")
			.contains("is not a ConfigurableTransactionManager")
			.contains("distlock.transaction.commit-guard=false");
	}

	@Test
	void aReactiveManagerIsAProxyOfItsInterfaces(CapturedOutput output) {
		try (AnnotationConfigApplicationContext context = start(Reactive.class, true)) {
			assertThat(context.getBean(ReactiveTransactionManager.class))
				.isInstanceOf(ConfigurableTransactionManager.class)
				.isNotInstanceOf(R2dbcTransactionManager.class);
			assertThat(output).doesNotContain("even if a lock");
		}
	}

	@Test
	void aReactiveManagerOnWhichAPostProcessorDependsIsAProxy() {
		try (AnnotationConfigApplicationContext context = start(ReactiveEarly.class, true)) {
			assertThat(context.getBean(ReactiveTransactionManager.class))
				.isNotInstanceOf(R2dbcTransactionManager.class);
		}
	}

	private static void commitUnderALostLock(PlatformTransactionManager manager) {
		StubLock lock = new StubLock();
		lock.lose();
		try (LockContext.Scope scope = LockContext.open(lock)) {
			assertThat(scope).isNotNull();
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> new TransactionTemplate(manager).executeWithoutResult((status) -> {
				}));
		}
	}

	private static AnnotationConfigApplicationContext start(Class<?> application, boolean guarded, Class<?>... more) {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		context.registerBean(CommitGuard.class, () -> new CommitGuard(() -> new CommitTerms(guarded, Duration.ZERO)));
		context.register(application);
		for (Class<?> other : more) {
			context.register(other);
		}
		context.refresh();
		return context;
	}

	@Configuration(proxyBeanMethods = false)
	static class Made {

		@Bean
		DataSourceTransactionManager made() {
			return new DataSourceTransactionManager(new DriverManagerDataSource("jdbc:h2:mem:"));
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class MadeEarly extends Made {

		@Bean
		static EarlyBird earlyBird(TransactionManager manager) {
			return new EarlyBird();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Deaf {

		@Bean
		PlatformTransactionManager deaf() {
			return mock(PlatformTransactionManager.class);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Reactive {

		@Bean
		R2dbcTransactionManager reactive() {
			return new R2dbcTransactionManager(ConnectionFactories.get("r2dbc:h2:mem:///unused"));
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ReactiveEarly extends Reactive {

		@Bean
		static EarlyBird earlyBird(ReactiveTransactionManager manager) {
			return new EarlyBird();
		}

	}

	/** Is created before other beans, together with the transaction manager. */
	static class EarlyBird implements BeanPostProcessor, Ordered {

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
			StubLock lock = new StubLock();
			LockContext.Scope scope = LockContext.open(lock);
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> new TransactionTemplate(manager).executeWithoutResult((status) -> lock.lose()));
			lock.left(Duration.ofSeconds(1));
			new TransactionTemplate(manager).executeWithoutResult((status) -> {
			});
			scope.close();
		}

	}

}
