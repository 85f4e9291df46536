package io.github.distlock.aop;

import java.lang.reflect.Method;
import java.lang.reflect.TypeVariable;
import java.util.Arrays;
import java.util.stream.Collectors;

import io.github.distlock.LockDefinitionException;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ResolvableType;

/**
 * A locked method of a bean class. Provides its names in messages and keys.
 *
 * @param beanClass the class that the application declares, never that of a proxy
 * @param method the most specific method, never a bridge
 */
record LockedMethod(Class<?> beanClass, Method method) {

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
	 * Return the method for the names in keys, metrics and messages.
	 * @return the method of a class or an interface that is not generated, otherwise the
	 * method itself
	 */
	Method userMethod() {
		Method userMethod = GeneratedClass.userMethod(this.method);
		return (userMethod != null) ? userMethod : this.method;
	}

	/**
	 * Return the class for the names in keys.
	 * @return a class or an interface that is not generated
	 * @throws LockDefinitionException if there is none
	 */
	Class<?> userClass() {
		Class<?> userClass = GeneratedClass.userClass(this.beanClass);
		if (userClass == null) {
			throw refuse("is in the generated class " + this.beanClass.getName() + ", whose name differs from JVM to "
					+ "JVM, so that it cannot be part of a key: write a key without #root.targetClass");
		}
		return userClass;
	}

	/**
	 * Contains the declaring class and not the bean class, so that the text is the same
	 * for all subclasses and proxies.
	 */
	String signature() {
		Method userMethod = userMethod();
		return userMethod.getDeclaringClass().getName() + "#" + userMethod.getName()
				+ Arrays.stream(userMethod.getParameterTypes())
					.map(Class::getTypeName)
					.collect(Collectors.joining(",", "(", ")"));
	}

	String label() {
		Method userMethod = userMethod();
		return userMethod.getDeclaringClass().getSimpleName() + "." + userMethod.getName();
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
