package io.github.distlock.aop;

import java.util.List;

import org.springframework.aop.Advisor;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.Advised;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.MergedBeanDefinitionPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.Ordered;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.util.ClassUtils;
import org.springframework.validation.beanvalidation.MethodValidationInterceptor;

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

	/**
	 * Moves method validation to the place before the lock, for beans with locked
	 * methods: an invalid call needs no lock, and its key may have no value. Spring
	 * appends method validation to the advice of a bean, inside the lock and the
	 * transaction. Results are validated there as well, after the transaction has ended
	 * and the lock is released.
	 * <p>
	 * Other beans are not changed, nor is validation that the application has placed
	 * itself, before other advice or with an order.
	 * <p>
	 * Runs after all other post-processors, so that it gets finished proxies: Spring
	 * moves post-processors for merged bean definitions to the end of the list. It has an
	 * order nevertheless: without one it would itself be passed to the proxy creators,
	 * which would create all advisors, including that of the lock, too early.
	 */
	static class ValidationOrderPostProcessor implements MergedBeanDefinitionPostProcessor, Ordered {

		@Override
		public int getOrder() {
			return Ordered.LOWEST_PRECEDENCE;
		}

		@Override
		public void postProcessMergedBeanDefinition(RootBeanDefinition definition, Class<?> type, String beanName) {
		}

		@Override
		public Object postProcessAfterInitialization(Object bean, String beanName) {
			if (bean instanceof Advised advised && !advised.isFrozen()) {
				List<Advisor> advisors = List.of(advised.getAdvisors());
				int lock = 0;
				while (lock < advisors.size() && !(advisors.get(lock) instanceof DistributedLockAdvisor)) {
					lock++;
				}
				for (int i = lock + 1; i < advisors.size(); i++) {
					Advisor advisor = advisors.get(i);
					if (advisor.getAdvice() instanceof MethodValidationInterceptor && !hasOrder(advisor)) {
						advised.removeAdvisor(advisor);
						advised.addAdvisor(lock++, advisor);
					}
				}
			}
			return bean;
		}

		private static boolean hasOrder(Advisor advisor) {
			return advisor instanceof Ordered ordered && ordered.getOrder() != Ordered.LOWEST_PRECEDENCE;
		}

	}

}
