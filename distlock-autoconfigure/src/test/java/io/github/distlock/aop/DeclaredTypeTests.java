package io.github.distlock.aop;

import java.util.List;

import io.github.distlock.DistributedLock;
import io.github.distlock.LockDefinitionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * Tests beans that are created late and whose declared type is a superclass of their
 * class. Their locks without a key are compared by the class, not by the declared type.
 */
class DeclaredTypeTests {

	private static final List<String> ONCE = List.of("acquire " + Nightly.class.getName() + "#run()",
			"release " + Nightly.class.getName() + "#run()");

	@ParameterizedTest
	@ValueSource(classes = { LazyJob.class, ConcreteJob.class, PrototypeJob.class, ScopedJob.class })
	void aBeanDoesNotShareALockWithItsOwnDeclaredType(Class<?> configuration) {
		try (AnnotationConfigApplicationContext context = LockedApplication.of(configuration).start()) {
			for (int i = 0; i < 2; i++) {
				context.getBean("job", Nightly.class).run();
				assertThat(context.getBean(InMemoryLocks.class).events).isEqualTo(ONCE);
				context.getBean(InMemoryLocks.class).events.clear();
			}
		}
	}

	@Test
	void twoBeansOfTheSameClassMayHaveADeclaredSuperclass() {
		try (AnnotationConfigApplicationContext context = LockedApplication.of(TwoJobs.class).start()) {
			context.getBean("x", Nightly.class).run();
			context.getBean("y", Nightly.class).run();
			assertThat(context.getBean(InMemoryLocks.class).events).hasSize(4);
		}
	}

	@Test
	void aPrototypeMayHaveSeveralClasses() {
		try (AnnotationConfigApplicationContext context = LockedApplication.of(ChangingJob.class).start()) {
			context.getBean("job", Nightly.class).run();
			context.getBean("job", Nightly.class).run();
			assertThat(context.getBean(InMemoryLocks.class).events).hasSize(4);
		}
	}

	@Test
	void aLateBeanOfAnotherClassIsStillRefused() {
		try (AnnotationConfigApplicationContext context = LockedApplication.of(LazyJob.class, JobB.class).start()) {
			assertThatException().isThrownBy(() -> context.getBean("job"))
				.havingRootCause()
				.isInstanceOf(LockDefinitionException.class)
				.withMessageContaining("bean 'job' (" + JobA.class.getName())
				.withMessageContaining(JobB.class.getName());
		}
	}

	static class Nightly {

		@DistributedLock
		public void run() {
		}

	}

	abstract static class AbstractNightly extends Nightly {

	}

	static class JobA extends AbstractNightly {

	}

	static class JobB extends AbstractNightly {

	}

	@Configuration(proxyBeanMethods = false)
	static class LazyJob {

		@Bean
		@Lazy
		AbstractNightly job() {
			return new JobA();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ConcreteJob {

		@Bean
		@Lazy
		static Nightly job() {
			return new JobA();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class PrototypeJob {

		@Bean
		@Scope("prototype")
		AbstractNightly job() {
			return new JobA();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ScopedJob {

		@Bean
		@Scope(scopeName = "prototype", proxyMode = ScopedProxyMode.TARGET_CLASS)
		AbstractNightly job() {
			return new JobA();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TwoJobs {

		@Bean
		@Lazy
		AbstractNightly x() {
			return new JobA();
		}

		@Bean
		@Lazy
		AbstractNightly y() {
			return new JobA();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ChangingJob {

		private boolean second;

		@Bean
		@Scope("prototype")
		AbstractNightly job() {
			this.second = !this.second;
			return this.second ? new JobA() : new JobB();
		}

	}

}
