package io.github.distlock.aop;

import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.util.ClassUtils;

/**
 * Registers the post-processors that a {@link DistributedLockAdvisor} needs: a proxy
 * creator, unless there is one, and the checks of annotated beans. Must be imported.
 */
public final class LockProxyRegistrar implements ImportBeanDefinitionRegistrar {

	@Override
	public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
		AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
		register(registry, LockedBeanVerifier.class);
		if (ClassUtils.isPresent("jakarta.validation.Validator", LockProxyRegistrar.class.getClassLoader())) {
			register(registry, ValidationOrderPostProcessor.class);
		}
	}

	private static void register(BeanDefinitionRegistry registry, Class<?> type) {
		String name = "distlock" + type.getSimpleName();
		if (!registry.containsBeanDefinition(name)) {
			RootBeanDefinition definition = new RootBeanDefinition(type);
			definition.setRole(BeanDefinition.ROLE_INFRASTRUCTURE);
			registry.registerBeanDefinition(name, definition);
		}
	}

}
