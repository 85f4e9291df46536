package io.github.distlock.autoconfigure;

import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;

/**
 * Registers what every application accesses by reflection: virtual threads, which Java 17
 * does not have, and parts of Spring's method validation.
 */
class ReflectionHints implements RuntimeHintsRegistrar {

	private static final String BUILDER = "java.lang.Thread$Builder";

	private static final String VALIDATION = "org.springframework.validation.beanvalidation.MethodValidationInterceptor";

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		hints.reflection()
			.registerType(Thread.class,
					(type) -> type.withMethod("ofVirtual", List.of(), ExecutableMode.INVOKE)
						.withMethod("isVirtual", List.of(), ExecutableMode.INVOKE))
			.registerType(TypeReference.of(BUILDER),
					(type) -> type.withMethod("name", TypeReference.listOf(String.class), ExecutableMode.INVOKE)
						.withMethod("inheritInheritableThreadLocals", TypeReference.listOf(boolean.class),
								ExecutableMode.INVOKE)
						.withMethod("unstarted", TypeReference.listOf(Runnable.class), ExecutableMode.INVOKE))
			.registerType(TypeReference.of(VALIDATION),
					(type) -> type.withField("validationAdapter").withField("adaptViolations"));
	}

}
