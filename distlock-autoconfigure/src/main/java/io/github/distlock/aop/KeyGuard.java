package io.github.distlock.aop;

import org.jspecify.annotations.Nullable;

/**
 * Refuses values that make no key, in the name of one expression.
 *
 * @param written the key expression
 */
record KeyGuard(WrittenExpression written) {

	/**
	 * Check the result of the whole expression.
	 */
	String key(@Nullable Object value) {
		String problem = KeyText.problem(value);
		if (value == null || problem != null) {
			throw this.written.refuse("evaluated to a value that is no key: it " + problem);
		}
		String key = KeyText.of(value);
		if (key.isBlank()) {
			throw this.written
				.refuse("evaluated to a blank key: all such calls would share one lock. Pass a value, or add a fixed "
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
			throw this.written.refuse("cannot be evaluated: its part " + node + " " + problem);
		}
	}

}
