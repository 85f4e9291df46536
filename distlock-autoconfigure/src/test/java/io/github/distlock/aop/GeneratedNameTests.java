package io.github.distlock.aop;

import java.lang.invoke.MethodHandles;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.function.Supplier;

import io.github.distlock.DistributedLock;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockRequest;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.description.annotation.AnnotationDescription;
import net.bytebuddy.dynamic.loading.ClassLoadingStrategy;
import net.bytebuddy.implementation.FixedValue;
import net.bytebuddy.implementation.SuperMethodCall;
import net.bytebuddy.matcher.ElementMatchers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests that the name of a generated class, which differs from JVM to JVM, never becomes
 * part of a key.
 */
class GeneratedNameTests {

	static Object[][] generatedBeans() throws Exception {
		Job lambda = () -> {
		};
		Object proxy = Proxy.newProxyInstance(Job.class.getClassLoader(), new Class<?>[] { Job.class },
				(self, method, arguments) -> switch (method.getName()) {
					case "hashCode" -> System.identityHashCode(self);
					case "equals" -> self == arguments[0];
					case "toString" -> "proxy";
					default -> null;
				});
		Object subclass = new ByteBuddy().subclass(PlainJob.class)
			.method(ElementMatchers.not(ElementMatchers.isDeclaredBy(Object.class)))
			.intercept(SuperMethodCall.INSTANCE)
			.make()
			.load(PlainJob.class.getClassLoader())
			.getLoaded()
			.getDeclaredConstructor()
			.newInstance();
		return new Object[][] { { lambda, Job.class }, { proxy, Job.class }, { subclass, PlainJob.class } };
	}

	private static AnnotationConfigApplicationContext start(Object bean) {
		return LockedApplication.of()
			.with((context) -> context.registerBean("job", Job.class, (Supplier<Job>) () -> (Job) bean))
			.start();
	}

	@ParameterizedTest(name = "{1}")
	@MethodSource("generatedBeans")
	void keysNameTheClassOrInterfaceThatDeclaresTheMethodAndNeverTheGeneratedClass(Object bean, Class<?> named) {
		try (AnnotationConfigApplicationContext context = start(bean)) {
			Job job = context.getBean(Job.class);
			InMemoryLocks locks = context.getBean(InMemoryLocks.class);
			job.run();
			assertThat(locks.requests).extracting(LockRequest::name).containsExactly(named.getSimpleName() + ".run");
			job.ofTargetClass();
			job.ofMethod();
			assertThat(locks.keys()).containsExactly(named.getName() + "#run()", named.toString() + named.getName(),
					named.getName());
			assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(job::ofTarget)
				.withMessageContaining("differs from JVM to JVM: write #root.targetClass");
		}
	}

	@Test
	void aGeneratedMethodThatNothingDeclaresNeedsAKey() throws Exception {
		Object bean = new ByteBuddy().subclass(Object.class)
			.defineMethod("run", String.class, Modifier.PUBLIC)
			.intercept(FixedValue.value("done"))
			.annotateMethod(AnnotationDescription.Builder.ofType(DistributedLock.class).build())
			.name(getClass().getPackageName() + ".Generated$ByteBuddy$Job")
			.make()
			.load(getClass().getClassLoader(), ClassLoadingStrategy.UsingLookup.of(MethodHandles.lookup()))
			.getLoaded()
			.getDeclaredConstructor()
			.newInstance();
		assertThatException()
			.isThrownBy(() -> LockedApplication.of()
				.with((context) -> context.registerBean("job", Object.class, () -> bean))
				.start())
			.havingRootCause()
			.withMessageContaining("write a key");
	}

	public interface Job {

		@DistributedLock
		void run();

		@DistributedLock("#root.targetClass + #root.targetClass.name")
		default void ofTargetClass() {
		}

		@DistributedLock("#root.method.declaringClass.name")
		default void ofMethod() {
		}

		@DistributedLock("'k' + #root.target.class")
		default void ofTarget() {
		}

	}

	public static class PlainJob implements Job {

		@Override
		public void run() {
		}

		@Override
		public void ofMethod() {
		}

	}

}
