package io.github.distlock.aop;

import java.lang.reflect.Type;
import java.util.stream.Stream;

import io.github.distlock.DistributedLock;
import io.github.distlock.FencingToken;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockLostException;
import io.github.distlock.LockRequest;
import io.github.distlock.aop.LockedApplication.Work;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.asm.MemberRemoval;
import net.bytebuddy.dynamic.scaffold.TypeValidation;
import net.bytebuddy.matcher.ElementMatchers;
import org.aopalliance.aop.Advice;
import org.aspectj.lang.annotation.Aspect;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.framework.ProxyFactoryBean;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.context.support.ApplicationObjectSupport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * Tests that no bean with annotated methods silently runs without locks, that no bean is
 * created early, and objects that other code puts around a bean or registers in its
 * place.
 */
class LockedBeanVerifierTests {

	@Test
	void withoutAnnotatedMethodsNoWeaverIsNeeded() {
		LockedApplication.of(Right.class).with("mode", AopMode.ASPECTJ).start().close();
	}

	@Test
	void aFinalClassBehindAnInterfaceIsLocked() {
		assertThat(LockedApplication.of(FinalMethodOfInterface.class).call(Runs.class, Runs::run).events).hasSize(2);
	}

	@Test
	void aFinalClassIsRefusedWhereItsProxyWouldExtendIt() {
		LockedApplication.of(FinalClass.class)
			.assertRefused(FinalClass.class.getName() + ".run()", "is in a final class", "kotlin-spring");
		LockedApplication.of(FinalMethodOfInterface.class)
			.withClassProxies()
			.assertRefused(FinalMethodOfInterface.class.getName() + ".run()", "is in a final class");
	}

	@Test
	void aMethodThatNoInterfaceHasIsRefusedBehindAnInterfaceBasedProxy() {
		LockedApplication.of(NotInInterface.class)
			.assertRefused("none of them has the method", "proxyTargetClass = true");
		LockedApplication.of(NotInInterface.class).withClassProxies().start().close();
	}

	@Test
	void aProxyThatTheApplicationCreatesIsLockedToo() {
		try (AnnotationConfigApplicationContext context = LockedApplication.of(ForeignProxies.class).start()) {
			context.getBean("byFactory", LockedRuns.class).locked();
			context.getBean("byHand", Runs.class).run();
			context.getBean("aroundAnother", Runs.class).run();
			assertThat(context.getBean(InMemoryLocks.class).events).hasSize(6);
		}
	}

	@Test
	void aProxyThatWasCreatedWithoutTheLockIsRefused() {
		LockedApplication.of(ForeignProxyOfLockedClass.class, NeedsRuns.class)
			.assertRefused(LockedRunner.class.getName() + ".run()", "created without the lock's advisor",
					"on the interface");
	}

	@Test
	void circularReferencesGetTheirProxyEarly() {
		try (AnnotationConfigApplicationContext context = LockedApplication.of(Left.class, Right.class).start()) {
			Left left = context.getBean(Left.class);
			assertThat(AopUtils.isAopProxy(left)).isTrue();
			assertThat(context.getBean(Right.class).left).isSameAs(left);
		}
	}

	@Test
	void scopedBeansAreLocked() {
		assertThat(LockedApplication.of(Scoped.class).call(Scoped.class, Scoped::run).events).hasSize(2);
	}

	@Test
	void methodsOfAConfigurationClassAreLocked() {
		assertThat(LockedApplication.of(LockedConfiguration.class)
			.call(LockedConfiguration.class, LockedConfiguration::run)
			.keys()).containsExactly(LockedConfiguration.class.getName() + "#run()");
	}

	@ParameterizedTest
	@ValueSource(classes = { LockedAspect.class, LockedAdvice.class, LockedAdvisor.class, LockedInfrastructure.class })
	void aLockedMethodOfABeanThatGetsNoProxyIsRefused(Class<?> bean) {
		LockedApplication.of(bean)
			.with(AopConfigUtils::registerAspectJAnnotationAutoProxyCreatorIfNecessary)
			.assertRefused(bean.getName() + ".run()", "Spring has created no proxy",
					"Move the method to a bean of another class");
	}

