package io.github.distlock.aop;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.core.ResolvableType;
import org.springframework.util.StringUtils;

/**
 * Registers the members that an expression may use, beginning with a type, and of the
 * types that these return. A type of the JDK has many members: of those, only the ones
 * that the expression names.
 */
final class ReachableMembers {

	/** A type can contain itself through its type variables. */
	private static final int MAXIMUM_NESTING = 4;

	private final ReflectionHints hints;

	private final Set<String> names;

	private final boolean complete;

	/** How deep the members of a type have been followed. */
	private final Map<Class<?>, Integer> known = new HashMap<>();

	/**
	 * Create the members of an expression.
	 * @param hints the registry
	 * @param names the names in the text of the expression
	 * @param complete whether there are no others, which placeholders could add
	 */
	ReachableMembers(ReflectionHints hints, Set<String> names, boolean complete) {
		this.hints = hints;
		this.names = names;
		this.complete = complete;
	}

	/**
	 * Register the members of a type, of its type arguments, and of what they return.
	 * @param type the type
	 * @param depth how many members may follow each other
	 */
	void register(ResolvableType type, int depth) {
		elements(type, MAXIMUM_NESTING).filter((element) -> !element.toClass().isPrimitive()).forEach((element) -> {
			Class<?> raw = element.toClass();
			if (depth > this.known.getOrDefault(raw, -1)) {
				this.known.put(raw, depth);
				registerMembers(raw);
				for (Method method : raw.getMethods()) {
					if (isFollowed(method.getName(), raw)) {
						register(ResolvableType.forMethodReturnType(method, raw), depth - 1);
					}
				}
				for (Field field : raw.getFields()) {
					if (isFollowed(field.getName(), raw)) {
						register(ResolvableType.forField(field, element), depth - 1);
					}
				}
			}
		});
	}

	/** The type itself, or what arrays and containers of this type contain. */
	private static Stream<ResolvableType> elements(ResolvableType type, int nesting) {
		if (nesting == 0) {
			return Stream.empty();
		}
		if (type.isArray()) {
			return elements(type.getComponentType(), nesting - 1);
		}
		return Stream.concat(Stream.of(type),
				Arrays.stream(type.getGenerics()).flatMap((argument) -> elements(argument, nesting - 1)));
	}

	private void registerMembers(Class<?> type) {
		if (!isOfJdk(type)) {
			this.hints.registerType(type, MemberCategory.INVOKE_PUBLIC_METHODS, MemberCategory.ACCESS_PUBLIC_FIELDS);
			return;
		}
		for (Method method : type.getMethods()) {
			if (isNamed(method.getName())) {
				this.hints.registerMethod(method, ExecutableMode.INVOKE);
			}
		}
		for (Field field : type.getFields()) {
			if (isNamed(field.getName())) {
				this.hints.registerField(field);
			}
		}
	}

	private boolean isFollowed(String member, Class<?> type) {
		return !this.complete && !isOfJdk(type) || isNamed(member);
	}

	/**
	 * A property is written with its name, a method perhaps with that of its property.
	 */
	private boolean isNamed(String member) {
		return this.names.contains(member) || isNamed(member, "get") || isNamed(member, "is");
	}

	private boolean isNamed(String member, String prefix) {
		if (!member.startsWith(prefix) || member.length() == prefix.length()) {
			return false;
		}
		String property = member.substring(prefix.length());
		return this.names.contains(property) || this.names.contains(StringUtils.uncapitalize(property));
	}

	private static boolean isOfJdk(Class<?> type) {
		return type.getName().startsWith("java.");
	}

}
