package io.github.distlock.aop;

import java.util.Date;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;

/**
 * What a value looks like inside a key: the same text in every JVM, or a refusal.
 */
final class KeyText {

	/** Whether a class has a toString of its own; remembered with the class. */
	private static final ClassValue<Boolean> OWN_TEXT = new ClassValue<>() {

		@Override
		protected Boolean computeValue(Class<?> type) {
			try {
				return type.getMethod("toString").getDeclaringClass() != Object.class;
			}
			catch (NoSuchMethodException ex) {
				throw new IllegalStateException(ex);
			}
		}

	};

	private KeyText() {
	}

	/**
	 * Return the text of a value for which {@link #problem} has none.
	 */
	static String of(Object value) {
		if (value instanceof Enum<?> constant) {
			return constant.name();
		}
		if (value.getClass() == Date.class) {
			// Its own text depends on the time zone of the JVM.
			return ((Date) value).toInstant().toString();
		}
		return value.toString();
	}

	/**
	 * Say why a value cannot be (a part of) a key, and what to write instead.
	 * @return the problem, or nothing
	 */
	static @Nullable String problem(@Nullable Object value) {
		if (value == null) {
			return "is null: all calls without a value would share one lock. Pass a value, or write what null "
					+ "means, as in (#id != null ? #id : 'none')";
		}
		if (value instanceof Class<?> named && GeneratedClass.is(named)) {
			return "is the generated class " + named.getName() + ", whose name differs from JVM to JVM: write "
					+ "#root.targetClass, or a fixed text";
		}
		Class<?> type = value.getClass();
		if (ClassUtils.isSimpleValueType(type) && OWN_TEXT.get(type)) {
			return null;
		}
		String described = "is an instance of " + type.getTypeName();
		if (type.isArray() || value instanceof Iterable || value instanceof Map) {
			return described
					+ ": write an expression that gives one text, such as #ids[0]; several keys are a collection "
					+ "or an array of texts as a whole, such as #ids.![#prefix + #this]";
		}
		if (value instanceof Optional) {
			return described + ": write what it contains, as in #id.get()";
		}
		if (!OWN_TEXT.get(type)) {
			return described + ", which has no toString() of its own: each instance would be another lock. Write one "
					+ "of its properties, such as #order.id, or override toString()";
		}
		if (value.toString().contains("@" + Integer.toHexString(System.identityHashCode(value)))) {
			return described + ", whose toString() differs from instance to instance: each would be another lock. "
					+ "Write one of its properties, such as #order.id";
		}
		return null;
	}

}
