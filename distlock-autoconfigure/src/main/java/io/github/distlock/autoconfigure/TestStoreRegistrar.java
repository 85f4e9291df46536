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
 * store, under the name of the real one, which then backs off.
 */
class TestStoreRegistrar implements ImportBeanDefinitionRegistrar {

	static final String STORES = "distlockControlledStores";

	private static final int DEFAULT_BUDGET = 16;

	private final Environment environment;

	TestStoreRegistrar(Environment environment) {
		this.environment = environment;
	}

	@Override
	public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
		ChosenStores chosen = ChosenStores.of(this.environment);
		int budget = Binder.get(this.environment).bind("distlock.handoff.budget", Integer.class).orElse(DEFAULT_BUDGET);
		for (Backend store : chosen.enabled(true)) {
			RootBeanDefinition definition = new RootBeanDefinition();
			definition.setFactoryBeanName(STORES);
			definition.setFactoryMethodName("backend");
			definition.getConstructorArgumentValues().addIndexedArgumentValue(0, store.store());
			definition.getConstructorArgumentValues().addIndexedArgumentValue(1, budget + 1);
			definition.addQualifier(new AutowireCandidateQualifier(Qualifier.class, store.store()));
			definition.setPrimary(store == chosen.byDefault());
			definition.setLazyInit(true);
			registry.registerBeanDefinition(StoreBeans.backendName(store.store()), definition);
		}
	}

}
