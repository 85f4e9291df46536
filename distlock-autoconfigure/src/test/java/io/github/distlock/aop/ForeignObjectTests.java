package io.github.distlock.aop;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

import io.github.distlock.DistributedLock;
import org.junit.jupiter.api.Test;

import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.support.ApplicationObjectSupport;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests objects that other code puts around a locked bean or registers in its place, and
 * methods that other code declares.
 */
class ForeignObjectTests {

	@Test
	void aWrapperAroundTheProxyDoesNotFailTheStart() {
		try (AnnotationConfigApplicationContext context = LockedApplication.of(Runner.class, Auditing.class).start()) {
			Runs bean = context.getBean(Runs.class);
			assertThat(Proxy.getInvocationHandler(bean).getClass().getName()).contains(Auditing.class.getName());
			bean.run();
			assertThat(context.getBean(InMemoryLocks.class).events).hasSize(2);
		}
	}

	@Test
	void objectsThatTheContextHasNotCreatedRunUnlocked() {
		try (AnnotationConfigApplicationContext context = LockedApplication.of().start();
				AnnotationConfigApplicationContext child = new AnnotationConfigApplicationContext()) {
			child.setParent(context);
			child.register(Runner.class);
			child.refresh();
			child.getBean(Runs.class).run();
			Runner object = new Runner();
			context.getAutowireCapableBeanFactory().autowireBean(object);
			object.run();
			context.getBeanFactory().registerSingleton("late", object);
			context.getBean(Runs.class).run();
			assertThat(context.getBean(InMemoryLocks.class).events).isEmpty();
		}
	}

	@Test
	void aFinalMethodThatAnAnnotatedClassInheritsIsNotLocked() {
		try (AnnotationConfigApplicationContext context = LockedApplication.of(Supported.class, AlsoSupported.class)
			.with(AopConfigUtils::forceAutoProxyCreatorToUseClassProxying)
			.start()) {
			context.getBean(Supported.class).run();
			assertThat(context.getBean(InMemoryLocks.class).events).hasSize(2);
		}
	}

	interface Runs {

		@DistributedLock("'k'")
		void run();

	}

	static class Runner implements Runs {

		@Override
		public void run() {
		}

	}

	static class Auditing implements BeanPostProcessor {

		@Override
		public Object postProcessAfterInitialization(Object bean, String beanName) {
			if (!(bean instanceof Runs)) {
				return bean;
			}
			return Proxy.newProxyInstance(Runs.class.getClassLoader(), new Class<?>[] { Runs.class },
					(self, method, arguments) -> {
						try {
							return method.invoke(bean, arguments);
						}
						catch (InvocationTargetException ex) {
							throw ex.getTargetException();
						}
					});
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

}
