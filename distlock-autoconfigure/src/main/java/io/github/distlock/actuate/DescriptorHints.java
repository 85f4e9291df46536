package io.github.distlock.actuate;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/**
 * Registers what Jackson reads by reflection. The operations return more general types,
 * so Spring Boot cannot find these.
 */
public final class DescriptorHints implements RuntimeHintsRegistrar {

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		new BindingReflectionHintsRegistrar().registerReflectionHints(hints.reflection(), LocksDescriptor.class,
				LockDescriptor.class, RefusalDescriptor.class);
	}

}
