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
