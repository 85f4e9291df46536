package io.github.distlock.autoconfigure;

import org.junit.jupiter.api.Test;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.TypeReference;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.validation.beanvalidation.MethodValidationInterceptor;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Hints for the native image of every application.
 */
class ReflectionHintsTests {

	private final RuntimeHints hints = new RuntimeHints();

	ReflectionHintsTests() {
		new ReflectionHints().registerHints(this.hints, null);
	}

	@Test
	void thePartsOfMethodValidationAreKept() {
		assertThat(RuntimeHintsPredicates.reflection()
			.onFieldAccess(MethodValidationInterceptor.class, "validationAdapter")).accepts(this.hints);
		assertThat(
				RuntimeHintsPredicates.reflection().onFieldAccess(MethodValidationInterceptor.class, "adaptViolations"))
			.accepts(this.hints);
	}

	@Test
	void theBuilderOfVirtualThreadsIsKept() {
		assertThat(RuntimeHintsPredicates.reflection().onType(TypeReference.of("java.lang.Thread$Builder")))
			.accepts(this.hints);
		assertThat(RuntimeHintsPredicates.reflection().onType(Thread.class)).accepts(this.hints);
	}

	@Test
	void theConfigurationOfEveryApplicationImportsTheHints() {
		assertThat(DistlockAopAutoConfiguration.class.getAnnotation(ImportRuntimeHints.class).value())
			.containsExactly(ReflectionHints.class);
	}

}
