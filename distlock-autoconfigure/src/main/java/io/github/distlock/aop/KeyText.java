package io.github.distlock.aop;

import java.math.BigDecimal;
import java.util.Date;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;

/**
 * Determines the text of a value inside a key, which must be the same in every JVM, or
 * why the value has no such text.
 */
final class KeyText {

	/**
	 * Whether a class overrides toString(); cached with the class. {@code null} in a
	 * native image that does not keep the method for reflection.
	 */
	private static final ClassValue<@Nullable Boolean> OVERRIDES_TO_STRING = new ClassValue<>() {

		@Override
		protected @Nullable Boolean computeValue(Class<?> type) {
			// The simple value types of the JDK do, and have no hints.
			if (type.getName().startsWith("java.") && ClassUtils.isSimpleValueType(type)) {
				return true;
			}
			try {
				return type.getMethod("toString").getDeclaringClass() != Object.class;
			}
			catch (NoSuchMethodException ex) {
				return null;
			}
		}

	};

	/** A character of a class name. */
	private static final String CHARACTER = "\\p{javaJavaIdentifierPart}";

	/**
	 * The result of Object.toString() anywhere in a text: the qualified name of a class
	 * or a lambda, or an array type, and the identity hash. Does not match texts such as
	 * {@code order-17@3} or a mail address. A class without a package looks like these,
	 * so it is found only if the value itself is an instance of it.
	 */
	private static final Pattern IDENTITY = Pattern.compile("(?<!" + CHARACTER + ")(?:" + CHARACTER + "+\\.)+"
			+ CHARACTER + "+(?:/0x[0-9a-f]+)?@[0-9a-f]{1,8}(?![\\w.-])|\\[(?:[BCDFIJSZ]|L[^;\\[\\s]+;)@[0-9a-f]{1,8}");

	/** A number with a larger scale is written with an exponent. */
	private static final int MAXIMUM_SCALE = 100;

	private KeyText() {
	}

	/**
	 * Return the text of a value without a {@link #problem}.
	 */
	static String of(Object value) {
		if (value instanceof Enum<?> constant) {
			return constant.name();
		}
		if (value.getClass() == Date.class) {
			// toString() depends on the time zone of the JVM.
			return ((Date) value).toInstant().toString();
		}
		if (value instanceof BigDecimal number) {
			return plain(number.stripTrailingZeros());
		}
		return value.toString();
	}

	/** 1.0 and 1.00 are the same amount, which must not have two locks. */
	private static String plain(BigDecimal number) {
		boolean isShort = Math.abs((long) number.scale()) < MAXIMUM_SCALE;
		return isShort ? number.toPlainString() : number.toString();
	}

	/**
	 * Describe why a value cannot be (a part of) a key, and what to write instead.
	 * @return the problem, or {@code null} if there is none
	 */
	static @Nullable String problem(@Nullable Object value) {
		if (value == null) {
			return "is null: all calls without a value would share one lock. Pass a value, or write what null "
					+ "means, as in (#id != null ? #id : 'none')";
		}
		if (value instanceof Class<?> named && GeneratedClass.isGenerated(named)) {
			return "is the generated class " + named.getName() + ", whose name differs from JVM to JVM: write "
					+ "#root.targetClass, or a fixed text";
		}
		Class<?> type = value.getClass();
		if (ClassUtils.isSimpleValueType(type) && overridesToString(value)) {
			return null;
		}
		String described = "is an instance of " + type.getTypeName();
		if (type.isArray() || value instanceof Iterable || value instanceof Map) {
			return described + ": write an expression that gives one text, such as #ids[0]; for several keys the "
					+ "whole expression must be a collection or an array of texts, such as #ids.![#prefix + #this]";
		}
		if (value instanceof Optional) {
			return described + ": write what it contains, as in #id.get()";
		}
		if (!overridesToString(value)) {
			return described + ", which has no toString() of its own: each instance would be another lock. Write one "
					+ "of its properties, such as #order.id, or override toString()";
		}
		String text = value.toString();
		if (text.indexOf('@') >= 0 && hasIdentity(text, value)) {
			return described + ", whose toString() differs from instance to instance (" + text + "), since it, or an "
					+ "object in it, has none of its own: each would be another lock. Write one of its properties, such "
					+ "as #order.id";
		}
		return null;
	}

	private static boolean overridesToString(Object value) {
		Boolean known = OVERRIDES_TO_STRING.get(value.getClass());
		return (known != null) ? known
				: !value.toString().equals(value.getClass().getName() + "@" + Integer.toHexString(value.hashCode()));
	}

	private static boolean hasIdentity(String text, Object value) {
		return text.endsWith("@" + Integer.toHexString(System.identityHashCode(value)))
				|| IDENTITY.matcher(text).find();
	}

}
