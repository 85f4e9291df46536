package io.github.distlock.autoconfigure;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.List;
import java.util.Objects;

import io.github.distlock.LockRegistry;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.ConfigurationCondition;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * {@link Conditional @Conditional} that matches if a backend is enabled:
 * {@code distlock.backend} or {@code distlock.composite} names it, or
 * {@code distlock.<backend>.enabled} is true. It never matches if the context has a
 * {@link LockRegistry} or a backend of this name already. The backend of
 * {@code distlock.backend} does not match if the application has a
 * {@link io.github.distlock.backend.LockBackend} of its own.
 * <p>
 * The annotation belongs on the one auto-configuration of a backend. That configuration
 * comes before {@code DistlockAutoConfiguration} and defines a lazy bean,
 * {@code distlock<Backend>LockBackend}, which is qualified by the name of the backend.
 * The registry is created from it.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@ConditionalOnMissingBean(value = LockRegistry.class, search = SearchStrategy.CURRENT)
@Conditional(ConditionalOnBackend.OnBackendCondition.class)
@interface ConditionalOnBackend {

	/**
	 * The backend.
	 * @return the backend
	 */
	Backend value();

	/** Matches if the backend of the annotation is enabled. */
	class OnBackendCondition extends SpringBootCondition implements ConfigurationCondition {

		@Override
		public ConfigurationPhase getConfigurationPhase() {
			return ConfigurationPhase.REGISTER_BEAN;
		}

		@Override
		public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
			ConfigurableListableBeanFactory beanFactory = Objects.requireNonNull(context.getBeanFactory());
			Backend backend = metadata.getAnnotations()
				.get(ConditionalOnBackend.class)
				.getEnum(MergedAnnotation.VALUE, Backend.class);
			ConditionMessage.Builder message = ConditionMessage.forCondition(ConditionalOnBackend.class, backend.id());
			BackendSelection selection = BackendSelection.of(context.getEnvironment());
			List<String> own = BackendBeans.ofTheApplication(beanFactory);
			if (BackendBeans.all(beanFactory).stream().map(BackendBeans::idOf).anyMatch(backend.id()::equals)) {
				return ConditionOutcome.noMatch(message.foundExactly("a LockBackend of this name"));
			}
			if (selection.enabled(own.isEmpty()).contains(backend)) {
				return ConditionOutcome.match(message.because("it is enabled"));
			}
			return ConditionOutcome.noMatch(own.isEmpty()
					? message.because("distlock.backend is " + selection.byDefault().id() + ", and distlock."
							+ backend.id() + ".enabled is not true")
					: message.found("LockBackend of the application").items(own));
		}

	}

}
