package io.github.distlock.aop;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Gives the keys of one call.
 */
@FunctionalInterface
interface KeySource {

	/**
	 * Give the keys.
	 * @param target the object that is called
	 * @param arguments what it is called with
	 * @return at least one, each once, sorted, none blank
	 * @throws io.github.distlock.LockDefinitionException if there is none, or one that is
	 * no key
	 */
	List<String> keys(@Nullable Object target, @Nullable Object[] arguments);

}
