package io.github.distlock.aop;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.lang.reflect.TypeVariable;
import java.util.Arrays;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.github.distlock.FencingToken;
import io.github.distlock.LockDefinitionException;
import org.jspecify.annotations.Nullable;

import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedMethod;

/**
 * A locked method of a bean class. Provides its names in messages and keys.
 *
 * @param beanClass the class that the application declares, never that of a proxy
 * @param method the most specific method, never a bridge
 */
record LockedMethod(Class<?> beanClass, Method method) {

	/** Position of a parameter for the fencing token that does not exist. */
	static final int NO_TOKEN = -1;

	/** Names of classes: CGLIB and lambdas, Byte Buddy, Mockito, Hibernate. */
	private static final Pattern GENERATED = Pattern
		.compile("\\$\\$|\\$ByteBuddy\\$|\\$MockitoMock\\$|\\$HibernateProxy");

	/**
	 * Return whether a class is generated at run time: a proxy, a lambda, a hidden class,
	 * or a subclass by CGLIB, Byte Buddy or a similar library. Its name differs from JVM
	 * to JVM, so a key must never contain it.
	 */
	static boolean isGenerated(Class<?> type) {
		return type.isHidden() || type.isSynthetic() || Proxy.isProxyClass(type)
				|| GENERATED.matcher(type.getName()).find();
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

	/**
	 * Find the parameter that receives the fencing token. The method of an interface may
	 * have its annotation.
	 * @param method the method of the class
	 * @return its position, {@link #NO_TOKEN} without one
	 */
	static int tokenPosition(Method method) {
		for (MethodParameter parameter : new AnnotatedMethod(method).getMethodParameters()) {
			if (parameter.hasParameterAnnotation(FencingToken.class)) {
				return parameter.getParameterIndex();
			}
		}
		return NO_TOKEN;
	}

	LockDefinitionException refuse(String attribute, @Nullable Object value, String problem) {
		return refuse(attribute, value, problem, null);
	}

	LockDefinitionException refuse(String attribute, @Nullable Object value, String problem,
			@Nullable Throwable cause) {
		String shown = (value instanceof CharSequence) ? "\"" + value + "\"" : String.valueOf(value);
		return new LockDefinitionException(
				"@DistributedLock(" + attribute + " = " + shown + ") on " + this + " " + problem, cause);
	}

	LockDefinitionException refuse(String problem) {
		return new LockDefinitionException("@DistributedLock on " + this + " " + problem);
	}

	/** Whether the method is a suspending function of Kotlin. */
	boolean isSuspending() {
		return SuspendingFunction.is(this.method);
	}

	/**
	 * Return the return type of the method. If a superclass declares a type variable, it
	 * is resolved against the bean class.
	 */
	Class<?> returnType() {
		return (this.method.getGenericReturnType() instanceof TypeVariable)
				? ResolvableType.forMethodReturnType(this.method, this.beanClass).toClass()
				: this.method.getReturnType();
	}

	/**
	 * Contains the declaring class and not the bean class, so that the text is the same
	 * for all subclasses and proxies.
	 */
	String signature() {
		return this.method.getDeclaringClass().getName() + "#" + this.method.getName()
				+ Arrays.stream(this.method.getParameterTypes())
					.map(Class::getTypeName)
					.collect(Collectors.joining(",", "(", ")"));
	}

	String label() {
		return this.method.getDeclaringClass().getSimpleName() + "." + this.method.getName();
	}

	@Override
	public String toString() {
		String parameters = Arrays.stream(this.method.getParameterTypes())
			.map(Class::getSimpleName)
			.collect(Collectors.joining(", ", "(", ")"));
		String declaredIn = (this.method.getDeclaringClass() != this.beanClass && !this.beanClass.isHidden())
				? " (declared in " + this.method.getDeclaringClass().getName() + ")" : "";
		return this.beanClass.getName() + "." + this.method.getName() + parameters + declaredIn;
	}

}
