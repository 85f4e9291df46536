package io.github.distlock.aop;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

import org.jspecify.annotations.Nullable;

import org.springframework.core.convert.TypeDescriptor;
import org.springframework.expression.TypeConverter;
import org.springframework.expression.spel.support.StandardTypeConverter;
import org.springframework.util.ObjectUtils;

/**
 * Converts the value of one key expression, and the parts of a text in it, to keys.
 * Refuses values that cannot be a key.
 * <p>
 * It is also the type converter of the expression. The standard converter joins a
 * collection with commas, so that {@code ["a,b"]} and {@code ["a", "b"]} would be the
 * same key.
 */
final class KeyConverter implements TypeConverter {

	/** Locks are acquired one after the other, each with at least one command. */
	static final int MAXIMUM_KEYS = 1000;

	private final TypeConverter standard = new StandardTypeConverter();

	private final MethodExpression.Source source;

	KeyConverter(MethodExpression.Source source) {
		this.source = source;
	}

	/**
	 * Convert the value of the whole expression: one key, or a collection or an array of
	 * keys.
	 * @return the keys, sorted and without duplicates
	 */
	List<String> keys(@Nullable Object value) {
		Collection<?> several = several(value);
		if (several == null) {
			return List.of(key(value));
		}
		if (several.isEmpty()) {
			throw this.source.refuse("evaluated to no key, so the method would run without a lock. If it needs no lock "
					+ "then, add a condition, as in condition = \"!#ids.isEmpty()\"");
		}
		SortedSet<String> keys = new TreeSet<>();
		for (Object element : several) {
			keys.add(key(element));
		}
		if (keys.size() > MAXIMUM_KEYS) {
			throw this.source.refuse("evaluated to " + keys.size() + " keys, but a call can lock " + MAXIMUM_KEYS
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
		String problem = KeyText.problem(value);
		if (value == null || problem != null) {
			throw this.source.refuse("evaluated to a value that cannot be a key: it " + problem);
		}
		String key = KeyText.of(value);
		if (key.isBlank()) {
			throw this.source
				.refuse("evaluated to a blank key: all such calls would share one lock. Pass a value, or add a fixed "
						+ "part, as in 'order-' + #id");
		}
		return key;
	}

	/**
	 * Refuse a key that contains the name of a generated class, as from
	 * {@code #root.target.class.name}: the name differs from JVM to JVM.
	 * @param keys the keys
	 * @param values the target and the arguments of the call
	 */
	void checkClassNames(List<String> keys, @Nullable Object... values) {
		for (Object value : values) {
			Class<?> type = (value != null) ? value.getClass() : null;
			if (type != null && GeneratedClass.isGenerated(type)
					&& keys.stream().anyMatch((key) -> key.contains(withoutPackage(type)))) {
				throw this.source.refuse("evaluated to a key with the name of the generated class " + type.getName()
						+ ", which differs from JVM to JVM: write #root.targetClass, or a fixed text");
			}
		}
	}

	/** The text of the key may contain the simple name or the full name. */
	private static String withoutPackage(Class<?> type) {
		return type.getName().substring(type.getName().lastIndexOf('.') + 1);
	}

	/**
	 * Check an argument of a method that converts it to text. The argument may contain
	 * several values.
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
	 * Check a value that becomes part of a text.
	 */
	void part(@Nullable Object value, String node) {
		String problem = KeyText.problem(value);
		if (problem != null) {
			throw this.source.refuse("cannot be evaluated: its part " + node + " " + problem);
		}
	}

	@Override
	public boolean canConvert(@Nullable TypeDescriptor sourceType, TypeDescriptor targetType) {
		return this.standard.canConvert(sourceType, targetType);
	}

	@Override
	public @Nullable Object convertValue(@Nullable Object value, @Nullable TypeDescriptor sourceType,
			TypeDescriptor targetType) {
		if (value != null && targetType.getType() == String.class) {
			part(value, "that is converted to a text");
			return KeyText.of(value);
		}
		return this.standard.convertValue(value, sourceType, targetType);
	}

}
