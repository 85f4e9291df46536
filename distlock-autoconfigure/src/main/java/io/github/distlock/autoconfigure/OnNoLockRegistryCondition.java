package io.github.distlock.autoconfigure;

import java.util.List;

import io.github.distlock.LockRegistry;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.ConfigurationCondition;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Matches if the application defines no {@link LockRegistry}, neither in this context nor
 * in an ancestor. The registries that the auto-configuration made for an ancestor do not
 * count: each context has its own.
 */
class OnNoLockRegistryCondition extends SpringBootCondition implements ConfigurationCondition {

	@Override
	public ConfigurationPhase getConfigurationPhase() {
		return ConfigurationPhase.REGISTER_BEAN;
	}

	@Override
	public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
		ConditionMessage.Builder message = ConditionMessage.forCondition("No LockRegistry of the application");
		ConfigurableListableBeanFactory beanFactory = context.getBeanFactory();
		List<String> registries = (beanFactory != null) ? new BackendBeans(beanFactory).registriesOfTheApplication()
				: List.of();
		return registries.isEmpty() ? ConditionOutcome.match(message.didNotFind("any").atAll())
				: ConditionOutcome.noMatch(message.found("bean", "beans").items(registries));
	}

}
