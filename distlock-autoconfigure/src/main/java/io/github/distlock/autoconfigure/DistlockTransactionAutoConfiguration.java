package io.github.distlock.autoconfigure;

import io.github.distlock.transaction.CommitGuard;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Role;
import org.springframework.transaction.ConfigurableTransactionManager;

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
	static CommitGuard distlockCommitGuard(ObjectProvider<DistlockProperties> properties) {
		return new CommitGuard(() -> properties.getObject().toCommitTerms());
	}

}
