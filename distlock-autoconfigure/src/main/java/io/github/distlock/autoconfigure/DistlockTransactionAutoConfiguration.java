package io.github.distlock.autoconfigure;

import java.util.Optional;

import io.github.distlock.transaction.CommitGuard;
import io.github.distlock.transaction.TransactionFence;
import io.github.distlock.transaction.TransactionLocks;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.jdbc.init.DataSourceScriptDatabaseInitializer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionManager;

/**
 * Auto-configuration for the {@link CommitGuard}, if transactions are on the class path.
 * Whether it guards is read at run time and is not a condition, since ahead-of-time
 * processing freezes conditions.
 */
@AutoConfiguration
@ConditionalOnClass(ConfigurableTransactionManager.class)
@EnableConfigurationProperties(DistlockProperties.class)
public final class DistlockTransactionAutoConfiguration {

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	static CommitGuard distlockCommitGuard(ObjectProvider<DistlockProperties> properties, BeanFactory beanFactory) {
		return new CommitGuard(() -> properties.getObject().toCommitTerms(), () -> {
			DistlockProperties current = properties.getObject();
			boolean takesLocks = beanFactory.containsBean(Backend.TRANSACTION.beanName());
			return (current.enabled() && (takesLocks || current.transaction().fence()))
					? beanFactory.getBeanProvider(TransactionFence.class).getIfAvailable(() -> {
						throw new StartUpException("distlock.transaction.fence is true, but spring-jdbc is missing.",
								"Add spring-boot-starter-jdbc, or set distlock.transaction.fence=false.");
					}) : null;
		});
	}

	/** Databases refuse the transactions of earlier holders. */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass({ ConnectionHolder.class, DataSourceScriptDatabaseInitializer.class })
	@EnableConfigurationProperties(JdbcStoreProperties.class)
	static class Fence {

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		@Lazy
		static TransactionFence distlockTransactionFence(DistlockProperties properties, JdbcStoreProperties jdbc,
				ListableBeanFactory beanFactory) {
			TransactionLocks locks = beanFactory.containsBean(Backend.TRANSACTION.beanName()) ? new TransactionLocks(
					DistlockJdbcAutoConfiguration.DATABASE.select(beanFactory, jdbc.dataSource()),
					properties.keyPrefix(), jdbc.tables().lock()) : null;
			return new TransactionFence(properties.keyPrefix(), jdbc.tables().applyTo("distlock_fence"),
					properties.transaction().fenceManagers(), (dataSource) -> {
						JdbcLockSchemaInitializer initializer = new JdbcLockSchemaInitializer(dataSource,
								jdbc.initializeSchema(), jdbc.tables(), JdbcLockSchemaInitializer.FENCE);
						initializer.initializeDatabase();
						return initializer.failure();
					}, properties.transaction().fence(), locks);
		}

		/** When all beans exist: Flyway and Liquibase have run then. */
		@Bean
		@Lazy(false)
		static SmartInitializingSingleton distlockTransactionFenceCheck(ObjectProvider<CommitGuard> guards,
				ListableBeanFactory beanFactory, DistlockProperties properties) {
			return () -> {
				if (!properties.enabled() || !properties.transaction().fence()) {
					return;
				}
				// Each is fenced when it is created, which may be late.
				beanFactory.getBeansOfType(TransactionManager.class);
				String problem = Optional.ofNullable(guards.getIfAvailable())
					.flatMap(CommitGuard::fence)
					.map(TransactionFence::verify)
					.orElse("distlock.transaction.fence is true, but the CommitGuard of the application has no fence.");
				if (!problem.isEmpty()) {
					throw new StartUpException(problem, "Correct it, or set distlock.transaction.fence=false.");
				}
			};
		}

	}

}
