package io.github.distlock.autoconfigure;

import org.springframework.beans.factory.support.AutowireCandidateQualifier;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

/**
 * Defines a controlled {@link io.github.distlock.backend.LockBackend} for each enabled
 * backend, with the name of the real one, which then backs off. For the test slice, which
 * is a module of its own and defines the bean {@link #BACKENDS}; no application uses it.
 */
public final class ControlledBackendRegistrar implements ImportBeanDefinitionRegistrar {

	/**
	 * Name of the bean with the method {@code backend}, which creates the backends.
	 */
	public static final String BACKENDS = "distlockControlledBackends";

	private final Environment environment;

	ControlledBackendRegistrar(Environment environment) {
		this.environment = environment;
	}

	@Override
	public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
		BackendSelection selection = BackendSelection.of(this.environment);
		int budget = Binder.get(this.environment)
			.bind("distlock.handoff.budget", Integer.class)
			.orElse(DistlockProperties.Handoff.DEFAULT_BUDGET);
		for (Backend backend : selection.enabled(true)) {
			RootBeanDefinition definition = LockRegistryRegistrar.definition(BACKENDS, "backend", backend.id(),
					budget + 1);
			definition.addQualifier(new AutowireCandidateQualifier(Qualifier.class, backend.id()));
			definition.setPrimary(backend == selection.byDefault());
			definition.setLazyInit(true);
			registry.registerBeanDefinition(BackendBeans.backendName(backend.id()), definition);
		}
	}

}
