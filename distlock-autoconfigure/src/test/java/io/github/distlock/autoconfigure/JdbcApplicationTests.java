package io.github.distlock.autoconfigure;

import java.time.Duration;
import java.util.UUID;

import io.github.distlock.LockBackendException;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/**
 * Applications whose database is down, and applications that lock inside their
 * transactions.
 */
@ExtendWith(OutputCaptureExtension.class)
class JdbcApplicationTests {

	private final ApplicationContextRunner context = Contexts.withoutRedis()
		.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class,
				DataSourceTransactionManagerAutoConfiguration.class, TransactionAutoConfiguration.class))
		.withPropertyValues("distlock.backend=jdbc");

	private final ApplicationContextRunner inMemory = this.context
		.withPropertyValues("spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID());

	@ParameterizedTest
	@ValueSource(strings = { "lease", "row" })
	void theApplicationStartsWhileItsDatabaseIsDown(String mode) {
		this.context
			.withPropertyValues("spring.datasource.url=jdbc:postgresql://localhost:1/nowhere",
					"distlock.jdbc.mode=" + mode, "distlock.backend-timeout=5s")
			.run((started) -> {
				assertThat(started).hasNotFailed();
				LockRegistry registry = started.getBean(LockRegistry.class);
				// Before the first connection was refused, a call may have nothing to
				// report but the end of its time.
				await().untilAsserted(() -> assertThatThrownBy(
						() -> registry.acquire(LockRequest.of("order-1").waitTime(Duration.ZERO)))
					.isInstanceOf(LockBackendException.class)
					.hasMessageContaining("localhost:1 refused"));
			});
	}

	@Test
	void thePropertyForReservedConnectionsFailsTheStartAndNamesItsSuccessor() {
		this.inMemory.withPropertyValues("distlock.jdbc.reserved-connections=2")
			.run((started) -> assertThat(started).getFailure()
				.rootCause()
				.hasMessageContaining("distlock.jdbc.reserved-connections")
				.hasMessageContaining("'distlock.jdbc.pool-size'"));
	}

}
