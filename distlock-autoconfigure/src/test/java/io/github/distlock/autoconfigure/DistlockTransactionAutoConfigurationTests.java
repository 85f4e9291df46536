package io.github.distlock.autoconfigure;

import java.time.Duration;

import io.github.distlock.transaction.CommitGuard;
import io.github.distlock.transaction.CommitTerms;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Auto-configuration of the commit guard.
 */
class DistlockTransactionAutoConfigurationTests {

	private final ApplicationContextRunner application = Contexts.withoutRedis()
		.withPropertyValues("distlock.backend=local")
		.withUserConfiguration(Application.class);

	@ParameterizedTest
	@CsvSource({ "distlock.enabled=true, 1", "distlock.transaction.commit-guard=false, 0",
			"distlock.enabled=false, 0" })
	void aTransactionManagerOfTheApplicationIsGuardedUnlessThatIsSwitchedOff(String property, int guards) {
		this.application.withPropertyValues(property)
			.run((context) -> assertThat(
					context.getBean(DataSourceTransactionManager.class).getTransactionExecutionListeners())
				.hasSize(guards));
	}

	@Test
	void withoutTransactionsThereIsNothingToGuard() {
		Contexts.withoutRedis()
			.withPropertyValues("distlock.backend=local")
			.withClassLoader(new FilteredClassLoader("org.springframework.transaction"))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("distlockCommitGuard"));
	}

	@Test
	void aGuardOfTheApplicationReplacesTheDefault() {
		this.application.withUserConfiguration(OwnGuard.class)
			.run((context) -> assertThat(context).hasSingleBean(CommitGuard.class).hasBean("ownGuard"));
	}

	@Configuration(proxyBeanMethods = false)
	static class Application {

		@Bean
		DataSourceTransactionManager transactionManager() {
			return new DataSourceTransactionManager(new DriverManagerDataSource("jdbc:h2:mem:guarded"));
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnGuard {

		@Bean
		static CommitGuard ownGuard() {
			return new CommitGuard(() -> new CommitTerms(true, Duration.ZERO));
		}

	}

}
