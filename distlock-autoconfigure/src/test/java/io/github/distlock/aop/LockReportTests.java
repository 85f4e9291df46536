package io.github.distlock.aop;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import io.github.distlock.DistributedLock;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.testing.LoggedProblems;
import org.assertj.core.api.AbstractStringAssert;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.InitializingBean;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Tests that one report names all invalid annotations of an application, and that no
 * method with an invalid annotation runs before.
 */
class LockReportTests {

	/** Methods that ran although their annotation is invalid. */
	private static final List<String> RAN = new ArrayList<>();

	@BeforeEach
	void begin() {
		RAN.clear();
	}

	private static AbstractStringAssert<?> report(Class<?>... classes) {
		Throwable root = catchThrowable(() -> LockedApplication.of(classes).start().close());
		while (root != null && !(root instanceof LockDefinitionException)) {
			root = root.getCause();
		}
		assertThat(RAN).isEmpty();
		return assertThat(Objects.requireNonNull(root, "no report").getMessage());
	}

	@Test
	void allInvalidMethodsOfAllBeansAreReportedTogether() {
		report(ThreeMistakes.class, Impls.class, LazyMistake.class, UnknownRegistry.class, SharedKeyTests.JobA.class,
				SharedKeyTests.JobB.class)
			.startsWith("8 locks cannot work as they are written:")
			.contains("Bean 'lockReportTests.ThreeMistakes': ", "Bean 'first': ", "Bean 'second': ",
					"Bean 'lockReportTests.LazyMistake': ")
			.contains(".unknown(String) uses #idd", "(waitTime = \"5\")", ".blank() is blank",
					"FirstImpl.run() is blank", "SecondImpl.run() is blank", "LazyMistake.run() is blank",
					"(registry = \"nowhere\")", "would share the lock");
	}

	@Test
	void aMethodThatNoProxyInterceptsIsReportedBeforeItCanRun() {
		report(PrivateMethod.class, Caller.class).contains("is on a private method");
		report(FinalMistake.class, Caller.class).contains("is on a final method");
		report(FinalClass.class).contains(FinalClass.class.getName() + ".run() is in a final");
	}

	@Test
	void aFinalClassOfALazyBeanIsReportedWithTheOthers() {
		report(ThreeMistakes.class, LazyFinalClass.class)
			.contains(LazyFinalClass.class.getName() + ".run() is in a final", "uses #idd");
	}

	@Test
	void anInvalidMethodThatIsCalledWhileTheApplicationStartsIsRefused() {
		report(ThreeMistakes.class, CarefulCaller.class, LazyMistake.class).contains("uses #idd", "LazyMistake.run()");
		report(ThreeMistakes.class, Caller.class).contains("ThreeMistakes.bare() has no unit");
	}

	@Test
	void aBeanThatIsRefusedLaterIsNotReportedAgainWhenTheApplicationStops() {
		try (LoggedProblems problems = LoggedProblems.observe()) {
			try (AnnotationConfigApplicationContext context = LockedApplication.of(Late.class).start()) {
				for (int i = 0; i < 2; i++) {
					assertThat(catchThrowable(() -> context.getBean("late")))
						.hasRootCauseInstanceOf(LockDefinitionException.class);
				}
			}
			assertThat(problems.lines()).noneMatch((line) -> line.contains("ERROR"));
		}
	}

	@Configuration(proxyBeanMethods = false)
	static class Late {

		@Bean
		@Lazy
		Object late() {
			return new ThreeMistakes();
		}

	}

	static class ThreeMistakes {

		@DistributedLock("#idd")
		public void unknown(String id) {
			RAN.add("unknown");
		}

		@DistributedLock(waitTime = "5")
		public void bare() {
			RAN.add("bare");
		}

		@DistributedLock(" ")
		public void blank() {
			RAN.add("blank");
		}

	}

	interface Runs {

		void run();

	}

	static class FirstImpl implements Runs {

		@Override
		@DistributedLock(" ")
		public void run() {
			RAN.add("first");
		}

	}

	static class SecondImpl implements Runs {

		@Override
		@DistributedLock(" ")
		public void run() {
			RAN.add("second");
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Impls {

		@Bean
		Runs first() {
			return new FirstImpl();
		}

		@Bean
		Runs second() {
			return new SecondImpl();
		}

	}

	@Lazy
	static class LazyMistake {

		LazyMistake() {
			RAN.add("lazy");
		}

		@DistributedLock(" ")
		public void run() {
		}

	}

	static class UnknownRegistry {

		@DistributedLock(key = "'k'", registry = "nowhere")
		public void run() {
		}

	}

	static class PrivateMethod {

		@DistributedLock
		private void run() {
		}

	}

	static final class FinalClass {

		@DistributedLock
		void run() {
		}

	}

	@Lazy
	static final class LazyFinalClass {

		@DistributedLock
		void run() {
		}

	}

	static class FinalMistake {

		@DistributedLock(" ")
		public final void run() {
			RAN.add("final");
		}

	}

	static class CarefulCaller implements InitializingBean {

		private final ThreeMistakes mistakes;

		CarefulCaller(ThreeMistakes mistakes) {
			this.mistakes = mistakes;
		}

		@Override
		public void afterPropertiesSet() {
			assertThat(catchThrowable(this.mistakes::bare)).isInstanceOf(LockDefinitionException.class);
			assertThat(catchThrowable(() -> this.mistakes.unknown("1"))).isInstanceOf(LockDefinitionException.class);
		}

	}

	static class Caller implements InitializingBean {

		private final List<Object> beans;

		Caller(List<ThreeMistakes> mistakes, List<FinalMistake> finals) {
			this.beans = new ArrayList<>(mistakes);
			this.beans.addAll(finals);
		}

		@Override
		public void afterPropertiesSet() {
			for (Object bean : this.beans) {
				if (bean instanceof ThreeMistakes mistakes) {
					mistakes.bare();
				}
				else if (bean instanceof FinalMistake mistake) {
					mistake.run();
				}
			}
		}

	}

}
