package io.github.distlock.aop;

import java.lang.reflect.Modifier;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;

import io.github.distlock.LockDefinitionException;
import io.github.distlock.aop.weaving.WovenCalls;
import org.aopalliance.intercept.MethodInterceptor;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.SmartInstantiationAwareBeanPostProcessor;
import org.springframework.core.Ordered;
import org.springframework.util.Assert;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;

/**
 * Refuses beans whose annotated methods cannot be locked. Runs right after the proxies
 * are created. Beans of woven classes are also bound to this application in
 * {@link WovenCalls}.
 * <p>
 * While the application starts, the problems of annotations are collected for one report
 * after all singletons are created. Until then, the proxy refuses calls of methods with a
 * problem. A bean whose calls would not pass the proxy is refused when it is created, and
 * so is each bean after the start.
 */
class LockedBeanVerifier implements SmartInstantiationAwareBeanPostProcessor, SmartInitializingSingleton,
		BeanFactoryAware, DisposableBean, Ordered {

	private static final Log logger = LogFactory.getLog(LockedBeanVerifier.class);

	private final Map<Class<?>, List<LockDeclaration>> locksByClass = new ConcurrentHashMap<>();

	/** Beans whose proxy was created and verified before the bean was initialized. */
	private final Set<String> verifiedEarly = ConcurrentHashMap.newKeySet();

	/** Classes of the locked beans that were verified when they were created. */
	private final Map<String, Class<?>> verified = new ConcurrentHashMap<>();

	private final LockProblems problems = new LockProblems();

	private final SharedKeys sharedKeys = new SharedKeys();

	/** Whether all singletons are created and the problems have been reported. */
	private volatile boolean started;

	/** Whether this application also locks calls without a bean. */
	private volatile boolean addedToWovenCalls;

	private @Nullable ConfigurableListableBeanFactory beanFactory;

	private final SingletonSupplier<DistributedLockAdvisor> advisor = SingletonSupplier
		.of(() -> beanFactory().getBean(DistributedLockAdvisor.class));

	private final SingletonSupplier<AnnotatedClassCache> classes = SingletonSupplier
		.of(() -> AnnotatedClassCache.of(beanFactory()));

	private final SingletonSupplier<BiConsumer<Object, LockDeclaration>> adviceVerifier = SingletonSupplier
		.of(() -> this.advisor.obtain().adviceVerifier());

	/** The interceptor that represents this application in {@link WovenCalls}. */
	private final SingletonSupplier<MethodInterceptor> wovenCalls = SingletonSupplier
		.of(() -> this.advisor.obtain().wovenCalls());

	@Override
	public int getOrder() {
		return Ordered.HIGHEST_PRECEDENCE + 1;
	}

	@Override
	public void setBeanFactory(BeanFactory beanFactory) {
		this.beanFactory = (ConfigurableListableBeanFactory) beanFactory;
	}

	private ConfigurableListableBeanFactory beanFactory() {
		Assert.state(this.beanFactory != null, "setBeanFactory must be called first");
		return this.beanFactory;
	}

	/** Before the initialization of the bean, which may call locked methods. */
	@Override
	public boolean postProcessAfterInstantiation(Object bean, String beanName) {
		if (WeavingVerifier.isWoven(locks(bean.getClass(), beanName))) {
			WovenCalls.bind(bean, this.wovenCalls.obtain());
		}
		return true;
	}

	@Override
	public Object postProcessBeforeInitialization(Object bean, String beanName) {
		verifyClass(locks(bean.getClass(), beanName), beanName);
		return bean;
	}

	@Override
	public Object getEarlyBeanReference(Object bean, String beanName) {
		verify(bean, beanName);
		this.verifiedEarly.add(beanName);
		return bean;
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (!this.verifiedEarly.remove(beanName)) {
			verify(bean, beanName);
		}
		return bean;
	}

	@Override
	public void afterSingletonsInstantiated() {
		DistributedLockAdvisor lock = this.advisor.obtain();
		if (lock.mode() == AopMode.ASPECTJ) {
			WovenCalls.addApplication(this.wovenCalls.obtain());
			this.addedToWovenCalls = true;
		}
		Set<String> names = new LinkedHashSet<>(List.of(beanFactory().getBeanDefinitionNames()));
		// A singleton that was registered as an object has no definition.
		names.addAll(List.of(beanFactory().getSingletonNames()));
		names.forEach((name) -> this.problems.collect(name, () -> verifyAtStart(name)));
		if (lock.isEnabled()) {
			this.locksByClass.values()
				.forEach((locks) -> locks
					.forEach((declaration) -> this.problems.collect(null, () -> verifyRegistries(declaration))));
		}
		this.problems.report();
		this.started = true;
		this.verified.clear();
		if (lock.isEnabled()) {
			lock.verifyEnvironment();
		}
		else {
			logger.warn("distlock.enabled is false: methods annotated with @DistributedLock run without a lock");
		}
	}

	@Override
	public void destroy() {
		if (this.addedToWovenCalls) {
			WovenCalls.removeApplication(this.wovenCalls.obtain());
		}
	}

	/**
	 * Verify each bean as other post-processors have left it, and types of later beans.
	 */
	private void verifyAtStart(String beanName) {
		Object bean = beanFactory().getSingleton(beanName);
		Class<?> original = this.verified.get(beanName);
		if (bean != null && original != null && ClassUtils.getUserClass(bean) != original) {
			// A JDK proxy, or an object that a post-processor has put around the proxy.
			return;
		}
		boolean defined = beanFactory().containsBeanDefinition(beanName);
		if (bean == null) {
			Class<?> type = declaredType(beanName);
			List<LockDeclaration> locks = (type != null) ? locks(type, beanName) : List.of();
			// If the declared type is not final, the bean may be an instance of a
			// subclass.
			if (type != null && Modifier.isFinal(type.getModifiers())) {
				verifyClass(locks, beanName);
			}
		}
		else if (bean instanceof Advised || this.advisor.obtain().mode() != AopMode.PROXY
				|| defined && !beanFactory().getBean(PreRegisteredSingletons.class).contains(beanName)) {
			verify(bean, beanName);
		}
		else if (!locks(bean.getClass(), beanName).isEmpty()) {
			String message = "The methods of bean '" + beanName + "' (" + bean.getClass().getName()
					+ ") that are annotated with @DistributedLock run without a lock: the object was registered as a "
					+ "singleton, so it has no proxy. ";
			if (defined) {
				logger.debug(message + "It replaces a bean definition, as a mock in a test does");
			}
			else {
				logger.warn(message + "Register a bean definition instead");
			}
		}
	}

	/** Return the type of a locked bean that does not exist yet, if it is known. */
	private @Nullable Class<?> declaredType(String beanName) {
		try {
			Object original = beanFactory().getMergedBeanDefinition(beanName)
				.getAttribute(AutoProxyUtils.ORIGINAL_TARGET_CLASS_ATTRIBUTE);
			Class<?> type = (original instanceof Class<?> target) ? target : beanFactory().getType(beanName, false);
			return (type != null && this.classes.obtain().isLocked(type)) ? type : null;
		}
		catch (RuntimeException | LinkageError ex) {
			logger.debug("The type of bean '" + beanName + "' is not known before it is created", ex);
			return null;
		}
	}

	private void verifyClass(List<LockDeclaration> locks, String beanName) {
		if (!locks.isEmpty() && this.advisor.obtain().mode() == AopMode.PROXY) {
			ProxyVerifier.verifyClass(locks.get(0).method(), beanName, beanFactory());
		}
	}

	private void verify(Object bean, String beanName) {
		// The bean behind such a proxy is verified on its own.
		if (bean instanceof AopInfrastructureBean) {
			return;
		}
		Class<?> type = AopUtils.isAopProxy(bean) ? AopUtils.getTargetClass(bean) : bean.getClass();
		List<LockDeclaration> locks = locks(type, beanName);
		if (locks.isEmpty()) {
			return;
		}
		locks.forEach((declaration) -> this.adviceVerifier.obtain().accept(bean, declaration));
		locks.forEach((declaration) -> check(beanName, () -> this.sharedKeys.check(beanName, declaration)));
		if (!this.started) {
			this.verified.put(beanName, ClassUtils.getUserClass(type));
		}
		else if (this.advisor.obtain().isEnabled()) {
			locks.forEach(this::verifyRegistries);
		}
	}

	/**
	 * Find the locks of a bean class, and check their annotations.
	 */
	private List<LockDeclaration> locks(Class<?> type, String beanName) {
		Class<?> beanClass = ClassUtils.getUserClass(type);
		List<LockDeclaration> locks = this.locksByClass.get(beanClass);
		if (locks == null) {
			// Look up the advisor only if it is needed: it may be the bean that is being
			// created.
			locks = this.classes.obtain().isLocked(beanClass) ? this.advisor.obtain().definitions().readAll(beanClass)
					: List.of();
			this.locksByClass.put(beanClass, locks);
		}
		for (LockDeclaration declaration : locks) {
			LockDefinitionException problem = declaration.problem();
			if (problem == null || declaration.isInheritedFinal()) {
				continue;
			}
			if (declaration.isUnreachable() && this.advisor.obtain().mode() == AopMode.PROXY) {
				throw problem;
			}
			check(beanName, () -> {
				throw problem;
			});
		}
		return locks;
	}

	private void verifyRegistries(LockDeclaration declaration) {
		declaration.locks().forEach(this.advisor.obtain().registries()::verify);
	}

	/** Until the start has ended, collect the problem for the report. */
	private void check(String beanName, Runnable check) {
		if (this.started) {
			check.run();
		}
		else {
			this.problems.collect(beanName, check);
		}
	}

}
