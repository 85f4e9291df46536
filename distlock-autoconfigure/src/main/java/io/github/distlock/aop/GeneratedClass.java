package io.github.distlock.aop;

import java.lang.reflect.Proxy;
import java.util.regex.Pattern;

/**
 * Recognizes classes that are generated at run time: proxies, lambdas, hidden classes,
 * and subclasses by CGLIB, Byte Buddy and similar libraries. Their names differ from JVM
 * to JVM, so a key must never contain such a name.
 */
final class GeneratedClass {

	/** CGLIB and lambdas, Byte Buddy, Mockito, Hibernate. */
	private static final Pattern NAMES = Pattern.compile("\\$\\$|\\$ByteBuddy\\$|\\$MockitoMock\\$|\\$HibernateProxy");

	private GeneratedClass() {
	}

	static boolean isGenerated(Class<?> type) {
		return type.isHidden() || type.isSynthetic() || Proxy.isProxyClass(type)
				|| NAMES.matcher(type.getName()).find();
	}

	/**
	 * Return the class that the application declares: the nearest superclass that is not
	 * generated. A proxy or a lambda, which only has interfaces, is returned as it is.
	 */
	static Class<?> userClass(Class<?> type) {
		Class<?> user = type;
		while (user != null && isGenerated(user)) {
			user = user.getSuperclass();
		}
		return (user != null && user != Object.class && user != Proxy.class) ? user : type;
	}

}