	@ParameterizedTest(name = "{0}: {1}")
	@CsvSource(delimiter = '|', quoteCharacter = '~',
			textBlock = """
					work               | would lock the making of a bean, and never its work: write the annotation on the method that does the work |
					getObject          | would lock the making of a bean, and never its work: write the annotation on the method that does the work | org.springframework.beans.factory.FactoryBean
					begin              | Spring calls the method when it makes or destroys the bean, and not through the proxy. Do the work in an ApplicationRunner |
					end                | and not through the proxy. Do the work in an ApplicationRunner |
					setContext         | and not through the proxy. Do the work in an ApplicationRunner |
					afterPropertiesSet | and not through the proxy. Do the work in an ApplicationRunner | org.springframework.beans.factory.InitializingBean
					destroy            | and not through the proxy. Do the work in an ApplicationRunner | org.springframework.beans.factory.DisposableBean
					otherType          | has a @FencingToken parameter of type int: make it a long |
					inKey              | uses #p0, which is the @FencingToken of the lock |
					inCondition        | uses #token, which is the @FencingToken of the lock |
					withPermits        | has a @FencingToken parameter and permits |
					missing            | (fallback = "none") on … names no method of |
					otherParameters    | (fallback = "forInteger") on … with the parameters of |
					otherResult        | (fallback = "forObject") on … returns java.lang.Object, but the locked method returns java.lang.String |
					otherException     | (fallback = "forLoss") on … one more at the end for the exception: LockNotAcquiredException, LockBackendException |
					itself             | (fallback = "itself") on … names no method of |
					""")
	void aMethodThatCannotBeLockedAsItIsWrittenIsRefused(String method, String problem, @Nullable Class<?> type) {
		Class<?> bean = only(method, type);
		LockedApplication.of(bean)
			.assertRefused(
					Stream.concat(Stream.of(bean.getName() + "." + method + "("), Stream.of(problem.split(" … ")))
						.toArray(String[]::new));
	}

	/** A class with one of the refused methods, and all that have no lock. */
	private static Class<?> only(String method, @Nullable Class<?> type) {
		return LockedApplication.load(new ByteBuddy().with(TypeValidation.DISABLED)
			.redefine(Refused.class)
			.topLevelType()
			.name(Refused.class.getName() + "_" + method)
			.implement((type != null) ? new Type[] { type } : new Type[0])
			.visit(new MemberRemoval().stripMethods(ElementMatchers.isAnnotatedWith(DistributedLock.class)
				.and(ElementMatchers.not(ElementMatchers.named(method))))));
	}

	@Test
	void anInitMethodIsRefused() {
		LockedApplication.of()
			.with((context) -> context.registerBean(LockedRunner.class,
					(definition) -> definition.setInitMethodName("run")))
			.assertRefused("and not through the proxy. Do the work in an ApplicationRunner");
	}

	@ParameterizedTest
	@MethodSource("sharedLocks")
	void beansOfDifferentClassesThatShareALockWithoutAKeyAreRefused(Class<?> one, Class<?> other, Class<?> declaring) {
		LockedApplication.of(one, other)
			.assertRefused(other.getName() + ".run()", "has no key, so that it would share the lock",
					declaring.getName() + "#run()", "beans of " + one.getName(), "\"#root.targetClass.name + '#run'\"",
					"\"'" + declaring.getSimpleName() + ".run'\"");
	}

	static Object[][] sharedLocks() {
		return new Object[][] { { JobA.class, JobB.class, Nightly.class },
				{ LockedRunner.class, Child.class, LockedRunner.class },
				{ DefaultA.class, DefaultB.class, DefaultJob.class },
				{ LockedByClassA.class, LockedByClassB.class, Work.class } };
	}

