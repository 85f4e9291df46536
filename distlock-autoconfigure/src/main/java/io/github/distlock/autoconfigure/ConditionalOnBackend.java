package io.github.distlock.autoconfigure;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

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
 * {@code distlock.<backend>.enabled} is true. It never matches if the application has a
 * {@link io.github.distlock.LockRegistry} of its own. The backend of
 * {@code distlock.backend} does not match if the application has a
 * {@link io.github.distlock.backend.LockBackend} of its own.
 * <p>
 * The annotation belongs on the one auto-configuration of a backend. That configuration
 * comes before {@code DistlockAutoConfiguration} and defines lazy beans, which are
 * qualified by the name of the backend: {@code distlock<Backend>LockBackend} and, if the
 * store has an address, {@code distlock<Backend>LockStoreLocation}. The registry is
 * created from them.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Conditional(ConditionalOnBackend.OnBackendCondition.class)
@interface ConditionalOnBackend {

	/**
	 * The backend.
	 * @return the backend
	 */
	Backend value();

	/**
	 * Matches if the application defines no {@link io.github.distlock.LockRegistry},
	 * neither in this context nor in an ancestor, and if the backend of the annotation,
	 * if there is one, is enabled. The registries that the auto-configuration defined for
	 * an ancestor do not count: each context has its own.
	 */
	class OnBackendCondition extends SpringBootCondition implements ConfigurationCondition {

		@Override
		public ConfigurationPhase getConfigurationPhase() {
			return ConfigurationPhase.REGISTER_BEAN;
		}

		@Override
		public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
			BackendBeans backendBeans = new BackendBeans(Objects.requireNonNull(context.getBeanFactory()));
			MergedAnnotation<ConditionalOnBackend> annotation = metadata.getAnnotations()
				.get(ConditionalOnBackend.class);
			List<String> registries = backendBeans.registriesOfTheApplication();
			if (!registries.isEmpty()) {
				return ConditionOutcome.noMatch(ConditionMessage.forCondition(ConditionalOnBackend.class)
					.found("LockRegistry of the application")
					.items(registries));
			}
			return annotation.isPresent()
					? outcome(annotation.getEnum(MergedAnnotation.VALUE, Backend.class), backendBeans,
							BackendSelection.of(context.getEnvironment()))
					: ConditionOutcome.match("the application has no LockRegistry");
		}

		private static ConditionOutcome outcome(Backend backend, BackendBeans backendBeans,
				BackendSelection selection) {
			ConditionMessage.Builder message = ConditionMessage.forCondition(ConditionalOnBackend.class, backend.id());
			Optional<String> sameName = backendBeans.all()
				.stream()
				.filter((name) -> BackendBeans.idOf(name).equals(backend.id()))
				.findFirst();
			if (sameName.isPresent()) {
				return ConditionOutcome.noMatch(message.foundExactly("bean " + sameName.get()));
			}
			String reason = selection.reason(backend);
			if (reason != null) {
				return ConditionOutcome.match(message.because(reason));
			}
			if (selection.byDefault() != backend) {
				return ConditionOutcome.noMatch(message.because("distlock.backend is " + selection.byDefault().id()
						+ ", and distlock." + backend.id() + ".enabled is not true"));
			}
			List<String> applicationBackends = backendBeans.ofTheApplication();
			if (!applicationBackends.isEmpty()) {
				return ConditionOutcome
					.noMatch(message.found("LockBackend of the application").items(applicationBackends));
			}
			return ConditionOutcome.match(
					message.because((selection.named() != null) ? "distlock.backend names it" : "it is the default"));
		}

	}

}
