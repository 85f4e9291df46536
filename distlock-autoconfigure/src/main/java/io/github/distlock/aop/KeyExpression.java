package io.github.distlock.aop;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

import org.jspecify.annotations.Nullable;

import org.springframework.util.ObjectUtils;

/**
 * Determines the keys of a call: the value of a SpEL expression, which is one key, or a
 * collection or an array of keys. Refuses values that cannot be a key.
 */
final class KeyExpression {

	/** Locks are acquired one after the other, each with at least one command. */
	static final int MAXIMUM_KEYS = 1000;

	private final MethodExpression expression;

	KeyExpression(MethodExpression expression) {
		this.expression = expression;
		expression.checkWith(new KeyConverter(expression));
	}

	/**
	 * Determine the keys.
	 * @param target the object that is called
	 * @param arguments the arguments of the call
	 * @return at least one key; sorted, without duplicates and blank keys
	 * @throws io.github.distlock.LockDefinitionException if there is no key, or a value
	 * cannot be a key
	 */
	List<String> keys(@Nullable Object target, @Nullable Object[] arguments) {
		Object value = this.expression.value(target, arguments,
				"write an expression that gives a key for every call, as in #order?.id ?: 'none'");
		Collection<?> several = several(value);
		if (several == null) {
			return List.of(key(value));
		}
		if (several.isEmpty()) {
			throw this.expression
				.refuse("evaluated to no key, so the method would run without a lock. If it needs no lock "
						+ "then, add a condition, as in condition = \"!#ids.isEmpty()\"");
		}
		SortedSet<String> keys = new TreeSet<>();
		several.forEach((element) -> keys.add(key(element)));
		if (keys.size() > MAXIMUM_KEYS) {
			throw this.expression.refuse("evaluated to " + keys.size() + " keys, but a call can lock " + MAXIMUM_KEYS
					+ " at most: lock something that stands for all of them, or call the method for fewer at a time");
		}
		return List.copyOf(keys);
	}

	/** Not every Iterable: a Path is one, too. */
	private static @Nullable Collection<?> several(@Nullable Object value) {
		if (value instanceof Collection<?> collection) {
			return collection;
		}
		boolean array = value != null && value.getClass().isArray();
		return (array && !(value instanceof byte[]) && !(value instanceof char[]))
				? Arrays.asList(ObjectUtils.toObjectArray(value)) : null;
	}

	private String key(@Nullable Object value) {
		String key = KeyText.of(value, "evaluated to a value that cannot be a key: it ", this.expression::refuse);
		if (key.isBlank()) {
			throw this.expression
				.refuse("evaluated to a blank key: all such calls would share one lock. Pass a value, or add a fixed "
						+ "part, as in 'order-' + #id");
		}
		return key;
	}

}