	@Test
	void aLazyBeanThatWouldShareALockIsRefusedWhenItIsCreated() {
		try (AnnotationConfigApplicationContext context = LockedApplication.of(JobA.class, LazyJob.class).start()) {
			assertThatException().isThrownBy(() -> context.getBean(LazyJob.class))
				.havingRootCause()
				.isInstanceOf(LockDefinitionException.class)
				.withMessageContaining("beans of " + JobA.class.getName());
			context.getBean(JobA.class).run();
		}
	}

	@Test
	void beansOfOneClassShareItsLockAndAKeyMayNameTheClass() {
		try (AnnotationConfigApplicationContext context = LockedApplication
			.of(TwoBeans.class, KeyedA.class, KeyedB.class)
			.start()) {
			context.getBean("one", JobA.class).run();
			context.getBean("two", JobA.class).run();
			context.getBean(KeyedA.class).run();
			context.getBean(KeyedB.class).run();
			assertThat(context.getBean(InMemoryLocks.class).requests).extracting(LockRequest::key)
				.containsExactly(Nightly.class.getName() + "#run()", Nightly.class.getName() + "#run()",
						KeyedA.class.getName() + "#run", KeyedB.class.getName() + "#run");
		}
	}

	@Test
	void aWrapperAroundTheProxyDoesNotFailTheStart() {
		assertThat(LockedApplication.of(ForeignRunner.class, Auditing.class).call(LockedRuns.class, (bean) -> {
			assertThat(bean.getClass().getName()).contains(Auditing.class.getName());
			bean.locked();
		}).events).hasSize(2);
	}

	@Test
	void objectsThatTheContextHasNotCreatedRunUnlocked() {
		try (AnnotationConfigApplicationContext context = LockedApplication.of().start();
				AnnotationConfigApplicationContext child = new AnnotationConfigApplicationContext()) {
			child.setParent(context);
			child.register(ForeignRunner.class);
			child.refresh();
			child.getBean(LockedRuns.class).locked();
			ForeignRunner object = new ForeignRunner();
			context.getAutowireCapableBeanFactory().autowireBean(object);
			object.locked();
			context.getBeanFactory().registerSingleton("late", object);
			context.getBean(LockedRuns.class).locked();
			assertThat(context.getBean(InMemoryLocks.class).events).isEmpty();
		}
	}

	@Test
	void aFinalMethodThatAnAnnotatedClassInheritsIsNotLocked() {
		assertThat(LockedApplication.of(Supported.class, AlsoSupported.class)
			.withClassProxies()
			.call(Supported.class, Supported::run).events).hasSize(2);
	}

	private static ProxyFactoryBean proxyOf(Object target, Class<?> type) {
		ProxyFactoryBean factory = new ProxyFactoryBean();
		factory.setTarget(target);
		factory.setInterfaces(type);
		return factory;
	}

	interface LockedRuns {

		@DistributedLock
		void locked();

	}

	interface Runs {

		void run();

	}

	static final class FinalMethodOfInterface implements Runs {

		@Override
		@DistributedLock
		public void run() {
		}

	}

	@DistributedLock
	static final class FinalClass extends Work {

	}

	static class NotInInterface implements Runs {

		@Override
		public void run() {
		}

		@DistributedLock
		public void other() {
		}

	}

	static class LockedRunner implements Runs {

