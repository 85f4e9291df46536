package io.github.distlock.autoconfigure;

import javax.sql.DataSource;

import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.jdbc.JdbcBackend;
import io.github.distlock.backend.jdbc.JdbcBackendSettings;

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
 * Auto-configuration for the backend in a relational database, with the
 * {@link DataSource} of the application. A missing {@code DataSource} is not a condition,
 * because a backend that silently backs off could not report it: it is an error when the
 * backend is created.
 */
@AutoConfiguration(before = DistlockAutoConfiguration.class,
		afterName = { "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
				"org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration" })
@ConditionalOnBackend(Backend.JDBC)
@ConditionalOnClass({ JdbcOperations.class, DataSourceScriptDatabaseInitializer.class })
@EnableConfigurationProperties({ DistlockProperties.class, JdbcStoreProperties.class })
@Import(DatabaseInitializationDependencyConfigurer.class)
public final class DistlockJdbcAutoConfiguration {

	static final ApplicationBeanSelector<DataSource> DATABASE = new ApplicationBeanSelector<>(DataSource.class,
			"distlock.jdbc.data-source", "Add org.springframework.boot:spring-boot-starter-jdbc and the driver of the "
					+ "database, and set spring.datasource.url");

	/** Lazy, since it is not needed if locks are switched off. */
	@Bean
	@Lazy
	@Qualifier("jdbc")
	@DependsOnDatabaseInitialization
	LockBackend distlockJdbcLockBackend(DistlockProperties properties, JdbcStoreProperties jdbc,
			ListableBeanFactory beanFactory, JdbcLockSchemaInitializer initializer) {
		DataSource dataSource = DATABASE.select(beanFactory, jdbc.dataSource());
		JdbcBackendSettings settings = jdbc.toSettings(properties, initializer.failure());
		return switch (jdbc.mode()) {
			case LEASE -> JdbcBackend.lease(dataSource, settings, TimeSource.SYSTEM);
			case CONNECTION -> JdbcBackend.connection(dataSource, settings, TimeSource.SYSTEM);
		};
	}

	@Bean
	@Lazy
	JdbcLockSchemaInitializer distlockJdbcSchemaInitializer(JdbcStoreProperties jdbc, ListableBeanFactory beanFactory) {
		return new JdbcLockSchemaInitializer(DATABASE.select(beanFactory, jdbc.dataSource()), jdbc.initializeSchema(),
				jdbc.tables(), JdbcLockSchemaInitializer.LOCK);
	}

}
