package io.github.distlock.autoconfigure;

import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.local.LocalLockBackend;
import io.github.distlock.transaction.TransactionLocks;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.jdbc.init.DataSourceScriptDatabaseInitializer;
import org.springframework.boot.sql.init.dependency.DatabaseInitializationDependencyConfigurer;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.jdbc.core.JdbcOperations;

/**
 * Auto-configuration for the store {@code transaction}: its locks are taken in the
 * transactions of the application, and callers of this JVM queue in its memory.
 */
@AutoConfiguration(before = DistlockAutoConfiguration.class,
		afterName = { "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
				"org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration" })
@ConditionalOnBackend(Backend.TRANSACTION)
@ConditionalOnClass({ JdbcOperations.class, DataSourceScriptDatabaseInitializer.class })
@EnableConfigurationProperties({ DistlockProperties.class, JdbcStoreProperties.class })
@Import(DatabaseInitializationDependencyConfigurer.class)
public final class DistlockTransactionStoreAutoConfiguration {

	/** Creates the table, which PostgreSQL does not need. */
	@Bean
	@Lazy
	@Qualifier("transaction")
	@DependsOnDatabaseInitialization
	LockBackend distlockTransactionLockBackend(JdbcStoreProperties jdbc, ListableBeanFactory beanFactory) {
		new JdbcLockSchemaInitializer(DistlockJdbcAutoConfiguration.DATABASE.select(beanFactory, jdbc.dataSource()),
				jdbc.initializeSchema(), jdbc.tables(), JdbcLockSchemaInitializer.LOCK)
			.initializeDatabase();
		return LocalLockBackend.withoutLeases(TransactionLocks.STORE, TimeSource.SYSTEM);
	}

}