		@Override
		@DistributedLock
		public void run() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ForeignProxies {

		@Bean
		ProxyFactoryBean byFactory() {
			return proxyOf((LockedRuns) () -> {
			}, LockedRuns.class);
		}

		@Bean
		ProxyFactoryBean aroundAnother(Runs byHand) {
			return proxyOf(byHand, Runs.class);
		}

		@Bean
		Runs byHand() {
			ProxyFactory factory = new ProxyFactory(new LockedRunner());
			factory.setProxyTargetClass(true);
			return (Runs) factory.getProxy();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ForeignProxyOfLockedClass {

		@Bean
		ProxyFactoryBean byFactory() {
			return proxyOf(new LockedRunner(), Runs.class);
		}

	}

	record NeedsRuns(Runs runs) {
	}

	@DistributedLock
	static class Left extends Work {

		@Autowired
		@Nullable Right right;

	}

	static class Right {

		@Autowired
		@Nullable Left left;

	}

	@DistributedLock
	@Scope(scopeName = "prototype", proxyMode = ScopedProxyMode.TARGET_CLASS)
	static class Scoped extends Work {

	}

	@Configuration
	static class LockedConfiguration {

		@DistributedLock
		void run() {
		}

	}

	@Aspect
	@DistributedLock
	static class LockedAspect extends Work {

	}

	@DistributedLock
	static class LockedAdvice extends Work implements Advice {

	}

	static class LockedAdvisor extends DefaultPointcutAdvisor {

		@DistributedLock
		void run() {
		}

	}

	@DistributedLock
	static class LockedInfrastructure extends Work implements AopInfrastructureBean {

	}

	abstract static class Nightly {

		@DistributedLock
		public void run() {
		}

	}

	static class JobA extends Nightly {

	}

	static class JobB extends Nightly {

	}

	@Lazy
	static class LazyJob extends Nightly {

	}

	@Configuration(proxyBeanMethods = false)
	static class TwoBeans {

		@Bean
		JobA one() {
			return new JobA();
		}

		@Bean
		@Scope(scopeName = "prototype", proxyMode = ScopedProxyMode.TARGET_CLASS)
		JobA two() {
			return new JobA();
		}

	}

	interface DefaultJob {

		@DistributedLock
		default void run() {
		}

	}

	static class DefaultA implements DefaultJob {

	}

	static class DefaultB implements DefaultJob {

	}

	@DistributedLock
	static class LockedByClassA extends Work {

	}

	@DistributedLock
	static class LockedByClassB extends Work {

	}

	abstract static class Keyed {

		@DistributedLock("#root.targetClass.name + '#run'")
		public void run() {
		}

	}

	static class KeyedA extends Keyed {

	}

	static class KeyedB extends Keyed {

	}

	static class ForeignRunner implements LockedRuns {

		@Override
		public void locked() {
		}

	}

	static class Auditing implements BeanPostProcessor {

		@Override
		public Object postProcessAfterInitialization(Object bean, String beanName) {
			return (bean instanceof LockedRuns runs) ? (LockedRuns) runs::locked : bean;
		}

	}

	@DistributedLock
	static class Supported extends ApplicationObjectSupport {

		public void run() {
		}

	}

	@DistributedLock("#id")
	static class AlsoSupported extends ApplicationObjectSupport {

		public void run(String id) {
		}

	}

	static class Refused {

		@Bean
		@DistributedLock
		Runnable work() {
			return this::end;
		}

		@DistributedLock
		public String getObject() {
			return "";
		}

		public Class<?> getObjectType() {
			return String.class;
		}

		@PostConstruct
		@DistributedLock
		void begin() {
		}

		@PreDestroy
		@DistributedLock
		void end() {
		}

		@Autowired
		@DistributedLock
		void setContext(ApplicationContext context) {
		}

		@DistributedLock
		public void afterPropertiesSet() {
		}

		@DistributedLock
		public void destroy() {
		}

		@DistributedLock
		void otherType(@FencingToken int token) {
		}

		@DistributedLock("#p0")
		void inKey(@FencingToken long token) {
		}

		@DistributedLock(condition = "#token > 1")
		void inCondition(@FencingToken long token) {
		}

		@DistributedLock(permits = "2")
		void withPermits(@FencingToken long token) {
		}

		@DistributedLock(fallback = "none")
		void missing(String id) {
		}

		@DistributedLock(fallback = "forInteger")
		void otherParameters(String id) {
		}

		void forInteger(Integer id) {
		}

		@DistributedLock(fallback = "forObject")
		@Nullable String otherResult(String id) {
			return null;
		}

		@Nullable Object forObject(String id) {
			return null;
		}

		@DistributedLock(fallback = "forLoss")
		void otherException() {
		}

		void forLoss(LockLostException lost) {
		}

		@DistributedLock(fallback = "itself")
		void itself() {
		}

	}

	static class Child extends LockedRunner {

	}

}
