package io.github.distlock.aop;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import org.springframework.expression.spel.support.ReflectivePropertyAccessor;

/**
 * Which properties the expression language finds in a class, without an instance of it.
 */
final class KnownProperties extends ReflectivePropertyAccessor {

	/**
	 * Return whether every value of the type has the properties of the type and no
	 * others: a subclass could have more, so the type must be final. With {@code ?.} the
	 * expression reads the properties of what an {@code Optional} contains. Of a
	 * {@code Class} it also reads the static properties of the class that it stands for.
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
