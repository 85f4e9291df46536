package io.github.distlock.aop;

import io.github.distlock.DistributedLock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.framework.ProxyFactoryBean;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * Tests that no bean with annotated methods silently runs without locks, and that no bean
 * is created early.
 */
class LockedBeanVerifierTests {

	@Test
	void aFinalMethodOfAClassBasedProxyIsRefused() {
		LockedApplication.of(FinalMethod.class)
			.assertRefused(FinalMethod.class.getName() + ".run()", "is on a final method", "Make it non-final",
					"(spring.aop.proxy-target-class=false)");
	}

	@Test
	void aFinalClassBehindAnInterfaceIsLocked() {
		try (AnnotationConfigApplicationContext context = LockedApplication.of(FinalMethodOfInterface.class).start()) {
			context.getBean(Runs.class).run();
			assertThat(context.getBean(InMemoryLocks.class).events).hasSize(2);
		}
	}

	@Test
	void aFinalClassIsRefusedWhereItsProxyWouldExtendIt() {
		assertThatException().isThrownBy(LockedApplication.of(FinalClass.class)::start)
			.havingCause()
			.withMessageContaining("Could not generate CGLIB subclass of " + FinalClass.class)
			.withMessageContaining("a final class");
	}

	@Test
	void aMethodThatNoInterfaceHasIsRefusedBehindAnInterfaceBasedProxy() {
		LockedApplication.of(NotInInterface.class)
			.assertRefused("none of them has the method", "proxyTargetClass = true");
		LockedApplication.of(NotInInterface.class)
			.with(AopConfigUtils::forceAutoProxyCreatorToUseClassProxying)
			.start()
			.close();
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
		try (AnnotationConfigApplicationContext context = LockedApplication.of(Scoped.class).start()) {
			context.getBean(Scoped.class).run();
			assertThat(context.getBean(InMemoryLocks.class).events).hasSize(2);
		}
	}

	@Test
	void methodsOfAConfigurationClassAreLocked() {
		try (AnnotationConfigApplicationContext context = LockedApplication.of(LockedConfiguration.class).start()) {
			context.getBean(LockedConfiguration.class).run();
			assertThat(context.getBean(InMemoryLocks.class).requests).singleElement()
				.satisfies((request) -> assertThat(request.key())
					.isEqualTo(LockedConfiguration.class.getName() + "#run()"));
		}
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

	static class FinalMethod {

		@DistributedLock
		final void run() {
		}

	}

	static final class FinalMethodOfInterface implements Runs {

		@Override
		@DistributedLock
		public void run() {
		}

	}

	static final class FinalClass {

		@DistributedLock
		void run() {
		}

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

	static class Left {

		@Autowired
		@Nullable Right right;

		@DistributedLock
		void run() {
		}

	}

	static class Right {

		@Autowired
		@Nullable Left left;

	}

	@Scope(scopeName = "prototype", proxyMode = ScopedProxyMode.TARGET_CLASS)
	static class Scoped {

		@DistributedLock
		void run() {
		}

	}

	@Configuration
	static class LockedConfiguration {

		@DistributedLock
		void run() {
		}

	}

}
