package io.github.distlock.autoconfigure;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.Map;
import java.util.Objects;

import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.ConfigurationCondition;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * {@link Conditional @Conditional} that matches if a backend is enabled:
 * {@code distlock.backend} or {@code distlock.composite} names it, or
 * {@code distlock.<backend>.enabled} is true. It never matches if a
 * {@link io.github.distlock.LockRegistry} of the application replaces all others, or if
 * the context has a backend of this name already. The backend of {@code distlock.backend}
 * does not match if the application has a {@link io.github.distlock.backend.LockBackend}
 * of its own.
 * <p>
 * The annotation belongs on the one auto-configuration of a backend. That configuration
 * comes before {@code DistlockAutoConfiguration} and defines a lazy bean,
 * {@code distlock<Backend>LockBackend}, which is qualified by the name of the backend.
 * The registry is created from it.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Conditional({ NotReplacedCondition.class, ConditionalOnBackend.OnBackendCondition.class })
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
			Backend backend = metadata.getAnnotations()
				.get(ConditionalOnBackend.class)
				.getEnum(MergedAnnotation.VALUE, Backend.class);
			BackendSelection selection = BackendSelection.of(context.getEnvironment());
			Map<String, String> own = LockRegistryRegistrar
				.backendsOfTheApplication(Objects.requireNonNull(context.getBeanFactory()));
			boolean enabled = !own.containsKey(backend.id()) && selection.enabled(own.isEmpty()).contains(backend);
			return new ConditionOutcome(enabled,
					ConditionMessage.forCondition(ConditionalOnBackend.class, backend.id())
						.because(enabled ? "it is enabled" : "distlock.backend is " + selection.byDefault().id()
								+ ", and the LockBackend beans of the application are " + own.values()));
		}

	}

}
