package io.github.distlock.autoconfigure;

import java.util.List;
import java.util.Objects;

import io.github.distlock.LockRegistry;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.ConfigurationCondition;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Matches unless a {@link LockRegistry} of the application replaces those of the library.
 * A primary one does not: it may be around one of them.
 */
final class NotReplacedCondition extends SpringBootCondition implements ConfigurationCondition {

	@Override
	public ConfigurationPhase getConfigurationPhase() {
		return ConfigurationPhase.REGISTER_BEAN;
	}

	@Override
	public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
		ConfigurableListableBeanFactory beanFactory = Objects.requireNonNull(context.getBeanFactory());
		List<String> own = own(beanFactory);
		return new ConditionOutcome(own.isEmpty() || hasPrimary(beanFactory),
				"the LockRegistry beans of the application, which replace all others if none is primary, are " + own);
	}

	/**
	 * Return whether the application has a primary registry in this context.
	 * @param beanFactory the beans, without registries of the library
	 */
	static boolean hasPrimary(ConfigurableListableBeanFactory beanFactory) {
		return own(beanFactory).stream()
			.anyMatch((name) -> beanFactory.containsBeanDefinition(name)
					&& beanFactory.getMergedBeanDefinition(name).isPrimary());
	}

	private static List<String> own(ConfigurableListableBeanFactory beanFactory) {
		return List.of(beanFactory.getBeanNamesForType(LockRegistry.class, true, false));
	}

}
