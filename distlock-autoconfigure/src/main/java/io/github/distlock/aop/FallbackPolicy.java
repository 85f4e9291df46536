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
 */
final class FallbackPolicy implements FailurePolicy {

	private final @Nullable FallbackMethod notAcquired;

	private final @Nullable FallbackMethod storeFailed;

	private FallbackPolicy(@Nullable FallbackMethod notAcquired, @Nullable FallbackMethod storeFailed) {
		this.notAcquired = notAcquired;
		this.storeFailed = storeFailed;
	}

	/**
	 * Find the method.
	 * @param name the name in the annotation
	 * @param method the locked method
	 * @return the policy
	 * @throws io.github.distlock.LockDefinitionException if there is no such method, or
	 * it has other parameters or another return type
	 */
	static FallbackPolicy of(String name, LockedMethod method) {
		List<Method> named = new ArrayList<>();
		List<FallbackMethod> fitting = new ArrayList<>();
		for (Method candidate : ReflectionUtils.getUniqueDeclaredMethods(method.beanClass())) {
			if (isNamed(candidate, name) && !candidate.equals(method.method())) {
				named.add(candidate);
				FallbackMethod found = fit(candidate, method);
				if (found != null) {
					checkResult(name, candidate, method);
					ReflectionUtils.makeAccessible(candidate);
					fitting.add(found);
				}
			}
		}
		if (fitting.isEmpty()) {
			throw method.refuse("fallback", name,
					named.isEmpty()
							? "names a method that " + method.beanClass().getName() + " does not have: write one with "
									+ expected(method)
							: "names a method with other parameters, " + named.get(0).toGenericString() + ": it needs "
									+ expected(method));
		}
		return new FallbackPolicy(nearest(LockNotAcquiredException.class, fitting),
				nearest(LockBackendException.class, fitting));
	}

	/**
	 * Return whether a method has a name in the source. The compiler of Kotlin adds the
	 * module to the name of an internal function, and a hash if a parameter is of a value
	 * class.
	 */
	static boolean isNamed(Method candidate, String name) {
		String compiled = candidate.getName();
		return !candidate.isSynthetic()
				&& (compiled.equals(name) || (compiled.startsWith(name + "-") || compiled.startsWith(name + "$"))
						&& KotlinDetector.isKotlinType(candidate.getDeclaringClass()));
	}

	private static String expected(LockedMethod method) {
		return "the parameters of " + method + ", and optionally one more at the end for the exception: "
				+ "LockNotAcquiredException, LockBackendException, LockException or a super type of it";
	}

	private static @Nullable FallbackMethod fit(Method candidate, LockedMethod method) {
		int count = SuspendingFunction.parameterCount(method.method());
		int more = SuspendingFunction.parameterCount(candidate) - count;
		if (more < 0 || more > 1 || !isCallable(candidate, method)) {
			return null;
		}
		for (int i = 0; i < count; i++) {
			if (parameter(candidate, i, method) != parameter(method.method(), i, method)) {
				return null;
			}
		}
		Class<?> exception = (more == 1) ? candidate.getParameterTypes()[count] : null;
		boolean usable = exception == null || exception == LockNotAcquiredException.class
				|| exception == LockBackendException.class
				|| (exception.isAssignableFrom(LockException.class) && Throwable.class.isAssignableFrom(exception));
		return usable ? new FallbackMethod(candidate, exception) : null;
	}

	/**
	 * A call of a static method, which only a weaver can lock, has no target. A
	 * suspending fallback needs the continuation of a suspending function.
	 */
	private static boolean isCallable(Method candidate, LockedMethod method) {
		if (SuspendingFunction.is(candidate) && !method.isSuspending()) {
			return false;
		}
		return Modifier.isStatic(candidate.getModifiers()) || !Modifier.isStatic(method.method().getModifiers());
	}

	private static Class<?> parameter(Method declared, int index, LockedMethod method) {
		return ResolvableType.forMethodParameter(declared, index, method.beanClass()).toClass();
	}

	private static void checkResult(String name, Method candidate, LockedMethod method) {
		ResolvableType expected = SuspendingFunction.returnType(method.method(), method.beanClass());
		ResolvableType actual = SuspendingFunction.returnType(candidate, method.beanClass());
		// A function without a result returns kotlin.Unit if it suspends, and void if
		// not.
		boolean fits = method.isSuspending() && actual.toClass() == void.class
				? expected.toClass().getName().equals("kotlin.Unit")
				: ClassUtils.isAssignable(expected.toClass(), actual.toClass()) && (actual.hasUnresolvableGenerics()
						|| expected.hasUnresolvableGenerics() || actual.toClass().isPrimitive()
						|| expected.toClass().isPrimitive() || expected.isAssignableFrom(actual));
		if (!fits) {
			throw method.refuse("fallback", name, "names a method that returns " + actual + ", but the locked method "
					+ "returns " + expected + ": return the same type");
		}
	}

	/** The method that matches an exception most precisely, if any does. */
	private static @Nullable FallbackMethod nearest(Class<? extends LockException> problem,
			List<FallbackMethod> fitting) {
		for (Class<?> type = problem; type != null; type = type.getSuperclass()) {
			for (FallbackMethod candidate : fitting) {
				if (candidate.exception() == type) {
					return candidate;
				}
			}
		}
		return (problem == LockNotAcquiredException.class)
				? fitting.stream().filter((candidate) -> candidate.exception() == null).findFirst().orElse(null) : null;
	}

	@Override
	public @Nullable Object result(MethodInvocation invocation, LockFailure failure) throws Throwable {
		LockException problem = failure.exception();
		FallbackMethod fallback = (problem instanceof LockNotAcquiredException) ? this.notAcquired : this.storeFailed;
		if (fallback == null) {
			throw problem;
		}
		return fallback.call(invocation.getThis(), invocation.getArguments(), problem,
				SuspendingFunction.is(invocation.getMethod()));
	}

	/**
	 * A method of the bean that is called instead of the locked one.
	 *
	 * @param method takes the arguments of the locked method, and perhaps the exception
	 * @param exception type of the parameter for the exception, {@code null} without one
	 */
	private record FallbackMethod(Method method, @Nullable Class<?> exception) {

		/**
		 * Call the method.
		 * @param target the bean itself and not its proxy: the fallback has no lock
		 * @param arguments the arguments of the locked method
		 * @param problem why the lock was not acquired
		 * @param suspending whether the last argument is a continuation
		 * @return the result of the method
		 * @throws Throwable the exception of the method
		 */
		@Nullable Object call(@Nullable Object target, @Nullable Object[] arguments, LockException problem, boolean suspending)
				throws Throwable {
			int count = SuspendingFunction.parameterCount(this.method);
			@Nullable Object[] all = Arrays.copyOf(arguments, count);
			if (this.exception != null) {
				all[count - 1] = problem;
			}
			try {
				return suspending ? LockedCoroutine.invoke(this.method, target, arguments[arguments.length - 1], all)
						: this.method.invoke(target, all);
			}
			catch (InvocationTargetException ex) {
				throw (ex.getCause() != null) ? ex.getCause() : ex;
			}
		}

	}

}
