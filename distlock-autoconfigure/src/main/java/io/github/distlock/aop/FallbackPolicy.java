package io.github.distlock.aop;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import io.github.distlock.LockBackendException;
import io.github.distlock.LockException;
import io.github.distlock.LockFailure;
import io.github.distlock.LockNotAcquiredException;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.core.KotlinDetector;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Calls another method of the bean. Of several methods with the same name, the one whose
 * last parameter matches the exception most precisely is called. A method without such a
 * parameter is only called if another caller holds the lock, not if the store has failed.
 *
 * @param notAcquired called if another caller holds the lock
 * @param storeFailed called if the store has failed
 */
record FallbackPolicy(@Nullable Method notAcquired, @Nullable Method storeFailed) implements FailurePolicy {

	/**
	 * Find the method.
	 * @param name the name in the annotation
	 * @param method the locked method
	 * @return the policy
	 * @throws io.github.distlock.LockDefinitionException if there is no such method, or
	 * it has other parameters or another return type
	 */
	static FallbackPolicy of(String name, LockedMethod method) {
		List<Method> fitting = new ArrayList<>();
		for (Method candidate : ReflectionUtils.getUniqueDeclaredMethods(method.beanClass())) {
			if (isNamed(candidate, name) && !candidate.equals(method.method()) && fits(candidate, method)) {
				checkResult(name, candidate, method);
				ReflectionUtils.makeAccessible(candidate);
				fitting.add(candidate);
			}
		}
		if (fitting.isEmpty()) {
			throw method.refuse("fallback", name,
					"names no method of " + method.beanClass().getName() + " with the parameters of " + method
							+ ", and optionally one more at the end for the exception: LockNotAcquiredException, "
							+ "LockBackendException, LockException or a super type of it: write one");
		}
		return new FallbackPolicy(nearest(LockNotAcquiredException.class, fitting, method),
				nearest(LockBackendException.class, fitting, method));
	}

	/**
	 * Return whether a method has a name in the source. The compiler of Kotlin adds the
	 * module to the name of an internal function, and a hash if a parameter is of a value
	 * class.
	 */
	private static boolean isNamed(Method candidate, String name) {
		String compiled = candidate.getName();
		return !candidate.isSynthetic()
				&& (compiled.equals(name) || (compiled.startsWith(name + "-") || compiled.startsWith(name + "$"))
						&& KotlinDetector.isKotlinType(candidate.getDeclaringClass()));
	}

	/**
	 * A call of a static method, which only a weaver can lock, has no target. A
	 * suspending fallback needs the continuation of a suspending function.
	 */
	private static boolean fits(Method candidate, LockedMethod method) {
		Method locked = method.method();
		int count = SuspendingFunction.parameterCount(locked);
		int more = SuspendingFunction.parameterCount(candidate) - count;
		if (more < 0 || more > 1 || SuspendingFunction.is(candidate) && !method.isSuspending()
				|| Modifier.isStatic(locked.getModifiers()) && !Modifier.isStatic(candidate.getModifiers())) {
			return false;
		}
		for (int i = 0; i < count; i++) {
			if (parameter(candidate, i, method) != parameter(locked, i, method)) {
				return false;
			}
		}
		Class<?> exception = exception(candidate, locked);
		return exception == null || exception == LockNotAcquiredException.class
				|| exception == LockBackendException.class
				|| exception.isAssignableFrom(LockException.class) && Throwable.class.isAssignableFrom(exception);
	}

	private static Class<?> parameter(Method declared, int index, LockedMethod method) {
		return ResolvableType.forMethodParameter(declared, index, method.beanClass()).toClass();
	}

	/** The type of the parameter for the exception, {@code null} without one. */
	private static @Nullable Class<?> exception(Method fallback, Method locked) {
		int count = SuspendingFunction.parameterCount(locked);
		return (SuspendingFunction.parameterCount(fallback) > count) ? fallback.getParameterTypes()[count] : null;
	}

	/**
	 * A function without a result returns kotlin.Unit if it suspends, and void if not.
	 */
	private static void checkResult(String name, Method candidate, LockedMethod method) {
		Class<?> expected = SuspendingFunction.returnType(method.method(), method.beanClass()).toClass();
		Class<?> actual = SuspendingFunction.returnType(candidate, method.beanClass()).toClass();
		if (!ClassUtils.isAssignable(expected, actual)
				&& !(actual == void.class && method.isSuspending() && expected.getName().equals("kotlin.Unit"))) {
			throw method.refuse("fallback", name, "names a method that returns " + actual.getTypeName()
					+ ", but the locked method returns " + expected.getTypeName() + ": return the same type");
		}
	}

	/** The method that matches an exception most precisely, if any does. */
	private static @Nullable Method nearest(Class<? extends LockException> problem, List<Method> fitting,
			LockedMethod method) {
		for (Class<?> type = problem; type != null; type = type.getSuperclass()) {
			for (Method candidate : fitting) {
				if (exception(candidate, method.method()) == type) {
					return candidate;
				}
			}
		}
		return (problem == LockNotAcquiredException.class) ? fitting.stream()
			.filter((candidate) -> exception(candidate, method.method()) == null)
			.findFirst()
			.orElse(null) : null;
	}

	/**
	 * Call the method of the bean itself and not of its proxy: the fallback has no lock.
	 */
	@Override
	public @Nullable Object result(MethodInvocation invocation, LockFailure failure) throws Throwable {
		LockException problem = failure.exception();
		Method fallback = (problem instanceof LockNotAcquiredException) ? this.notAcquired : this.storeFailed;
		if (fallback == null) {
			throw problem;
		}
		@Nullable Object[] arguments = invocation.getArguments();
		int count = SuspendingFunction.parameterCount(fallback);
		@Nullable Object[] all = Arrays.copyOf(arguments, count);
		if (exception(fallback, invocation.getMethod()) != null) {
			all[count - 1] = problem;
		}
		try {
			return SuspendingFunction.is(invocation.getMethod())
					? LockedCoroutine.invoke(fallback, invocation.getThis(), arguments[arguments.length - 1], all)
					: fallback.invoke(invocation.getThis(), all);
		}
		catch (InvocationTargetException ex) {
			throw (ex.getCause() != null) ? ex.getCause() : ex;
		}
	}

}
