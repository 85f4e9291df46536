package io.github.distlock.aop;

import java.lang.reflect.Method;
import java.lang.reflect.TypeVariable;
import java.util.Arrays;
import java.util.stream.Collectors;

import io.github.distlock.LockDefinitionException;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ResolvableType;

/**
 * An annotated method of a bean class: what messages name, and where a lock that has no
 * key of its own takes one from.
 *
 * @param beanClass class of the bean as the user wrote it, never that of a proxy
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

	/**
	 * What the method returns in this bean: where a super class says {@code T}, what the
	 * bean class says that T is.
	 */
	Class<?> returnType() {
		return (this.method.getGenericReturnType() instanceof TypeVariable)
				? ResolvableType.forMethodReturnType(this.method, this.beanClass).toClass()
				: this.method.getReturnType();
	}

	/**
	 * Return the method as it is named in keys, metrics and messages.
	 * @return the method of a class or an interface whose name is the same in every JVM;
	 * the method itself if there is none
	 */
	Method userMethod() {
		Method userMethod = GeneratedClass.userMethod(this.method);
		return (userMethod != null) ? userMethod : this.method;
	}

	/**
	 * Return the class of the bean as it is named in keys.
	 * @return a class or an interface whose name is the same in every JVM
	 * @throws LockDefinitionException if the bean class is generated and extends or
	 * implements none
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
	 * The declaring class and not the bean's, so that the text is the same whichever
	 * subclass or proxy the method is called through.
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
