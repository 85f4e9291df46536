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
 * are made. Where a weaver is at work it tells {@link WovenCalls} whose the beans are.
 * <p>
 * What is wrong with an annotation is collected until all singletons are created, so that
 * one report names all of it. Until then the proxy refuses calls of such a method. If
 * calls would not pass the proxy, the report comes at once, and includes the beans that
 * are not created yet as far as their types are known. Later, each bean is refused when
 * it is created.
 */
class LockedBeanVerifier implements SmartInstantiationAwareBeanPostProcessor, SmartInitializingSingleton,
		BeanFactoryAware, DisposableBean, Ordered {

	private static final Log logger = LogFactory.getLog(LockedBeanVerifier.class);

	private final Map<Class<?>, BeanLocks> locksByClass = new ConcurrentHashMap<>();

	/** Beans whose proxy was made, and verified, before they were complete. */
	private final Set<String> verifiedEarly = ConcurrentHashMap.newKeySet();

	/**
	 * The classes of beans that were verified when they were created, until the report.
	 */
	private final Map<String, Class<?>> verified = new ConcurrentHashMap<>();

	private final LockProblems problems = new LockProblems();

	private final SharedKeys sharedKeys = new SharedKeys();

	/** Whether all singletons are created and the report has been made. */
	private volatile boolean started;

	/** Registries are asked for only when all beans that were to be created are. */
	private volatile boolean registriesAvailable;

	/** Whether calls without a bean are ours, too. */
	private volatile boolean entered;

	private @Nullable ConfigurableListableBeanFactory beanFactory;

	private final SingletonSupplier<DistributedLockAdvisor> advisor = SingletonSupplier
		.of(() -> beanFactory().getBean(DistributedLockAdvisor.class));

	private final SingletonSupplier<LockedClasses> classes = SingletonSupplier
		.of(() -> LockedClasses.of(beanFactory()));

	/** Whether the types of all beans are being searched, which must not begin again. */
	private final AtomicBoolean scanning = new AtomicBoolean();

	private final SingletonSupplier<AdviceVerifier> adviceVerifier = SingletonSupplier
		.of(() -> this.advisor.obtain().adviceVerifier());

	/** Of this application, once it is asked for. */
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

	/** As soon as there is an object: its own initialization may call locked methods. */
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
			throw failed(beanName, ex);
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
			// The start has failed for another reason, and nothing has reported them yet.
			logger.error(this.problems.exception().getMessage());
		}
		if (this.entered) {
			WovenCalls.removeApplication(this.wovenCalls.obtain());
		}
	}

	@Override
	public void afterSingletonsInstantiated() {
		if (this.advisor.obtain().mode() == AopMode.ASPECTJ) {
			WovenCalls.addApplication(this.wovenCalls.obtain());
			this.entered = true;
		}
		Set<String> names = new LinkedHashSet<>(List.of(beanFactory().getBeanDefinitionNames()));
		// A singleton that was registered as an object has no definition.
		names.addAll(List.of(beanFactory().getSingletonNames()));
		names.forEach(
				(name) -> this.problems.collect(name, () -> verifyAtStart(name, beanFactory().getSingleton(name))));
		this.sharedKeys.report(this.problems::add);
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

	/** The report comes before any other failure of the start. */
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
	 * A bean that is created later: what can be said of its type is said now.
	 */
	private void verifyType(String beanName) {
		Class<?> type = null;
		boolean annotated = false;
		try {
			Object original = beanFactory().getMergedBeanDefinition(beanName)
				.getAttribute(AutoProxyUtils.ORIGINAL_TARGET_CLASS_ATTRIBUTE);
			type = (original instanceof Class<?> known) ? known : beanFactory().getType(beanName, false);
			annotated = type != null && this.classes.obtain().isLocked(type);
		}
		catch (RuntimeException | LinkageError ex) {
			logger.debug("The type of bean '" + beanName + "' is not known before it is created", ex);
		}
		if (type != null && annotated) {
			BeanLocks locks = locks(type, beanName);
			// A bean of a declared type that is not final may have another class.
			if (!locks.isEmpty() && Modifier.isFinal(type.getModifiers())
					&& this.advisor.obtain().mode() == AopMode.PROXY) {
				FinalClassCheck.check(locks.declarations().get(0).method(), beanName, beanFactory());
			}
			if (DeclaredType.isExact(type, beanName, beanFactory())) {
				this.sharedKeys.add(beanName, locks.valid());
			}
		}
	}

	private void verify(Object bean, String beanName) {
		// The bean behind such a proxy is verified by itself.
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
			throw failed(beanName, ex);
		}
		if (this.started) {
			this.sharedKeys.check(beanName, locks.valid());
		}
		else {
			this.verified.put(beanName, ClassUtils.getUserClass(type));
		}
		this.sharedKeys.add(beanName, locks.valid());
		if (this.registriesAvailable) {
			locks.valid().forEach(this.advisor.obtain().registries()::verify);
		}
	}

	/**
	 * Read the annotations of a bean class. Problems are collected if calls of the method
	 * pass a proxy, which refuses them.
	 * @throws LockDefinitionException if calls would not, or the application has started
	 */
	private BeanLocks locks(Class<?> type, String beanName) {
		Class<?> beanClass = ClassUtils.getUserClass(type);
		BeanLocks locks = this.locksByClass.get(beanClass);
		if (locks == null) {
			// The advisor must not be asked for before there is a reason: it may be the
			// bean that is just being created.
			locks = this.classes.obtain().isLocked(beanClass) ? definitions().all(beanClass) : BeanLocks.NONE;
			this.locksByClass.put(beanClass, locks);
		}
		for (BeanLocks.Invalid invalid : locks.invalid()) {
			if (!invalid.declaration().isClosed()) {
				if (this.started) {
					throw invalid.problems().get(0);
				}
				invalid.problems().forEach((problem) -> this.problems.add(beanName, problem));
				if (invalid.declaration().isUnreachable() && this.advisor.obtain().mode() == AopMode.PROXY) {
					throw failed(beanName, invalid.problems().get(0));
				}
			}
		}
		return locks;
	}

	private LockDefinitions definitions() {
		LockDefinitions definitions = this.advisor.obtain().definitions();
		definitions.reportWith((problem) -> this.started ? problem : failed(null, problem));
		return definitions;
	}

	/** Make the report of everything that is known to be wrong. */
	private LockDefinitionException failed(@Nullable String beanName, LockDefinitionException problem) {
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
