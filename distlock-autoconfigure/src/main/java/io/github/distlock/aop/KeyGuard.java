package io.github.distlock.aop;

import io.github.distlock.LockDefinitionException;
import org.jspecify.annotations.Nullable;

/**
 * Refuses values that make no key, in the name of one expression.
 *
 * @param where the annotated method
 * @param expression the key expression
 */
record KeyGuard(LockedMethod where, String expression) {

	/**
	 * Check the result of the whole expression.
	 */
	String key(@Nullable Object value) {
		String problem = KeyText.problem(value);
		if (value == null || problem != null) {
			throw refuse("evaluated to a value that is no key: it " + problem);
		}
		String key = KeyText.of(value);
		if (key.isBlank()) {
			throw refuse("evaluated to a blank key: all such calls would share one lock. Pass a value, or add a fixed "
					+ "part, as in 'order-' + #id");
		}
		return key;
	}

	/**
	 * Check a value that is about to become part of a text.
	 */
	void part(@Nullable Object value, String node) {
		String problem = KeyText.problem(value);
		if (problem != null) {
			throw refuse("cannot be evaluated: its part " + node + " " + problem);
		}
	}

	LockDefinitionException refuse(String problem) {
		return this.where.refuse("key", this.expression, problem);
	}

	LockDefinitionException refuse(String problem, Throwable cause) {
		return this.where.refuse("key", this.expression, problem, cause);
	}

}
