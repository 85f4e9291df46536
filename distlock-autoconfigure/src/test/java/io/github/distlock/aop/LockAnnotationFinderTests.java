package io.github.distlock.aop;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.Arrays;

import io.github.distlock.DistributedLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.annotation.AliasFor;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests which annotation applies to which call, with interface-based and class-based
 * proxies.
 */
class LockAnnotationFinderTests {

	private static AnnotationConfigApplicationContext start(boolean classProxies, Class<?>... beans) {
		LockedApplication application = LockedApplication.of(beans);
		if (classProxies) {
			application.with(AopConfigUtils::forceAutoProxyCreatorToUseClassProxying);
		}
		return application.start();
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

	@Test
	void anInheritedMethodIsLockedByTheInterfaceOfItsSubclass() {
		try (AnnotationConfigApplicationContext context = start(true, Joined.class)) {
			context.getBean(Joined.class).join("1");
			context.getBean(Joins.class).join("2");
			assertThat(context.getBean(InMemoryLocks.class).keys()).containsExactly("join-1", "join-2");
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	@SuppressWarnings("unchecked")
	void anInheritedMethodIsLockedByTheGenericInterfaceOfItsSubclass(boolean classProxies) {
		try (AnnotationConfigApplicationContext context = start(classProxies, Stored.class)) {
			Stores<String, Integer> stores = context.getBean(Stores.class);
			assertThat(AopUtils.isCglibProxy(stores)).isEqualTo(classProxies);
			stores.store("1", 0);
			stores.storeMost("2");
			if (stores instanceof Stored stored) {
				stored.store("3", 0);
				stored.storeMost("4");
			}
			assertThat(context.getBean(InMemoryLocks.class).keys()).isEqualTo(classProxies
					? new String[] { "store-1", "most-2", "store-3", "most-4" } : new String[] { "store-1", "most-2" });
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
		try (AnnotationConfigApplicationContext context = start(true, KeylessChild.class)) {
			context.getBean(KeylessChild.class).run("b", 2, new String[0]);
			String key = Keyless.class.getName() + "#run(java.lang.String,int,java.lang.String[])";
			assertThat(context.getBean(InMemoryLocks.class).keys()).containsExactly(key);
			assertThat(Arrays.asList(context.getBean(InMemoryLocks.class).keys()))
				.noneMatch((text) -> text.contains("CGLIB"));
		}
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

	interface Joins {

		@DistributedLock("'join-' + #id")
		void join(String id);

	}

	static class Unaware {

		public void join(String id) {
		}

	}

	static class Joined extends Unaware implements Joins {

	}

	interface Stores<T, N extends Number> {

		@DistributedLock("'store-' + #entity")
		void store(T entity, N count);

		@DistributedLock("'most-' + #entity")
		<S extends T> void storeMost(S entity);

	}

	static class UnawareStore {

		public void store(String entity, Integer count) {
		}

		public void storeMost(CharSequence entity) {
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

}
