package io.github.distlock.autoconfigure;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.UUID;

import javax.sql.DataSource;

import io.github.distlock.transaction.CommitGuard;
import io.github.distlock.transaction.CommitTerms;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.mockito.Answers;

import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * What the start makes of {@code distlock.transaction.fence}.
 */
class FenceConfigurationTests {

	private final ApplicationContextRunner application = Contexts.withoutRedis()
		.withConfiguration(
				AutoConfigurations.of(DataSourceAutoConfiguration.class, DistlockMetricsAutoConfiguration.class))
		.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
		.withPropertyValues("distlock.backend=local", "distlock.transaction.fence=true",
				"spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID());

	private ApplicationContextRunner withManager() {
		return this.application
			.withConfiguration(AutoConfigurations.of(DataSourceTransactionManagerAutoConfiguration.class));
	}

	@Test
	void theTableIsMadeAndThePropertiesOfTheLockTableNameIt() {
		withManager().withPropertyValues("distlock.jdbc.table-prefix=shop_").run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(new JdbcTemplate(context.getBean(DataSource.class))
				.queryForObject("SELECT count(*) FROM shop_fence", Integer.class)).isZero();
			assertThat(context.getBean(JdbcTransactionManager.class).getTransactionExecutionListeners()).hasSize(2);
			assertThat(context.getBean(MeterRegistry.class).get("distlock.fence").functionCounters()).hasSize(3);
		});
	}

	@ParameterizedTest
	@CsvSource({ "distlock.enabled=false, 0", "distlock.transaction.fence=false, 1",
			"distlock.transaction.commit-guard=false, 1" })
	void itIsIndependentOfTheGuard(String property, int listeners) {
		withManager().withPropertyValues(property)
			.run((context) -> assertThat(
					context.getBean(JdbcTransactionManager.class).getTransactionExecutionListeners())
				.hasSize(listeners));
	}

	@Test
	void aManagerThatIsCreatedLazilyIsFenced() {
		withManager().withBean(LazyInitializationBeanFactoryPostProcessor.class)
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void aGuardOfTheApplicationWithoutTheFenceFailsTheStart() {
		Contexts.assertRefused(
				withManager().withBean(CommitGuard.class,
						() -> new CommitGuard(() -> new CommitTerms(true, Duration.ZERO))),
				"CommitGuard of the application");
	}

	@Test
	void aDatabaseThatIsNotSupportedFailsTheStartIfThereIsNoOther() throws Exception {
		DataSource oracle = mock(DataSource.class, Answers.RETURNS_DEEP_STUBS);
		given(oracle.getConnection().getMetaData().getDatabaseProductName()).willReturn("Oracle");
		Contexts.assertRefused(withManager().withBean(DataSource.class, () -> oracle), "is not supported");
	}

	@Test
	void withoutSpringJdbcTheStartSaysSo() {
		Contexts.assertRefused(withManager().withClassLoader(new FilteredClassLoader(ConnectionHolder.class)),
				"distlock.transaction.fence is true, but spring-jdbc is missing");
	}

	@Test
	void withoutAManagerThatCanBeFencedTheStartFails() {
		Contexts.assertRefused(
				this.application.withBean(PlatformTransactionManager.class,
						() -> mock(PlatformTransactionManager.class)),
				"no transaction manager can be fenced", "distlock.transaction.fence=false");
	}

	@Test
	void theStartSaysWhyTheTableWasNotMade() throws Exception {
		String url = "jdbc:h2:mem:" + UUID.randomUUID();
		try (Connection owner = DriverManager.getConnection(url); Statement statement = owner.createStatement()) {
			statement.execute("CREATE USER seller PASSWORD ''");
			Contexts.assertRefused(withManager().withPropertyValues("spring.datasource.url=" + url,
					"spring.datasource.username=seller", "distlock.transaction.fence-managers=transactionManager"),
					"its creation at the start has failed", "rights");
		}
	}

	@Test
	void aManagerThatMustBeFencedFailsTheStart() {
		ApplicationContextRunner never = withManager().withPropertyValues("distlock.jdbc.initialize-schema=never");
		Contexts.assertRefused(never.withPropertyValues("distlock.transaction.fence-managers=transactionManager"),
				"'transactionManager'", "fence-<database>.sql");
		never.run((context) -> assertThat(context).hasNotFailed());
	}

}
