package io.github.distlock.aop;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The key of a lock without a key: the declaring class and the method.
 *
 * @param text the key
 */
record MethodKey(String text) implements KeySource {

	@Override
	public List<String> keys(@Nullable Object target, @Nullable Object[] arguments) {
		return List.of(this.text);
	}

}
