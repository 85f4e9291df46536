package io.github.distlock.aop;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.function.Supplier;

import io.github.distlock.DistributedLock;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockRequest;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.description.annotation.AnnotationDescription;
import net.bytebuddy.implementation.FixedValue;
import net.bytebuddy.implementation.SuperMethodCall;
import net.bytebuddy.matcher.ElementMatchers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.support.AopUtils;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.annotation.AliasFor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests which annotation applies to which call, with interface-based and class-based
 * proxies, and that the name of a generated class, which differs from JVM to JVM, never
 * becomes part of a key.
 */
class LockAnnotationFinderTests {

	private static AnnotationConfigApplicationContext start(boolean classProxies, Class<?>... beans) {
		LockedApplication application = LockedApplication.of(beans);
		return (classProxies ? application.withClassProxies() : application).start();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	@SuppressWarnings("unchecked")
	void genericAndInheritedMethodsAreFoundBehindBothKindsOfProxies(boolean classProxies) {
		try (AnnotationConfigApplicationContext context = start(classProxies, StringRepository.class)) {
			Repository<String> repository = context.getBean(Repository.class);
			assertThat(AopUtils.isCglibProxy(repository)).isEqualTo(classProxies);
			repository.save("1");
			repository.delete("2");
			repository.count();
			repository.named("3");
			assertThat(context.getBean(InMemoryLocks.class).keys()).containsExactly("save-1", "delete-2",
					Repository.class.getName() + "#count()", "named-3");
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	@SuppressWarnings("unchecked")
	void anInheritedMethodIsLockedByTheInterfaceOfItsSubclassWhichMayBeGeneric(boolean classProxies) {
		try (AnnotationConfigApplicationContext context = start(classProxies, Stored.class)) {
			Stores<String, Integer> stores = context.getBean(Stores.class);
			assertThat(AopUtils.isCglibProxy(stores)).isEqualTo(classProxies);
			stores.store("1", 0);
			stores.storeMost("2");
			stores.join("3");
			if (stores instanceof Stored stored) {
				stored.store("4", 0);
				stored.storeMost("5");
				stored.join("6");
			}
			assertThat(context.getBean(InMemoryLocks.class).keys()).startsWith("store-1", "most-2", "join-3")
				.endsWith(classProxies ? new String[] { "store-4", "most-5", "join-6" } : new String[] { "join-3" })
				.hasSize(classProxies ? 6 : 3);
		}
	}

	@Test
	void theMethodTakesPrecedenceOverTheClassWhichLocksItsPublicMethodsAndTheNearestAnnotationApplies() {
		try (AnnotationConfigApplicationContext context = start(true, Nearest.class)) {
			Nearest bean = context.getBean(Nearest.class);
			bean.packagePrivate();
			Nearest.helper();
			assertThat(bean).hasToString("nearest").isEqualTo(bean).hasSameHashCodeAs(bean);
			InMemoryLocks locks = context.getBean(InMemoryLocks.class);
			assertThat(locks.keys()).isEmpty();
			bean.own();
			bean.overridden();
			bean.composed("1");
			bean.fromClass();
			assertThat(locks.keys()).containsExactly("own", "overridden-in-base", "order-1", "nearest-class");
			assertThat(locks.requests.get(2).name()).as("of a composed annotation").isEqualTo("orders");
			assertThat(locks.requests.get(2).waitTime()).as("of a composed annotation").hasSeconds(3);
		}
	}

	@Test
	void theKeyOfTheMethodIsThatOfItsDeclaringClass() {
		assertThat(LockedApplication.of(KeylessChild.class)
			.withClassProxies()
			.call(KeylessChild.class, (bean) -> bean.run("b", 2, new String[0]))
			.keys()).containsExactly(Keyless.class.getName() + "#run(java.lang.String,int,java.lang.String[])");
	}

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

	private static AnnotationConfigApplicationContext startWith(Object bean) {
		return LockedApplication.of()
			.with((context) -> context.registerBean("job", Job.class, (Supplier<Job>) () -> (Job) bean))
			.start();
	}

	@ParameterizedTest(name = "{1}")
	@MethodSource("generatedBeans")
	void keysNameTheClassOrInterfaceThatDeclaresTheMethodAndNeverTheGeneratedClass(Object bean, Class<?> named) {
		try (AnnotationConfigApplicationContext context = startWith(bean)) {
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
		Object bean = LockedApplication
			.load(new ByteBuddy().subclass(Object.class)
				.defineMethod("run", String.class, Modifier.PUBLIC)
				.intercept(FixedValue.value("done"))
				.annotateMethod(AnnotationDescription.Builder.ofType(DistributedLock.class).build())
				.name(getClass().getPackageName() + ".Generated$ByteBuddy$Job"))
			.getDeclaredConstructor()
			.newInstance();
		assertThatException()
			.isThrownBy(() -> LockedApplication.of()
				.with((context) -> context.registerBean("job", Object.class, () -> bean))
				.start())
			.havingRootCause()
			.withMessageContaining("write a key");
	}

	interface Repository<T> {

		@DistributedLock("'save-' + #entity")
		void save(T entity);

		void delete(T entity);

		@DistributedLock
		default long count() {
			return 0;
		}

		@DistributedLock("'named-' + #written")
		void named(T written);

	}

	static class StringRepository implements Repository<String> {

		@Override
		public void save(String text) {
		}

		@Override
		@DistributedLock("'delete-' + #text")
		public void delete(String text) {
		}

		@Override
		public void named(String renamed) {
		}

	}

	interface Stores<T, N extends Number> {

		@DistributedLock("'store-' + #entity")
		void store(T entity, N count);

		@DistributedLock("'most-' + #entity")
		<S extends T> void storeMost(S entity);

		@DistributedLock("'join-' + #id")
		void join(String id);

	}

	static class UnawareStore {

		public void store(String entity, Integer count) {
		}

		public void storeMost(CharSequence entity) {
		}

		public void join(String id) {
		}

		public <S extends String> void storeMost(S entity) {
		}

	}

	static class Stored extends UnawareStore implements Stores<String, Integer> {

	}

	@Retention(RetentionPolicy.RUNTIME)
	@Target(ElementType.METHOD)
	@DistributedLock(name = "orders", waitTime = "1s")
	@interface OrderLock {

		@AliasFor(annotation = DistributedLock.class, attribute = "key")
		String id();

		@AliasFor(annotation = DistributedLock.class)
		String waitTime() default "3s";

	}

	@DistributedLock("'base-class'")
	static class Base {

		@DistributedLock("'overridden-in-base'")
		public void overridden() {
		}

		@DistributedLock("'composed-in-base'")
		public void composed(String id) {
		}

	}

	@DistributedLock("'nearest-class'")
	static class Nearest extends Base {

		@DistributedLock("'own'")
		public void own() {
		}

		@Override
		public void overridden() {
		}

		@Override
		@OrderLock(id = "'order-' + #id")
		public void composed(String id) {
		}

		public void fromClass() {
		}

		void packagePrivate() {
		}

		public static void helper() {
		}

		@Override
		public String toString() {
			return "nearest";
		}

		@Override
		public boolean equals(Object other) {
			return this == other || getClass().isInstance(other);
		}

		@Override
		public int hashCode() {
			return 1;
		}

	}

	static class Keyless {

		@DistributedLock
		void run(String id, int count, String[] names) {
		}

	}

	static class KeylessChild extends Keyless {

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
