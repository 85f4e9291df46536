package io.github.distlock.aop;

import org.jspecify.annotations.Nullable;

/**
 * Whether a call needs the lock at all.
 */
@FunctionalInterface
interface Condition {

	/** Of annotations without a condition. */
	Condition ALWAYS = (target, arguments) -> true;

	/**
	 * Decide.
	 * @param target the object that is called
	 * @param arguments what it is called with
	 * @return whether the call needs the lock
	 * @throws io.github.distlock.LockDefinitionException if that cannot be said
	 */
	boolean holds(@Nullable Object target, @Nullable Object[] arguments);

}
