package io.github.distlock.aop;

import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.distlock.LockDefinitionException;
import io.github.distlock.aop.weaving.WovenCalls;
import org.aopalliance.intercept.MethodInterceptor;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopInfrastructureBean;
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
 * Problems of annotations are collected until all singletons are created, for one report
 * of all problems. Until then, the proxy refuses calls of methods with a problem. If
 * calls would not pass the proxy, the report is made at once. It then includes the beans
 * that are not created yet, as far as their types are known. After the start, each bean
 * is refused when it is created.
 */
class LockedBeanVerifier implements SmartInstantiationAwareBeanPostProcessor, SmartInitializingSingleton,
		BeanFactoryAware, DisposableBean, Ordered {

	private static final Log logger = LogFactory.getLog(LockedBeanVerifier.class);

	private final Map<Class<?>, BeanLocks> locksByClass = new ConcurrentHashMap<>();

	/** Beans whose proxy was created and verified before the bean was initialized. */
	private final Set<String> verifiedEarly = ConcurrentHashMap.newKeySet();

	/**
	 * The classes of the beans that were verified when they were created. Cleared after
	 * the report.
	 */
	private final Map<String, Class<?>> verified = new ConcurrentHashMap<>();

	private final LockProblems problems = new LockProblems();

	private final SharedKeys sharedKeys = new SharedKeys();

	/** Whether all singletons are created and the problems have been reported. */
	private volatile boolean started;

	/** Registries are looked up only after all singletons are created. */
	private volatile boolean registriesAvailable;

	/** Whether this application also locks calls without a bean. */
	private volatile boolean addedToWovenCalls;

	private @Nullable ConfigurableListableBeanFactory beanFactory;

	private final SingletonSupplier<DistributedLockAdvisor> advisor = SingletonSupplier
		.of(() -> beanFactory().getBean(DistributedLockAdvisor.class));

	private final SingletonSupplier<LockedClasses> classes = SingletonSupplier
		.of(() -> LockedClasses.of(beanFactory()));

	/**
	 * Whether the types of all beans are being searched: a search must not start another
	 * one.
	 */
	private final AtomicBoolean scanning = new AtomicBoolean();

	private final SingletonSupplier<AdviceVerifier> adviceVerifier = SingletonSupplier
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
		BeanLocks locks = locks(bean.getClass(), beanName);
		try {
			if (!locks.isEmpty() && this.advisor.obtain().mode() == AopMode.PROXY) {
				FinalClassCheck.check(locks.declarations().get(0).method(), beanName, beanFactory());
			}
		}
		catch (LockDefinitionException ex) {
			throw report(beanName, ex);
		}
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
	public void destroy() {
		if (!this.problems.isEmpty() && !this.problems.areReported()) {
			// The start has failed for another reason, and the problems are not reported
			// yet.
			logger.error(this.problems.exception().getMessage());
		}
		if (this.addedToWovenCalls) {
			WovenCalls.removeApplication(this.wovenCalls.obtain());
		}
	}

	@Override
	public void afterSingletonsInstantiated() {
		if (this.advisor.obtain().mode() == AopMode.ASPECTJ) {
			WovenCalls.addApplication(this.wovenCalls.obtain());
			this.addedToWovenCalls = true;
		}
		Set<String> names = new LinkedHashSet<>(List.of(beanFactory().getBeanDefinitionNames()));
		// A singleton that was registered as an object has no definition.
		names.addAll(List.of(beanFactory().getSingletonNames()));
		names.forEach(
				(name) -> this.problems.collect(name, () -> verifyAtStart(name, beanFactory().getSingleton(name))));
		boolean enabled = this.advisor.obtain().isEnabled();
		verifyRegistriesAtStart(enabled);
		this.started = true;
		this.verified.clear();
		if (enabled) {
			this.advisor.obtain().verifyEnvironment();
			this.registriesAvailable = true;
		}
		else {
			logger.warn("distlock.enabled is false: methods annotated with @DistributedLock run without a lock");
		}
	}

	private void verifyAtStart(String beanName, @Nullable Object bean) {
		if (bean == null) {
			verifyType(beanName);
		}
		else if (isPreRegistered(bean, beanName)) {
			if (!locks(bean.getClass(), beanName).isEmpty()) {
				PreRegisteredSingletons.logUnlocked(bean, beanName, beanFactory().getBeanClassLoader());
			}
		}
		else if (!isWrapped(bean, beanName)) {
			verify(bean, beanName);
		}
	}

	private boolean isPreRegistered(Object bean, String beanName) {
		return !(bean instanceof Advised) && this.advisor.obtain().mode() == AopMode.PROXY
				&& beanFactory().getBean(PreRegisteredSingletons.class).contains(beanName);
	}

	/**
	 * Whether another post-processor has put an object around the proxy that was verified
	 * when the bean was created.
	 */
	private boolean isWrapped(Object bean, String beanName) {
		Class<?> original = this.verified.get(beanName);
		return original != null && !(bean instanceof Advised) && ClassUtils.getUserClass(bean) != original;
	}

	/** The report takes precedence over other failures of the start. */
	private void verifyRegistriesAtStart(boolean enabled) {
		RuntimeException failure = null;
		if (enabled) {
			try {
				this.locksByClass.values().forEach((locks) -> locks.valid().forEach(this::verifyRegistryAtStart));
			}
			catch (RuntimeException ex) {
				failure = ex;
			}
		}
		if (!this.problems.isEmpty()) {
			RuntimeException report = this.problems.report();
			if (failure != null) {
				report.addSuppressed(failure);
			}
			throw report;
		}
		if (failure != null) {
			throw failure;
		}
	}

	private void verifyRegistryAtStart(LockDefinition definition) {
		this.problems.collect(null, () -> this.advisor.obtain().registries().verify(definition));
	}

	/**
	 * Verify a bean that is created later, as far as its type is known.
	 */
	private void verifyType(String beanName) {
		Class<?> type = null;
		boolean annotated = false;
		try {
			type = DeclaredType.of(beanName, beanFactory());
			annotated = type != null && this.classes.obtain().isLocked(type);
		}
		catch (RuntimeException | LinkageError ex) {
			logger.debug("The type of bean '" + beanName + "' is not known before it is created", ex);
		}
		if (type != null && annotated) {
			BeanLocks locks = locks(type, beanName);
			// If the declared type is not final, the bean may be an instance of a
			// subclass.
			if (!locks.isEmpty() && Modifier.isFinal(type.getModifiers())
					&& this.advisor.obtain().mode() == AopMode.PROXY) {
				FinalClassCheck.check(locks.declarations().get(0).method(), beanName, beanFactory());
			}
		}
	}

	private void verify(Object bean, String beanName) {
		// The bean behind such a proxy is verified on its own.
		if (bean instanceof AopInfrastructureBean) {
			return;
		}
		Class<?> type = AopUtils.isAopProxy(bean) ? AopUtils.getTargetClass(bean) : bean.getClass();
		BeanLocks locks = locks(type, beanName);
		if (locks.isEmpty()) {
			return;
		}
		try {
			locks.declarations().forEach((declaration) -> this.adviceVerifier.obtain().verify(bean, declaration));
		}
		catch (LockDefinitionException ex) {
			throw report(beanName, ex);
		}
		if (this.started) {
			locks.valid().forEach((definition) -> this.sharedKeys.check(beanName, definition));
		}
		else {
			this.verified.put(beanName, ClassUtils.getUserClass(type));
			locks.valid()
				.forEach((definition) -> this.problems.collect(beanName,
						() -> this.sharedKeys.check(beanName, definition)));
		}
		if (this.registriesAvailable) {
			locks.valid().forEach(this.advisor.obtain().registries()::verify);
		}
	}

	/**
	 * Read the annotations of a bean class. Problems are collected if a proxy refuses
	 * calls of the method.
	 * @throws LockDefinitionException if calls would not pass a proxy, or the application
	 * has started
	 */
	private BeanLocks locks(Class<?> type, String beanName) {
		Class<?> beanClass = ClassUtils.getUserClass(type);
		BeanLocks locks = this.locksByClass.get(beanClass);
		if (locks == null) {
			// Look up the advisor only if it is needed: it may be the bean that is being
			// created.
			locks = this.classes.obtain().isLocked(beanClass) ? definitions().readAll(beanClass) : BeanLocks.NONE;
			this.locksByClass.put(beanClass, locks);
		}
		for (BeanLocks.Invalid invalid : locks.invalid()) {
			if (!invalid.declaration().isInheritedFinal()) {
				if (this.started) {
					throw invalid.problems().get(0);
				}
				invalid.problems().forEach((problem) -> this.problems.add(beanName, problem));
				if (invalid.declaration().isUnreachable() && this.advisor.obtain().mode() == AopMode.PROXY) {
					throw report(beanName, invalid.problems().get(0));
				}
			}
		}
		return locks;
	}

	private LockDefinitions definitions() {
		LockDefinitions definitions = this.advisor.obtain().definitions();
		definitions.reportWith((problem) -> this.started ? problem : report(null, problem));
		return definitions;
	}

	/** Create the report of all problems that can be found now. */
	private LockDefinitionException report(@Nullable String beanName, LockDefinitionException problem) {
		if (this.started) {
			return problem;
		}
		this.problems.add(beanName, problem);
		if (this.scanning.compareAndSet(false, true)) {
			try {
				Arrays.stream(beanFactory().getBeanDefinitionNames())
					.filter((name) -> !beanFactory().containsSingleton(name))
					.forEach((name) -> this.problems.collect(name, () -> verifyAtStart(name, null)));
			}
			finally {
				this.scanning.set(false);
			}
		}
		return this.problems.exception();
	}

}
