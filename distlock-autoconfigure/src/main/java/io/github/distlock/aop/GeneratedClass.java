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
 * Classes that are generated while the application runs: proxies, lambdas, hidden
 * classes, subclasses made by CGLIB, Byte Buddy and the like. Their names differ from JVM
 * to JVM, so that a key must never contain one.
 */
final class GeneratedClass {

	/** CGLIB and lambdas, Byte Buddy, Mockito, Hibernate, and proxies of the JDK. */
	private static final Pattern NAMES = Pattern
		.compile(".*(\\$\\$|\\$ByteBuddy\\$|\\$MockitoMock\\$|\\$HibernateProxy|\\.\\$Proxy\\d|^\\$Proxy\\d).*");

	/** Asked at each call that evaluates a key; remembered with the class. */
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
	 * Return the class that the application's author knows: the type itself unless it is
	 * generated, else its nearest superclass that is not, else its first such interface.
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
	 * Return the same method as a class or an interface declares it that is not
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
