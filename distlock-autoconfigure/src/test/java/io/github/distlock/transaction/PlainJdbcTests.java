package io.github.distlock.transaction;

import java.time.Duration;

import io.github.distlock.LockContext;
import io.github.distlock.LockLostException;
import io.github.distlock.testing.WithoutJars;
import org.h2.Driver;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The commit guard without JPA, Hibernate and Reactor on the class path.
 */
class PlainJdbcTests {

	@Test
	void commitsAreGuardedWithoutJpaAndReactor() throws Exception {
		WithoutJars.run(Application.class, "spring-orm", "hibernate-core", "persistence-api", "reactor-core",
				"reactive-streams", "r2dbc");
	}

	/**
	 * Runs in a class loader of its own.
	 */
	public static class Application implements Runnable {

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
