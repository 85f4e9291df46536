package io.github.distlock.aop;

import org.jspecify.annotations.Nullable;

/**
 * Gives the key of one call.
 */
@FunctionalInterface
interface KeySource {

	/**
	 * Give the key.
	 * @param target the object that is called
	 * @param arguments what it is called with
	 * @return the key, never blank
	 * @throws io.github.distlock.LockDefinitionException if there is none
	 */
	String key(@Nullable Object target, @Nullable Object[] arguments);

}
