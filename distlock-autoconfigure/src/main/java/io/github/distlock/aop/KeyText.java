package io.github.distlock.aop;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.MonthDay;
import java.time.Period;
import java.util.AbstractMap.SimpleEntry;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Calendar;
import java.util.Collection;
import java.util.Date;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TimeZone;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.regex.Pattern;

import io.github.distlock.LockDefinitionException;
import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;
import org.springframework.util.ConcurrentReferenceHashMap;
import org.springframework.util.ReflectionUtils;

/**
 * The texts of values that are keys or parts of a key. Refuses a value of the JDK or a
 * record whose text may differ although the value is the same: because of the time zone
 * or the locale of the JVM, the identity of an object, or an order of iteration. The text
 * of any other class is its {@code toString()}, of which only the identity of an object
 * is found.
 */
public final class KeyText {

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

	/**
	 * Types of the JDK, besides simple ones, whose text has only the value or its parts.
	 */
	private static final List<Class<?>> KNOWN = List.of(AtomicBoolean.class, BitSet.class, Duration.class,
			EnumMap.class, EnumSet.class, FileTime.class, List.class, Map.Entry.class, Method.class, MonthDay.class,
			Optional.class, OptionalDouble.class, OptionalInt.class, OptionalLong.class, Period.class, SortedMap.class,
			SortedSet.class);

	/** What to write instead of a value of a class, empty if its text is a key. */
	private static final Map<Class<?>, String> REMEDIES = new ConcurrentReferenceHashMap<>();

	private KeyText() {
	}

	/**
	 * Return the text of a value, which is the same in every JVM.
	 * @param value the value
	 * @param problem begins the sentence if there is no such text
	 * @param refusal creates the exception
	 * @return the text
	 */
	public static String of(@Nullable Object value, String problem, Function<String, LockDefinitionException> refusal) {
		if (value instanceof String || value instanceof Long || value instanceof Integer || value instanceof UUID) {
			return value.toString();
		}
		if (value == null) {
			throw refusal.apply(problem + "is null: all calls without a value would share one lock. Pass a "
					+ "value, or write what null means, as in (#id != null ? #id : 'none')");
		}
		if (value instanceof Enum<?> constant) {
			return constant.name();
		}
		if (value.getClass() == Date.class) {
			return ((Date) value).toInstant().toString();
		}
		if (value instanceof BigDecimal number) {
			// 1.0 and 1.00 are the same amount, which must not have two locks.
			BigDecimal amount = number.stripTrailingZeros();
			return (Math.abs((long) amount.scale()) < MAXIMUM_SCALE) ? amount.toPlainString() : amount.toString();
		}
		String text = value.toString();
		String reason = reason(value, text);
		if (reason != null) {
			throw refusal.apply(problem + "is " + reason);
		}
		return text;
	}

	private static @Nullable String reason(Object value, String text) {
		boolean simple = ClassUtils.isSimpleValueType(value.getClass());
		if (!simple && (value.getClass().isArray() || value instanceof Iterable || value instanceof Map
				|| value instanceof Optional)) {
			return describe(value) + ": write an expression that gives one text, such as #ids[0] or "
					+ "#id.get(); for several keys the whole expression must be a collection or an array of texts, "
					+ "such as #ids.![#prefix + #this]";
		}
		if (text.indexOf('@') >= 0 && (text.endsWith("@" + Integer.toHexString(System.identityHashCode(value)))
				|| !simple && IDENTITY.matcher(text).find())) {
			return describe(value) + ", whose toString() differs from instance to instance (" + text
					+ "), since it, or an object in it, has none of its own: each would be another lock. Write one of "
					+ "its properties, such as #order.id, or override toString()";
		}
		return difference(value);
	}

	private static String describe(Object value) {
		return "an instance of " + value.getClass().getTypeName();
	}

	/** Describe what may differ in the text of a value, {@code null} if nothing does. */
	private static @Nullable String difference(@Nullable Object value) {
		if (value == null) {
			return null;
		}
		if (value instanceof Class<?> type && LockedMethod.isGenerated(type)) {
			return describe(value) + ", the generated class " + type.getName()
					+ ", whose name differs from JVM to JVM: write #root.targetClass, or a fixed text";
		}
		for (Object part : parts(value)) {
			String difference = difference(part);
			if (difference != null) {
				return ((value instanceof Map.Entry) ? value : describe(value)) + ", in it " + difference;
			}
		}
		String remedy = REMEDIES.computeIfAbsent(value.getClass(), KeyText::remedy);
		return remedy.isEmpty() ? null : describe(value) + ", " + remedy;
	}

	/**
	 * Return the parts that are in the text of a value: of a record, with their names.
	 */
	private static Collection<?> parts(Object value) {
		if (value instanceof Record) {
			// If it overrides toString(), it is a class like others: the method that the
			// compiler generates is final.
			boolean generated = Modifier.isFinal(ClassUtils.getMethod(value.getClass(), "toString").getModifiers());
			return Arrays.stream(value.getClass().getRecordComponents())
				.filter((component) -> generated)
				.map(RecordComponent::getAccessor)
				.peek(ReflectionUtils::makeAccessible)
				.map((part) -> new SimpleEntry<>(part.getName(), ReflectionUtils.invokeMethod(part, value)))
				.toList();
		}
		if (value instanceof Map<?, ?> map) {
			return map.entrySet();
		}
		if (value instanceof Map.Entry<?, ?> entry) {
			return Arrays.asList(entry.getKey(), entry.getValue());
		}
		if (value instanceof Optional<?> optional) {
			return optional.stream().toList();
		}
		return (value instanceof Collection<?> collection) ? collection : List.of();
	}

	private static String remedy(Class<?> type) {
		if (Date.class.isAssignableFrom(type) || Calendar.class.isAssignableFrom(type)) {
			return "whose text depends on the time zone of the JVM: write #t.toInstant() for the moment, or the date and "
					+ "time that a java.sql type shows, #t.toLocalDateTime(), #t.toLocalDate() or #t.toLocalTime()";
		}
		ClassLoader loader = type.getClassLoader();
		boolean jdk = loader == null || loader == ClassLoader.getPlatformClassLoader()
				|| Collection.class.isAssignableFrom(type) || Map.class.isAssignableFrom(type);
		boolean simple = ClassUtils.isSimpleValueType(type) && !InetAddress.class.isAssignableFrom(type)
				&& !TimeZone.class.isAssignableFrom(type);
		if (!jdk || simple || KNOWN.stream().anyMatch((known) -> known.isAssignableFrom(type))) {
			return "";
		}
		return "whose text the JDK makes, and may make another one in each JVM: sort a set or a map, as a SortedSet or a "
				+ "SortedMap, and of other values write a property, such as #zone.ID or #address.hostAddress";
	}

}
