package io.github.distlock.aop;

import java.lang.reflect.Method;
import java.util.function.BiConsumer;

import io.github.distlock.LockRegistry;
import io.github.distlock.aop.weaving.WovenCalls;
import io.github.distlock.transaction.TransactionLockRegistry;
import org.aopalliance.aop.Advice;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;

import org.springframework.aop.ClassFilter;
import org.springframework.aop.Pointcut;
import org.springframework.aop.support.AbstractPointcutAdvisor;
import org.springframework.aop.support.ComposablePointcut;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.Ordered;

/**
 * Advises methods that are annotated with
 * {@link io.github.distlock.DistributedLock @DistributedLock}.
 * <p>
 * Must be a bean with the infrastructure role, because without AspectJ on the class path
 * no other advisors are applied. Its bean method must be static, so that its
 * configuration class is not created before all other beans. Requires a
 * {@link LockProxyRegistrar}.
 */
public final class DistributedLockAdvisor extends AbstractPointcutAdvisor
		implements SmartInitializingSingleton, DisposableBean {

	/**
	 * Inside advisors with an order of their own, such as those of security, and outside
	 * caches and transactions, which are last by default. Spring's own retries,
	 * concurrency limits and asynchronous execution are outside all advisors, regardless
	 * of their order.
	 */
	public static final int DEFAULT_ORDER = Ordered.LOWEST_PRECEDENCE - 1000;

	private static final long serialVersionUID = 1L;

	private final transient Pointcut pointcut;

	private final transient AopMode mode;

	private final transient LockEnvironment environment;

	private final transient LockDefinitions definitions;

	private final transient RegistryResolver registries;

	private final transient LockInterceptor advice;

	/**
	 * Create the advisor. Does not use the environment yet.
	 * @param beanFactory resolves beans in expressions, and placeholders
	 * @param mode how the lock is put around methods; in mode {@code ASPECTJ} the advisor
	 * matches no method
	 * @param order the order of the advisor, by default {@link #DEFAULT_ORDER}
	 * @param environment provides what locked calls need
	 */
	public DistributedLockAdvisor(ConfigurableBeanFactory beanFactory, AopMode mode, int order,
			LockEnvironment environment) {
		this.mode = mode;
		this.pointcut = (mode == AopMode.PROXY) ? new LockPointcut(LockAnnotationFinder.of(beanFactory))
				: new ComposablePointcut((ClassFilter) (type) -> false);
		this.environment = environment;
		this.registries = new RegistryResolver(beanFactory, environment);
		this.definitions = new LockDefinitions(beanFactory, mode, environment, this.registries);
		this.advice = new LockInterceptor(this.definitions, environment, beanFactory.getBeanClassLoader());
		setOrder(order);
	}

	@Override
	public Pointcut getPointcut() {
		return this.pointcut;
	}

	@Override
	public Advice getAdvice() {
		return this.advice;
	}

	/**
	 * Call an action for each valid annotation that has been found: after the start for
	 * those of all beans whose classes are known. Does nothing if methods run unlocked.
	 * @param action receives the name of the lock and its registry
	 */
	public void forEachLock(BiConsumer<String, LockRegistry> action) {
		if (this.environment.enabled().get()) {
			this.definitions.known()
				.forEach((definition) -> action.accept(definition.name(), this.registries.of(definition)));
		}
	}

	LockDefinitions definitions() {
		return this.definitions;
	}

	/**
	 * Check the annotations of all beans against their registries. Also look up the
	 * failure handler and the executor, so that several handlers or a missing executor
	 * are reported at start-up and not at the first failure. In mode {@code ASPECTJ},
	 * calls without a bean are locked from now on.
	 */
	@Override
	public void afterSingletonsInstantiated() {
		if (this.mode == AopMode.ASPECTJ) {
			WovenCalls.addApplication(this.advice);
		}
		if (this.environment.enabled().get()) {
			this.definitions.known().forEach((definition) -> {
				this.registries.verify(definition);
				if (this.registries.of(definition) instanceof TransactionLockRegistry registry) {
					this.definitions.transactions().verify(definition, registry);
				}
			});
			this.environment.failureHandler().get();
			this.environment.work().get();
		}
	}

	@Override
	public void destroy() {
		WovenCalls.removeApplication(this.advice);
	}

	AopMode mode() {
		return this.mode;
	}

	/** The interceptor for calls of woven methods. */
	MethodInterceptor wovenCalls() {
		return (this.mode == AopMode.PROXY) ? MethodInvocation::proceed : this.advice;
	}

	/**
	 * Matches annotated methods, valid or not: the check at start-up reports invalid
	 * annotations. A pointcut that throws would also affect beans without locks.
	 */
	private static final class LockPointcut extends StaticMethodMatcherPointcut {

		LockPointcut(LockAnnotationFinder classes) {
			setClassFilter((type) -> !classes.locks(type).isEmpty());
		}

		@Override
		public boolean matches(Method method, Class<?> targetClass) {
			return !LockAnnotationFinder.find(method, targetClass).isEmpty();
		}

	}

}
