package io.github.distlock.aop;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

import org.jspecify.annotations.Nullable;

import org.springframework.util.ObjectUtils;

/**
 * Refuses values that make no key, in the name of one expression.
 *
 * @param written the key expression
 */
record KeyConverter(WrittenExpression written) {

	/** Each is a command or more, one after the other. */
	static final int MAXIMUM_KEYS = 1000;

	/**
	 * Check the result of the whole expression: one key, or a collection or an array of
	 * keys.
	 * @return the keys, each once, sorted
	 */
	List<String> keys(@Nullable Object value) {
		Collection<?> several = several(value);
		if (several == null) {
			return List.of(key(value));
		}
		if (several.isEmpty()) {
			throw this.written
				.refuse("evaluated to no key at all, and the method would run without a lock. If it needs "
						+ "none then, say so with a condition, as in condition = \"!#ids.isEmpty()\"");
		}
		SortedSet<String> keys = new TreeSet<>();
		for (Object element : several) {
			keys.add(key(element));
		}
		if (keys.size() > MAXIMUM_KEYS) {
			throw this.written.refuse("evaluated to " + keys.size() + " keys, but a call can lock " + MAXIMUM_KEYS
					+ " at most: lock something that stands for all of them, or call the method for fewer at a time");
		}
		return List.copyOf(keys);
	}

	/** Only what is certain to have elements: a path is an Iterable too. */
	private static @Nullable Collection<?> several(@Nullable Object value) {
		if (value instanceof Collection<?> collection) {
			return collection;
		}
		boolean array = value != null && value.getClass().isArray();
		return (array && !(value instanceof byte[]) && !(value instanceof char[]))
				? Arrays.asList(ObjectUtils.toObjectArray(value)) : null;
	}

	private String key(@Nullable Object value) {
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
	 * Refuse a key with the name of a class that is generated in each JVM anew, as
	 * {@code #root.target.class.name} would give it.
	 * @param keys the keys
	 * @param values the target and the arguments of the call
	 */
	void checkNames(List<String> keys, @Nullable Object... values) {
		for (Object value : values) {
			Class<?> type = (value != null) ? value.getClass() : null;
			if (type != null && GeneratedClass.is(type)
					&& keys.stream().anyMatch((key) -> key.contains(withoutPackage(type)))) {
				throw this.written.refuse("evaluated to a key with the name of the generated class " + type.getName()
						+ ", which differs from JVM to JVM: write #root.targetClass, or a fixed text");
			}
		}
	}

	/** Also a part of the full name. */
	private static String withoutPackage(Class<?> type) {
		return type.getName().substring(type.getName().lastIndexOf('.') + 1);
	}

	/**
	 * Check an argument of a method that makes a text of it, which may be several values.
	 */
	void argument(@Nullable Object value, String node) {
		if (value instanceof Iterable<?> several && !(value instanceof Path)) {
			several.forEach((element) -> part(element, node));
		}
		else if (value != null && value.getClass().isArray()) {
			Arrays.asList(ObjectUtils.toObjectArray(value)).forEach((element) -> part(element, node));
		}
		else {
			part(value, node);
		}
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
