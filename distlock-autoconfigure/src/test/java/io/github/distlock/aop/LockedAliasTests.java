package io.github.distlock.aop;

import java.util.List;

import io.github.distlock.DistributedLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.framework.ProxyFactoryBean;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.EnableAspectJAutoProxy;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Primary;
import org.springframework.context.annotation.Scope;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests a bean method that returns another locked bean, so that its proxy is around the
 * proxy of the other bean. Both stay locked: calls of the alias enter the lock a second
 * time.
 */
class LockedAliasTests {

	private static final List<String> ONCE = List.of("acquire order", "release order");

	private static final List<String> REENTERED = List.of("acquire order", "acquire order", "release order",
			"release order");

	@ParameterizedTest
	@ValueSource(classes = { Eager.class, LazyAlias.class, Prototype.class, FactoryAlias.class })
	void anAliasAndTheOriginalAreLocked(Class<?> alias) {
		try (AnnotationConfigApplicationContext context = LockedApplication.of(Cards.class, alias).start()) {
			assertLocked(context);
		}
	}

	@Test
	void theOriginalStaysLockedThoughACircularReferenceHasMadeItsProxyEarly() {
		try (AnnotationConfigApplicationContext context = LockedApplication.of(Circle.class, LazyAlias.class)
			.with((application) -> application.setAllowCircularReferences(true))
			.start()) {
			assertLocked(context);
		}
	}

	@Test
	void anAliasOfAParentContextsBeanLeavesThatOneLocked() {
		try (AnnotationConfigApplicationContext parent = LockedApplication.of(Cards.class).start();
				AnnotationConfigApplicationContext child = LockedApplication.of(Eager.class)
					.with((context) -> context.setParent(parent))
					.start()) {
			child.getBean("payment", CardPayment.class).pay();
			assertThat(events(child)).isEqualTo(ONCE);
			assertThat(events(parent)).isEqualTo(ONCE);
			events(parent).clear();
			parent.getBean("cardPayment", CardPayment.class).pay();
			assertThat(events(parent)).isEqualTo(ONCE);
		}
	}

	private static void assertLocked(AnnotationConfigApplicationContext context) {
		context.getBean("payment", CardPayment.class).pay();
		assertThat(events(context)).isEqualTo(REENTERED);
		events(context).clear();
		context.getBean("cardPayment", CardPayment.class).pay();
		assertThat(events(context)).isEqualTo(ONCE);
	}

	private static List<String> events(AnnotationConfigApplicationContext context) {
		return context.getBean(InMemoryLocks.class).events;
	}

	static class CardPayment {

		@DistributedLock("'order'")
		public void pay() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAspectJAutoProxy(proxyTargetClass = true)
	static class Cards {

		@Bean
		CardPayment cardPayment() {
			return new CardPayment();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAspectJAutoProxy(proxyTargetClass = true)
	static class Eager {

		@Bean
		@Primary
		CardPayment payment(CardPayment cardPayment) {
			return cardPayment;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAspectJAutoProxy(proxyTargetClass = true)
	static class LazyAlias {

		@Bean
		@Lazy
		CardPayment payment(CardPayment cardPayment) {
			return cardPayment;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAspectJAutoProxy(proxyTargetClass = true)
	static class Prototype {

		@Bean
		@Scope("prototype")
		CardPayment payment(CardPayment cardPayment) {
			return cardPayment;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAspectJAutoProxy(proxyTargetClass = true)
	static class FactoryAlias {

		@Bean
		@Primary
		static ProxyFactoryBean payment() {
			ProxyFactoryBean factory = new ProxyFactoryBean();
			factory.setTargetName("cardPayment");
			factory.setProxyTargetClass(true);
			return factory;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAspectJAutoProxy(proxyTargetClass = true)
	static class Circle {

		@Bean
		CircularPayment cardPayment() {
			return new CircularPayment();
		}

		@Bean
		Caller caller() {
			return new Caller();
		}

	}

	static class CircularPayment extends CardPayment {

		@Autowired
		private Caller caller;

		Caller caller() {
			return this.caller;
		}

	}

	static class Caller {

		@Autowired
		private CircularPayment payment;

		CircularPayment payment() {
			return this.payment;
		}

	}

}
