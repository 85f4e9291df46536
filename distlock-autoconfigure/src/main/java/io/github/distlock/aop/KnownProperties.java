package io.github.distlock.aop;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import org.springframework.expression.spel.support.ReflectivePropertyAccessor;

/**
 * Finds properties as SpEL does, but in a class instead of an instance.
 */
final class KnownProperties extends ReflectivePropertyAccessor {

	/**
	 * Return whether every value of the type has exactly the properties of the type. The
	 * type must be final, because a subclass could have more properties. Two types are
	 * excluded: with {@code ?.} SpEL reads the properties of the value inside an
	 * {@code Optional}, and of a {@code Class} it also reads the static properties of the
	 * represented class.
	 */
	static boolean areKnown(Class<?> type) {
		return Modifier.isFinal(type.getModifiers()) && !type.isPrimitive() && !type.isArray() && type != Optional.class
				&& type != Class.class;
	}

	/**
	 * Find the type of a property.
	 * @param type a type whose properties are known
	 * @param name the property
	 * @return its type, or {@code null} if there is no such property
	 */
	@Nullable Class<?> find(Class<?> type, String name) {
		Method getter = findGetterForProperty(name, type, false);
		if (getter != null) {
			return getter.getReturnType();
		}
		Field field = findField(name, type, false);
		return (field != null) ? field.getType() : null;
	}

}
