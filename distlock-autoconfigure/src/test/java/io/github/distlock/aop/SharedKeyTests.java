package io.github.distlock.aop;

import io.github.distlock.DistributedLock;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * Tests that beans of two classes are refused if they inherit a method with a lock
 * without a key: they would exclude each other.
 */
class SharedKeyTests {

	private static void assertShared(String one, String other, String key, Class<?>... classes) {
		assertThatException().isThrownBy(() -> LockedApplication.of(classes).start().close())
			.havingRootCause()
			.isInstanceOf(LockDefinitionException.class)
			.withMessageContaining("'" + one + "'")
			.withMessageContaining("'" + other + "'")
			.withMessageContaining("would share the lock '" + key)
			.withMessageContaining("write a fixed key");
	}

	@Test
	void aMethodThatTwoBeansInheritNeedsAKey() {
		assertShared("sharedKeyTests.JobA", "sharedKeyTests.JobB", Nightly.class.getName() + "#run()", JobA.class,
				JobB.class);
	}

	@Test
	void theRemedyNamesTheTargetClass() {
		assertThatException().isThrownBy(() -> LockedApplication.of(JobA.class, JobB.class).start())
			.havingRootCause()
			.withMessageContaining("\"#root.targetClass.name + '#run'\"")
			.withMessageContaining(JobA.class.getName())
			.withMessageContaining(JobB.class.getName());
	}

	@Test
	void aBeanAndItsSubclassWouldShareTheLock() {
		assertShared("sharedKeyTests.Concrete", "sharedKeyTests.ConcreteChild", Concrete.class.getName() + "#run()",
				Concrete.class, ConcreteChild.class);
	}

	@Test
	void twoClassesWithAnAnnotatedSuperclassWouldShareTheLock() {
		assertShared("sharedKeyTests.Orders", "sharedKeyTests.Users", Crud.class.getName() + "#save(java.lang.Object)",
				Orders.class, Users.class);
	}

	@Test
	void twoLambdasWouldShareTheLock() {
		assertShared("one", "two", Runs.class.getName() + "#run()", Lambdas.class);
	}

	@ParameterizedTest
	@ValueSource(classes = { LazyJob.class, PrototypeJob.class })
	void aBeanThatIsCreatedLaterIsRefusedThen(Class<?> later) {
		try (AnnotationConfigApplicationContext context = LockedApplication.of(JobA.class, later).start()) {
			assertThatException().isThrownBy(() -> context.getBean(later))
				.havingRootCause()
				.isInstanceOf(LockDefinitionException.class)
				.withMessageContaining("bean 'sharedKeyTests." + later.getSimpleName() + "'");
			context.getBean(JobA.class).run();
		}
	}

	@Test
	void aBeanThatWasRefusedLaterDoesNotAffectOthers() {
		try (AnnotationConfigApplicationContext context = LockedApplication
			.of(JobA.class, Hidden.class, PrototypeConcrete.class)
			.start()) {
			for (int i = 0; i < 2; i++) {
				assertThatException().isThrownBy(() -> context.getBean("hidden"))
					.havingRootCause()
					.withMessageContaining("bean 'hidden'");
				context.getBean(PrototypeConcrete.class).run();
			}
			assertThat(context.getBean(InMemoryLocks.class).events).hasSize(4);
		}
	}

	@Test
	void oneClassMayHaveSeveralBeansAndAKeyMayNameTheClass() {
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

	@Scope("prototype")
	static class PrototypeJob extends Nightly {

	}

	static class Concrete {

		@DistributedLock
		public void run() {
		}

	}

	@Scope("prototype")
	static class PrototypeConcrete {

		@DistributedLock
		public void run() {
		}

	}

	static class ConcreteChild extends Concrete {

	}

	static class Crud<T> {

		public void save(T entity) {
		}

	}

	@DistributedLock
	static class Orders extends Crud<String> {

	}

	@DistributedLock
	static class Users extends Crud<Integer> {

	}

	interface Runs {

		@DistributedLock
		void run();

	}

	@Configuration(proxyBeanMethods = false)
	static class Lambdas {

		@Bean
		Runs one() {
			return () -> {
			};
		}

		@Bean
		Runs two() {
			return () -> {
			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Hidden {

		@Bean
		@Lazy
		Object hidden() {
			return new JobB();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TwoBeans {

		@Bean
		JobA one() {
			return new JobA();
		}

		@Bean
		JobA two() {
			return new JobA();
		}

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

}
