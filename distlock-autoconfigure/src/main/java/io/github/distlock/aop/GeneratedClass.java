package io.github.distlock.aop;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Recognizes classes that are generated at run time: proxies, lambdas, hidden classes,
 * and subclasses by CGLIB, Byte Buddy and similar libraries. Their names differ from JVM
 * to JVM, so a key must never contain such a name.
 */
final class GeneratedClass {

	/** CGLIB and lambdas, Byte Buddy, Mockito, Hibernate, and proxies of the JDK. */
	private static final Pattern NAMES = Pattern
		.compile(".*(\\$\\$|\\$ByteBuddy\\$|\\$MockitoMock\\$|\\$HibernateProxy|\\.\\$Proxy\\d|^\\$Proxy\\d).*");

	/** Needed for each call that evaluates a key, so it is cached with the class. */
	private static final ClassValue<Boolean> GENERATED = new ClassValue<>() {

		@Override
		protected Boolean computeValue(Class<?> type) {
			return type.isHidden() || type.isSynthetic() || Proxy.isProxyClass(type)
					|| NAMES.matcher(type.getName()).matches();
		}

	};

	private GeneratedClass() {
	}

	static boolean isGenerated(Class<?> type) {
		return GENERATED.get(type);
	}

	/**
	 * Return the class that the application declares: the type itself if it is not
	 * generated, otherwise its nearest superclass or else first interface that is not.
	 * @return the class, or {@code null} if there is none
	 */
	static @Nullable Class<?> userClass(Class<?> type) {
		for (Class<?> next = type; next != null && next != Object.class; next = next.getSuperclass()) {
			if (!isGenerated(next) && next != Proxy.class) {
				return next;
			}
		}
		return interfaces(type).stream().findFirst().orElse(null);
	}

	/**
	 * Return the method as it is declared by a class or an interface that is not
	 * generated.
	 * @return the method, or {@code null} if there is none
	 */
	static @Nullable Method userMethod(Method method) {
		Class<?> declaring = method.getDeclaringClass();
		if (!isGenerated(declaring)) {
			return method;
		}
		for (Class<?> next = declaring.getSuperclass(); next != null; next = next.getSuperclass()) {
			Method found = isGenerated(next) ? null : declared(next, method);
			if (found != null) {
				return found;
			}
		}
		return interfaces(declaring).stream()
			.map((type) -> ReflectionUtils.findMethod(type, method.getName(), method.getParameterTypes()))
			.filter((found) -> found != null)
			.findFirst()
			.orElse(null);
	}

	private static @Nullable Method declared(Class<?> type, Method method) {
		return Arrays.stream(type.getDeclaredMethods())
			.filter((candidate) -> candidate.getName().equals(method.getName())
					&& Arrays.equals(candidate.getParameterTypes(), method.getParameterTypes()))
			.findFirst()
			.orElse(null);
	}

	private static List<Class<?>> interfaces(Class<?> type) {
		return ClassUtils.getAllInterfacesForClassAsSet(type)
			.stream()
			.filter((candidate) -> !isGenerated(candidate))
			.toList();
	}

}
