package io.github.distlock.aop;

import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.github.distlock.LockDefinitionException;
import io.github.distlock.aop.weaving.LockWeaving;
import io.github.distlock.aop.weaving.WovenCalls;
import org.aopalliance.intercept.MethodInterceptor;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.SmartInstantiationAwareBeanPostProcessor;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.MethodIntrospector.MetadataLookup;
import org.springframework.core.Ordered;
import org.springframework.util.Assert;
import org.springframework.util.function.SingletonSupplier;

/**
 * Refuses beans whose annotations are wrong, or whose annotated methods would run without
 * their locks. A bean is checked when it is created, right after its proxy. Registries
 * are checked when all singletons exist, and so are the annotations of beans that are
 * created later. Beans of woven classes are also bound to this application in
 * {@link WovenCalls}.
 */
class LockedBeanVerifier implements SmartInstantiationAwareBeanPostProcessor, SmartInitializingSingleton,
		BeanFactoryAware, DisposableBean, Ordered {

	private static final Log logger = LogFactory.getLog(LockedBeanVerifier.class);

	/** One annotation of each locked method, by the class of the bean. */
	private final Map<Class<?>, List<LockAnnotation>> locksByClass = new ConcurrentHashMap<>();

	/** Beans whose proxy was created and verified before the bean was initialized. */
	private final Set<String> verifiedEarly = ConcurrentHashMap.newKeySet();

	/** Beans that were verified when they were created, during the start. */
	private final Set<String> verified = ConcurrentHashMap.newKeySet();

	/** Whether all singletons are created. */
	private volatile boolean started;

	/** Whether this application also locks calls without a bean. */
	private volatile boolean addedToWovenCalls;

	private @Nullable ConfigurableListableBeanFactory beanFactory;

	private final SingletonSupplier<DistributedLockAdvisor> advisor = SingletonSupplier
		.of(() -> beanFactory().getBean(DistributedLockAdvisor.class));

	private final SingletonSupplier<ProxyVerifier> proxies = SingletonSupplier
		.of(() -> new ProxyVerifier(this.advisor.obtain()));

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
		if (locks(bean.getClass()).stream().anyMatch((lock) -> LockWeaving.isWoven(lock.method().method()))) {
			WovenCalls.bind(bean, this.wovenCalls.obtain());
		}
		return true;
	}

	@Override
	public Object postProcessBeforeInitialization(Object bean, String beanName) {
		List<LockAnnotation> locks = locks(bean.getClass());
		if (!locks.isEmpty()) {
			this.proxies.obtain().verifyClass(locks.get(0).method(), beanName, beanFactory());
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
	public void afterSingletonsInstantiated() {
		DistributedLockAdvisor lock = this.advisor.obtain();
		if (lock.mode() == AopMode.ASPECTJ) {
			WovenCalls.addApplication(this.wovenCalls.obtain());
			this.addedToWovenCalls = true;
		}
		ExistingSingletons existing = beanFactory().getBean(ExistingSingletons.class);
		for (String name : beanFactory().getBeanDefinitionNames()) {
			Object bean = beanFactory().getSingleton(name);
			if (bean == null) {
				Class<?> type = declaredType(name);
				if (type != null) {
					locks(type);
				}
			}
			else if (!this.verified.contains(name) && !existing.names.contains(name)) {
				// Created before this post-processor, and so before the proxy creators.
				verify(bean, name);
			}
		}
		this.started = true;
		this.verified.clear();
		if (lock.isEnabled()) {
			this.locksByClass.values().forEach(this::verifyRegistries);
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

	/** Return the type of a bean that does not exist yet, if it is known. */
	private @Nullable Class<?> declaredType(String beanName) {
		try {
			return AutoProxyUtils.determineTargetClass(beanFactory(), beanName);
		}
		catch (RuntimeException | LinkageError ex) {
			logger.debug("The type of bean '" + beanName + "' is not known before it is created", ex);
			return null;
		}
	}

	private void verify(Object bean, String beanName) {
		// The bean behind such a proxy is verified on its own.
		if (bean instanceof AopInfrastructureBean) {
			return;
		}
		List<LockAnnotation> locks = locks(AopUtils.isAopProxy(bean) ? AopUtils.getTargetClass(bean) : bean.getClass());
		locks.forEach((annotation) -> this.proxies.obtain().verify(bean, annotation));
		if (!this.started) {
			this.verified.add(beanName);
		}
		else if (!locks.isEmpty() && this.advisor.obtain().isEnabled()) {
			verifyRegistries(locks);
		}
	}

	/**
	 * Find the locks of a bean class, and check their annotations.
	 * @throws LockDefinitionException if an annotation is wrong
	 */
	private List<LockAnnotation> locks(Class<?> type) {
		Class<?> beanClass = GeneratedClass.userClass(type);
		List<LockAnnotation> locks = this.locksByClass.get(beanClass);
		if (locks == null) {
			locks = new ArrayList<>();
			// Look up the advisor only if it is needed: it may be the bean that is being
			// created.
			if (LockAnnotationFinder.of(beanFactory()).isLocked(beanClass)) {
				MetadataLookup<LockAnnotation> first = (
						method) -> LockAnnotationFinder.find(method, beanClass).stream().findFirst().orElse(null);
				for (LockAnnotation annotation : MethodIntrospector.selectMethods(beanClass, first).values()) {
					if (!isInheritedFinal(annotation)) {
						this.advisor.obtain().definitions().find(annotation.method().method(), beanClass);
						locks.add(annotation);
					}
				}
			}
			this.locksByClass.put(beanClass, locks);
		}
		return locks;
	}

	/**
	 * The author of an annotation on a class can neither change nor exclude a final
	 * method that the class inherits.
	 */
	private static boolean isInheritedFinal(LockAnnotation annotation) {
		LockedMethod method = annotation.method();
		boolean inheritedFinal = annotation.isOnClass() && Modifier.isFinal(method.method().getModifiers())
				&& method.method().getDeclaringClass() != method.beanClass();
		if (inheritedFinal) {
			logger.warn("@DistributedLock on the class of " + method
					+ " does not lock this method, because it is final "
					+ "and a class-based proxy cannot intercept it. To avoid this warning, annotate the methods that need "
					+ "a lock instead of the class");
		}
		return inheritedFinal;
	}

	private void verifyRegistries(List<LockAnnotation> locks) {
		for (LockAnnotation annotation : locks) {
			LockedMethod method = annotation.method();
			this.advisor.obtain()
				.definitions()
				.find(method.method(), method.beanClass())
				.ifPresent((found) -> found.locks().forEach(this.advisor.obtain().registries()::verify));
		}
	}

	/**
	 * Knows which singletons existed before the beans of the application, such as mocks
	 * that replace beans in a test. They were registered as objects, so that they have no
	 * proxies.
	 */
	static class ExistingSingletons implements BeanFactoryPostProcessor, Ordered {

		private Set<String> names = Set.of();

		/** After post-processors that register singletons. */
		@Override
		public int getOrder() {
			return Ordered.LOWEST_PRECEDENCE;
		}

		@Override
		public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
			this.names = Set.of(beanFactory.getSingletonNames());
		}

	}

}
