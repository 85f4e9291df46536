package io.github.distlock.aop;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

import io.github.distlock.DistributedLock;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.aop.LockedApplication.Work;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Primary;
import org.springframework.core.annotation.AliasFor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests which of several registries provides the lock of a method.
 */
class LockedRegistryTests {

	@Test
	void aMethodIsLockedInTheRegistryThatItNames() {
		try (AnnotationConfigApplicationContext context = LockedApplication.of(Registries.class, Orders.class)
			.with("orders.registry", "second")
			.start()) {
			Orders orders = context.getBean(Orders.class);
			orders.byDefault();
			orders.byQualifier();
			orders.byBeanName();
			orders.byPlaceholder();
			orders.composed();
			assertThat(keys(context, "first")).containsExactly("default");
			assertThat(keys(context, "second")).containsExactly("qualifier", "placeholder");
			assertThat(keys(context, "third")).containsExactly("name", "composed");
		}
	}

	@Test
	void anAnnotatedClassNamesOneForItsMethodsAndAMethodAnother() {
		try (AnnotationConfigApplicationContext context = LockedApplication.of(Registries.class, Payments.class)
			.start()) {
			Payments payments = context.getBean(Payments.class);
			payments.pay();
			payments.look();
			assertThat(keys(context, "second")).containsExactly("payments");
			assertThat(keys(context, "first")).containsExactly("look");
		}
	}

	@Test
	void aBlankPlaceholderMeansTheDefault() {
		try (AnnotationConfigApplicationContext context = LockedApplication.of(Registries.class, Orders.class)
			.with("orders.registry", " ")
			.start()) {
			context.getBean(Orders.class).byPlaceholder();
			assertThat(keys(context, "first")).containsExactly("placeholder");
		}
	}

	@Test
	void anUnknownRegistryFailsTheStartAndTheMessageNamesTheOthers() {
		LockedApplication.of(Registries.class, Unknown.class)
			.assertRefused("@DistributedLock(registry = \"zookeper\") on " + Unknown.class.getName() + ".run()",
					" names no LockRegistry bean, or several (No bean named 'zookeper' available: No matching LockRegistry bean",
					"write one of the names [first, two, second, third, four, twice, five, locks], enable the store "
							+ "with distlock.<store>.enabled=true, or leave registry out to use the default store");
	}

	@Test
	void anUnknownRegistryOfALazyBeanFailsItsCalls() {
		try (AnnotationConfigApplicationContext context = LockedApplication.of(Registries.class, Late.class).start()) {
			assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(context.getBean(Late.class)::run)
				.withMessageContaining("\"zookeper\"");
		}
	}

	@Test
	void aQualifierOfSeveralRegistriesFailsTheStart() {
		LockedApplication.of(Registries.class, Ambiguous.class)
			.assertRefused("expected single matching bean but found 2");
	}

	@Test
	void whatTheStoreDoesNotSupportFailsTheStart() {
		LockedApplication.of(Registries.class, Fair.class)
			.assertRefused(Fair.class.getName() + ".run()", " does not fit its store. the store 'memory' is not fair");
	}

	@ParameterizedTest
	@ValueSource(classes = { Unknown.class, Fair.class })
	void registriesAreNotLookedUpIfLocksAreDisabled(Class<?> bean) {
		LockedApplication.of(Registries.class, bean).with("enabled", false).start().close();
	}

	private static String[] keys(AnnotationConfigApplicationContext context, String name) {
		String bean = switch (name) {
			case "first" -> "first";
			case "second" -> "two";
			default -> "third";
		};
		return context.getBean(bean, InMemoryLocks.class).keys();
	}

	@Configuration(proxyBeanMethods = false)
	static class Registries {

		@Bean
		@Primary
		InMemoryLocks first() {
			return new InMemoryLocks();
		}

		@Bean
		@Qualifier("second")
		InMemoryLocks two() {
			return new InMemoryLocks();
		}

		/** Keeps no order. */
		@Bean
		InMemoryLocks third() {
			return new InMemoryLocks() {
			};
		}

		@Bean
		@Qualifier("twice")
		InMemoryLocks four() {
			return new InMemoryLocks();
		}

		@Bean
		@Qualifier("twice")
		InMemoryLocks five() {
			return new InMemoryLocks();
		}

	}

	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock(registry = "third")
	@interface InTheThird {

		@AliasFor(annotation = DistributedLock.class, attribute = "key")
		String value();

	}

	static class Orders {

		@DistributedLock("'default'")
		void byDefault() {
		}

		@DistributedLock(key = "'qualifier'", registry = "second")
		void byQualifier() {
		}

		@DistributedLock(key = "'name'", registry = "third")
		void byBeanName() {
		}

		@DistributedLock(key = "'placeholder'", registry = "${orders.registry}")
		void byPlaceholder() {
		}

		@InTheThird("'composed'")
		void composed() {
		}

	}

	@DistributedLock(key = "'payments'", registry = "second")
	static class Payments {

		public void pay() {
		}

		@DistributedLock("'look'")
		public void look() {
		}

	}

	@DistributedLock(registry = "zookeper")
	static class Unknown extends Work {

	}

	@Lazy
	static class Late extends Unknown {

	}

	@DistributedLock(registry = "twice")
	static class Ambiguous extends Work {

	}

	@DistributedLock(fair = true, registry = "third")
	static class Fair extends Work {

	}

}
