package io.github.distlock.aop;

import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.github.distlock.aop.LockAnnotationFinder.LockAnnotation;
import io.github.distlock.aop.weaving.WovenCalls;
import io.github.distlock.thread.LockLog;
import io.github.distlock.transaction.TransactionBoundary;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.Advisor;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.ProxyConfig;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.SmartInstantiationAwareBeanPostProcessor;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.Assert;
import org.springframework.util.ClassUtils;

/**
 * Refuses beans whose annotations are wrong, or whose annotated methods would run without
 * their locks or with the lock inside the transaction. A bean is checked when it is
 * created, right after its proxy; in mode {@code proxy}, one without a proxy is refused,
 * unless it was referred to early and its proxy was checked then. A bean that is created
 * before this class is not checked: when all singletons exist, a warning names it. Beans
 * of woven classes are also bound to this application in {@link WovenCalls}.
 */
class LockedBeanVerifier
		implements SmartInstantiationAwareBeanPostProcessor, SmartInitializingSingleton, BeanFactoryAware, Ordered {

	private static final Log logger = LockLog.of(LockedBeanVerifier.class);

	private static final String NON_FINAL = "Make it non-final, in Kotlin with 'open' or the compiler plugin "
			+ "kotlin-spring, or have the bean implement an interface and use interface-based proxies "
			+ "(spring.aop.proxy-target-class=false)";

	/** Spring calls such a method while it makes the beans, or their results. */
	private static final List<String> FACTORY_METHODS = List.of("org.springframework.context.annotation.Bean",
			"org.springframework.beans.factory.FactoryBean#getObject");

	/** Spring calls such a method of the object itself, and not of its proxy. */
	private static final List<String> LIFECYCLE_METHODS = List.of("jakarta.annotation.PostConstruct",
			"jakarta.annotation.PreDestroy", "org.springframework.beans.factory.annotation.Autowired",
			"jakarta.inject.Inject", "org.springframework.beans.factory.InitializingBean#afterPropertiesSet",
			"org.springframework.beans.factory.DisposableBean#destroy");

	/** The bean of Spring that knows the mocks of a test. */
	private static final String MOCKS = "org.springframework.test.context.bean.override.internalBeanOverrideRegistry";

	private @Nullable ConfigurableListableBeanFactory beanFactory;

	/** Looked up only for a bean with locks: it may be the bean that is being created. */
	private final Supplier<DistributedLockAdvisor> advisor = LockEnvironment
		.cached(() -> beanFactory().getBean(DistributedLockAdvisor.class));

	/** The beans that others got while they were created, with their proxies. */
	private final Set<String> early = ConcurrentHashMap.newKeySet();

	/** The beans with locks that were checked. */
	private final Set<String> checked = ConcurrentHashMap.newKeySet();

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
		List<LockAnnotation> locks = locks(bean.getClass());
		if (locks.stream().anyMatch((lock) -> WovenCalls.isWoven(lock.method().method()))) {
			WovenCalls.bind(bean, this.advisor.get().wovenCalls());
		}
		else if (!locks.isEmpty() && isFinal(bean) && this.advisor.get().mode() == AopMode.PROXY) {
			throw locks.get(0)
				.method()
				.refuse("is in a final class, of which Spring can create no class-based proxy. " + NON_FINAL);
		}
		return true;
	}

	/** Spring itself would name neither the lock nor what is special in Kotlin. */
	private boolean isFinal(Object bean) {
		Class<?> type = bean.getClass();
		return Modifier.isFinal(type.getModifiers()) && !LockedMethod.isGenerated(type)
				&& (ClassUtils.getAllInterfacesForClass(type).length == 0
						|| beanFactory().getBean(AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME, ProxyConfig.class)
							.isProxyTargetClass());
	}

	@Override
	public Object getEarlyBeanReference(Object bean, String beanName) {
		postProcessAfterInitialization(bean, beanName);
		this.early.add(beanName);
		return bean;
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		// The bean behind such a proxy is verified on its own.
		if (!(bean instanceof AopInfrastructureBean && AopUtils.isAopProxy(bean))) {
			Class<?> type = AopUtils.isAopProxy(bean) ? AopUtils.getTargetClass(bean) : bean.getClass();
			locks(type).forEach((annotation) -> verify(bean, beanName, annotation));
		}
		return bean;
	}

	/** Warn of the beans with locks that Spring has created before this class. */
	@Override
	public void afterSingletonsInstantiated() {
		if (beanFactory().containsSingleton(MOCKS)) {
			// Spring does not tell which beans they have replaced.
			return;
		}
		for (String name : beanFactory().getSingletonNames()) {
			Object bean = beanFactory().getSingleton(name);
			if (bean != null && !this.checked.contains(name) && beanFactory().containsBeanDefinition(name)) {
				locks(bean.getClass()).stream()
					.map(LockAnnotation::method)
					.filter((method) -> this.advisor.get().mode() == AopMode.PROXY
							&& !WovenCalls.isWoven(method.method()))
					.findFirst()
					.ifPresent((method) -> logger.warn("Bean '" + name + "' runs without its locks, such as that on "
							+ method + ": Spring has created it before it could create proxies, because a"
							+ " BeanFactoryPostProcessor or BeanPostProcessor, or the configuration that declares one,"
							+ " needs it. Let it get this bean later, by an ObjectProvider, or declare its bean method"
							+ " static"));
			}
		}
	}

	private List<LockAnnotation> locks(Class<?> type) {
		return LockAnnotationFinder.of(beanFactory()).locks(type);
	}

	private void verify(Object bean, String beanName, LockAnnotation annotation) {
		LockedMethod method = annotation.method();
		this.checked.add(beanName);
		verifyCaller(beanName, annotation);
		this.advisor.get().definitions().find(method.method(), method.beanClass());
		if (this.advisor.get().mode() == AopMode.ASPECTJ) {
			verifyWoven(bean, method);
		}
		else if (bean instanceof Advised advised) {
			verifyProxy(advised, annotation);
		}
		else if (!this.early.contains(beanName)) {
			throw method
				.refuse("would not be locked: Spring has created no proxy for the bean, as for each aspect, advice "
						+ "and advisor, and for each bean that one of them or a BeanFactoryPostProcessor needs. Move the "
						+ "method to a bean of another class, and call it there, or let them get this bean later, by an "
						+ "ObjectProvider");
		}
	}

	/** Refuse a method that Spring itself calls, and which the lock does not reach. */
	private void verifyCaller(String beanName, LockAnnotation annotation) {
		LockedMethod method = annotation.method();
		if (FACTORY_METHODS.stream().anyMatch((caller) -> isCalledBy(caller, method))) {
			throw method.refuse("would lock the making of a bean, and never its work: write the annotation on the "
					+ "method that does the work, in the class of that bean");
		}
		if (!annotation.isOnClass() && this.advisor.get().mode() == AopMode.PROXY
				&& (LIFECYCLE_METHODS.stream().anyMatch((caller) -> isCalledBy(caller, method))
						|| isNamedInDefinition(beanName, method))) {
			throw method
				.refuse("would not be locked: Spring calls the method when it makes or destroys the bean, and not "
						+ "through the proxy. Do the work in an ApplicationRunner or a listener of ContextClosedEvent, which "
						+ "call a locked method of this bean, or use LockRegistry in the method");
		}
	}

	/** Whether a method has an annotation, or implements a method, of this name. */
	private static boolean isCalledBy(String caller, LockedMethod method) {
		String[] names = caller.split("#");
		if (names.length == 1) {
			return AnnotatedElementUtils.isAnnotated(method.method(), caller);
		}
		return method.method().getName().equals(names[1]) && method.method().getParameterCount() == 0
				&& ClassUtils.getAllInterfacesForClassAsSet(method.beanClass())
					.stream()
					.anyMatch((type) -> type.getName().equals(names[0]));
	}

	/** Whether it is the method of {@code @Bean(initMethod, destroyMethod)}. */
	private boolean isNamedInDefinition(String beanName, LockedMethod method) {
		return beanFactory().containsBeanDefinition(beanName)
				&& beanFactory().getMergedBeanDefinition(beanName) instanceof AbstractBeanDefinition definition
				&& Stream.of(definition.getInitMethodNames(), definition.getDestroyMethodNames())
					.filter(Objects::nonNull)
					.flatMap(Stream::of)
					.anyMatch((name) -> name.equals(method.method().getName()))
				&& method.method().getParameterCount() == 0;
	}

	private void verifyProxy(Advised proxy, LockAnnotation annotation) {
		LockedMethod method = annotation.method();
		List<Advisor> chain = Arrays.asList(proxy.getAdvisors());
		int position = chain.indexOf(this.advisor.get());
		if (position < 0 && AopProxyUtils.getSingletonTarget(proxy) instanceof Advised inner) {
			// A proxy around the proxy of another bean.
			verifyProxy(inner, annotation);
			return;
		}
		if (position < 0) {
			throw method
				.refuse("would not be locked: the proxy of the bean was created without the lock's advisor. Let "
						+ "Spring create the proxy, in the application context that has distlock, or write the annotation on "
						+ "the interface that the proxy implements");
		}
		verifyReach(proxy, annotation);
		if (isTransactional(chain.subList(0, position), method)) {
			throw method.refuse("would be locked inside of its transaction and released before the commit: the "
					+ "transaction advisor comes before the lock advisor (order " + this.advisor.get().getOrder()
					+ "). Set distlock.aop.order to a lower number than the order of @EnableTransactionManagement, or "
					+ "that order to a higher one");
		}
		this.advisor.get()
			.definitions()
			.transactions()
			.inside(method, TransactionBoundary.demarcation(chain.subList(position, chain.size()), method.method(),
					method.beanClass()));
	}

	private static void verifyReach(Advised proxy, LockAnnotation annotation) {
		LockedMethod method = annotation.method();
		if (!AopUtils.isJdkDynamicProxy(proxy)) {
			if (Modifier.isFinal(method.method().getModifiers())) {
				throw method.refuse("is on a final method, which a class-based proxy cannot intercept: it would not be "
						+ "locked. " + NON_FINAL);
			}
		}
		else if (!annotation.isOnClass()
				&& Arrays.stream(proxy.getProxiedInterfaces()).noneMatch((type) -> exposes(type, method))) {
			throw method.refuse("would not be locked: the bean's proxy implements only its interfaces, and none of "
					+ "them has the method. Add it to one of them, or use class-based proxies (proxyTargetClass = true)");
		}
	}

	private static boolean exposes(Class<?> type, LockedMethod method) {
		return Arrays.stream(type.getMethods())
			.anyMatch((exposed) -> exposed.equals(method.method())
					|| AopUtils.getMostSpecificMethod(exposed, method.beanClass()).equals(method.method()));
	}

	private void verifyWoven(Object bean, LockedMethod method) {
		if (!WovenCalls.isWoven(method.method())) {
			throw method
				.refuse("would not be locked: distlock.aop.mode is aspectj, and no weaver of AspectJ has put the "
						+ "lock around the method. Start the JVM with -javaagent:aspectjweaver.jar "
						+ "(org.aspectj:aspectjweaver); write the annotation, or one that is annotated with it, on the method "
						+ "itself or on the class that declares it; include the class in META-INF/aop.xml, if there is one; or "
						+ "set distlock.aop.mode to proxy");
		}
		if (bean instanceof Advised advised && isTransactional(Arrays.asList(advised.getAdvisors()), method)) {
			throw method.refuse("would be locked inside of its transaction: the lock is woven into the method, and the "
					+ "transaction is begun by the proxy around it. Weave transactions, too "
					+ "(@EnableTransactionManagement(mode = AdviceMode.ASPECTJ) and spring-aspects), begin the "
					+ "transaction in a method that the locked one calls, or set distlock.aop.mode to proxy");
		}
	}

	/** Whether one of the advisors around the lock begins a transaction. */
	private static boolean isTransactional(List<Advisor> outer, LockedMethod method) {
		return outer.stream()
			.anyMatch((advisor) -> TransactionBoundary.demarcates(advisor, method.method(), method.beanClass()));
	}

}
