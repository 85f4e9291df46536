package io.github.distlock.aop;

import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.github.distlock.DistributedLock;
import org.aopalliance.intercept.MethodInterceptor;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.ProxyConfig;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.SmartInstantiationAwareBeanPostProcessor;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.Assert;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.function.SingletonSupplier;

/**
 * Refuses beans whose annotated methods cannot be locked: each when it is created, those
 * that are not created yet when the application has started. Runs right after the proxies
 * are made. Where a weaver is at work it tells {@link WovenCalls} whose the beans are.
 */
class LockedBeanVerifier implements SmartInstantiationAwareBeanPostProcessor, SmartInitializingSingleton,
		BeanFactoryAware, DisposableBean, Ordered {

	private static final Log logger = LogFactory.getLog(LockedBeanVerifier.class);

	private static final boolean WOVEN = WovenMethods.areThere();

	private final Map<Class<?>, Collection<LockDefinition>> known = new ConcurrentHashMap<>();

	/** Beans whose proxy was made, and verified, before they were complete. */
	private final Set<String> early = ConcurrentHashMap.newKeySet();

	/** Registries are asked for only when all beans that were to be created are. */
	private volatile boolean registriesAreThere;

	/** Whether calls without a bean are ours, too. */
	private volatile boolean entered;

	private @Nullable ConfigurableListableBeanFactory beanFactory;

	private final SingletonSupplier<DistributedLockAdvisor> advisor = SingletonSupplier
		.of(() -> beanFactory().getBean(DistributedLockAdvisor.class));

	private final SingletonSupplier<LockedReach> reach = SingletonSupplier.of(() -> this.advisor.obtain().reach());

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
		if (WOVEN && !definitions(bean.getClass()).isEmpty()) {
			WovenCalls.bind(bean, this.wovenCalls.obtain());
		}
		return true;
	}

	@Override
	public Object postProcessBeforeInitialization(Object bean, String beanName) {
		definitions(bean.getClass()).stream().findFirst().ifPresent((first) -> verifyOpenClass(first, beanName));
		return bean;
	}

	@Override
	public Object getEarlyBeanReference(Object bean, String beanName) {
		verify(bean);
		this.early.add(beanName);
		return bean;
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (!this.early.remove(beanName)) {
			verify(bean);
		}
		return bean;
	}

	@Override
	public void destroy() {
		if (this.entered) {
			WovenCalls.leave(this.wovenCalls.obtain());
		}
	}

	@Override
	public void afterSingletonsInstantiated() {
		if (this.advisor.obtain().mode() == AopMode.ASPECTJ) {
			WovenCalls.enter(this.wovenCalls.obtain());
			this.entered = true;
		}
		HandMadeSingletons handMade = beanFactory().getBean(HandMadeSingletons.class);
		// Singletons that somebody else has made are beans without a definition.
		Set<String> names = new LinkedHashSet<>(List.of(beanFactory().getBeanDefinitionNames()));
		names.addAll(List.of(beanFactory().getSingletonNames()));
		for (String beanName : names) {
			Object bean = beanFactory().getSingleton(beanName);
			if (bean == null) {
				verifyType(beanName);
			}
			else if (handMade.contains(beanName)) {
				verifyHandMade(bean, beanName);
			}
			else {
				verify(bean);
			}
		}
		if (this.advisor.obtain().isEnabled()) {
			this.advisor.obtain().verifyRuntime();
			this.known.values().forEach(this::verifyRegistries);
			this.registriesAreThere = true;
		}
		else {
			logger.warn("distlock.enabled is false: methods annotated with @DistributedLock run without a lock");
		}
	}

	/**
	 * A mock is no mistake, and locks nothing by intention.
	 */
	private void verifyHandMade(Object bean, String beanName) {
		if (bean instanceof Advised || this.advisor.obtain().mode() == AopMode.ASPECTJ) {
			verify(bean);
		}
		else if (!definitions(bean.getClass()).isEmpty()) {
			logger.warn("The methods of bean '" + beanName + "' (" + bean.getClass().getName()
					+ ") that are annotated with @DistributedLock run without a lock: the object was registered as it "
					+ "is, so it has no proxy. Unless it is a mock, have Spring make it, as a bean definition");
		}
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
			annotated = type != null && isAnnotated(ClassUtils.getUserClass(type));
		}
		catch (RuntimeException | LinkageError ex) {
			logger.debug("The type of bean '" + beanName + "' is not known before it is created", ex);
		}
		if (type != null && annotated) {
			definitions(type);
		}
	}

	private void verify(Object bean) {
		// The bean behind such a proxy is verified by itself.
		if (!(bean instanceof AopInfrastructureBean)) {
			Class<?> type = AopUtils.isAopProxy(bean) ? AopUtils.getTargetClass(bean) : bean.getClass();
			Collection<LockDefinition> definitions = definitions(type);
			definitions.forEach((definition) -> this.reach.obtain().verify(bean, definition));
			if (this.registriesAreThere) {
				verifyRegistries(definitions);
			}
		}
	}

	private void verifyRegistries(Collection<LockDefinition> definitions) {
		definitions.forEach(this.advisor.obtain().registries()::verify);
	}

	private Collection<LockDefinition> definitions(Class<?> type) {
		Class<?> beanClass = ClassUtils.getUserClass(type);
		Collection<LockDefinition> definitions = this.known.get(beanClass);
		if (definitions == null) {
			// The advisor must not be asked for before there is a reason: it may be the
			// bean that is just being created.
			definitions = isAnnotated(beanClass) ? this.advisor.obtain().definitions().all(beanClass) : Set.of();
			this.known.put(beanClass, definitions);
		}
		return definitions;
	}

	private static boolean isAnnotated(Class<?> beanClass) {
		return AnnotationUtils.isCandidateClass(beanClass, DistributedLock.class)
				&& !MethodIntrospector
					.selectMethods(beanClass,
							(ReflectionUtils.MethodFilter) (
									method) -> !LockAnnotation.find(method, beanClass).isEmpty())
					.isEmpty();
	}

	/**
	 * Said before the proxy is made: the failure of CGLIB names no annotation.
	 */
	private void verifyOpenClass(LockDefinition definition, String beanName) {
		if (this.advisor.obtain().mode() != AopMode.PROXY) {
			return;
		}
		Class<?> type = definition.where().beanClass();
		boolean closed = (Modifier.isFinal(type.getModifiers()) || type.isSealed()) && !Proxy.isProxyClass(type)
				&& !ClassUtils.isLambdaClass(type);
		if (closed && (isClassProxied(beanName) || ClassUtils.getAllInterfacesForClass(type).length == 0)) {
			throw definition.where()
				.refuse("is in a final or sealed class, which a class-based proxy cannot extend: make the class "
						+ "non-final, or have it implement an interface and use interface-based proxies");
		}
	}

	private boolean isClassProxied(String beanName) {
		return AutoProxyUtils.shouldProxyTargetClass(beanFactory(), beanName)
				|| beanFactory().getBean(AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME) instanceof ProxyConfig config
						&& config.isProxyTargetClass();
	}

}
