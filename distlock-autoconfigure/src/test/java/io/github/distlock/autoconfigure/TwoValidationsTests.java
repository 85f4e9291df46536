package io.github.distlock.autoconfigure;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.github.distlock.DistributedLock;
import io.github.distlock.LockContext;
import jakarta.validation.Constraint;
import jakarta.validation.ConstraintValidator;
import jakarta.validation.ConstraintValidatorContext;
import jakarta.validation.Payload;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.validation.annotation.Validated;
import org.springframework.validation.beanvalidation.MethodValidationPostProcessor;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application with two post-processors for method validation, such as one for its own
 * annotation.
 */
class TwoValidationsTests {

	@Test
	void eachPostProcessorValidatesTheArgumentsOnceAndOutsideOfTheLock() {
		Checked.seen.clear();
		Contexts.withoutRedis()
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
			.withPropertyValues("distlock.backend=local")
			.withUserConfiguration(Shop.class)
			.run((context) -> {
				context.getBean(Orders.class).pay("1");
				assertThat(Checked.seen).containsExactly("1 without lock", "1 without lock");
			});
	}

	@Target(ElementType.TYPE)
	@Retention(RetentionPolicy.RUNTIME)
	@interface AlsoValidated {

	}

	@Validated
	@AlsoValidated
	static class Orders {

		@DistributedLock("'order-' + #id")
		public void pay(@Right String id) {
		}

	}

	@Target(ElementType.PARAMETER)
	@Retention(RetentionPolicy.RUNTIME)
	@Constraint(validatedBy = Checked.class)
	@interface Right {

		String message() default "must be right";

		Class<?>[] groups() default {};

		Class<? extends Payload>[] payload() default {};

	}

	public static class Checked implements ConstraintValidator<Right, String> {

		private static final List<String> seen = new CopyOnWriteArrayList<>();

		@Override
		public boolean isValid(String value, ConstraintValidatorContext context) {
			seen.add(value + (LockContext.current().isPresent() ? " in lock" : " without lock"));
			return true;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Shop {

		@Bean
		static MethodValidationPostProcessor first() {
			return new MethodValidationPostProcessor();
		}

		@Bean
		static MethodValidationPostProcessor second() {
			MethodValidationPostProcessor second = new MethodValidationPostProcessor();
			second.setValidatedAnnotationType(AlsoValidated.class);
			return second;
		}

		@Bean
		Orders orders() {
			return new Orders();
		}

	}

}
