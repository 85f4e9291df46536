package io.github.distlock.autoconfigure;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.List;
import java.util.Optional;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.ConfigurationCondition;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Matches when a store is enabled: {@code distlock.backend} or {@code distlock.composite}
 * names it, or {@code distlock.<store>.enabled} is true. It never matches when the
 * application has a {@link io.github.distlock.LockRegistry} of its own, and for the store
 * of {@code distlock.backend} not when it has a
 * {@link io.github.distlock.backend.LockBackend} of its own.
 * <p>
 * Goes on the one auto-configuration of a store, which comes before
 * {@link DistlockAutoConfiguration} and has, lazy, a bean
 * {@code distlock<Store>LockBackend} and, if the store has an address, a bean
 * {@code distlock<Store>LockStoreLocation}; both qualified by the name of the store. The
 * registry is made from them.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Conditional(ConditionalOnBackend.OnBackendCondition.class)
@interface ConditionalOnBackend {

	/**
	 * The store.
	 * @return the store
	 */
	Backend value();

	/**
	 * Decides {@link ConditionalOnBackend}: properties, then what the application brings.
	 */
	class OnBackendCondition extends SpringBootCondition implements ConfigurationCondition {

		@Override
		public ConfigurationPhase getConfigurationPhase() {
			return ConfigurationPhase.REGISTER_BEAN;
		}

		@Override
		public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
			Backend backend = metadata.getAnnotations()
				.get(ConditionalOnBackend.class)
				.getEnum(MergedAnnotation.VALUE, Backend.class);
			ConditionMessage.Builder message = ConditionMessage.forCondition(ConditionalOnBackend.class, backend.id());
			ConfigurableListableBeanFactory beanFactory = context.getBeanFactory();
			if (beanFactory == null) {
				return ConditionOutcome.noMatch(message.because("there is no bean factory"));
			}
			BackendBeans beans = new BackendBeans(beanFactory);
			List<String> registries = beans.registriesOfTheApplication();
			if (!registries.isEmpty()) {
				return ConditionOutcome.noMatch(message.found("LockRegistry of the application").items(registries));
			}
			Optional<String> ofThatName = beans.all()
				.stream()
				.filter((name) -> BackendBeans.idOf(name).equals(backend.id()))
				.findFirst();
			if (ofThatName.isPresent()) {
				return ConditionOutcome.noMatch(message.foundExactly("bean " + ofThatName.get()));
			}
			BackendSelection selection = BackendSelection.of(context.getEnvironment());
			String reason = selection.reason(backend);
			if (reason != null) {
				return ConditionOutcome.match(message.because(reason));
			}
			if (selection.byDefault() != backend) {
				return ConditionOutcome.noMatch(message.because("distlock.backend is " + selection.byDefault().id()
						+ ", and distlock." + backend.id() + ".enabled is not true"));
			}
			List<String> own = beans.ofTheApplication();
			if (!own.isEmpty()) {
				return ConditionOutcome.noMatch(message.found("LockBackend of the application").items(own));
			}
			return ConditionOutcome.match(
					message.because((selection.named() != null) ? "distlock.backend names it" : "it is the default"));
		}

	}

}
