package io.github.distlock.aop;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;

import io.github.distlock.LockBackendException;
import io.github.distlock.LockException;
import io.github.distlock.LockFailure;
import io.github.distlock.LockNotAcquiredException;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Calls another method of the bean. Of several of the same name the one whose last
 * parameter says the exception most precisely is called; one without such a parameter is
 * for locks that others hold, and for nothing else.
 */
final class FallbackPolicy implements FailurePolicy {

	private final @Nullable FallbackMethod late;

	private final @Nullable FallbackMethod storeFailed;

	private FallbackPolicy(@Nullable FallbackMethod late, @Nullable FallbackMethod storeFailed) {
		this.late = late;
		this.storeFailed = storeFailed;
	}

	/**
	 * Find the method.
	 * @param name what the annotation says
	 * @param where the locked method
	 * @return the policy
	 * @throws io.github.distlock.LockDefinitionException if there is no such method, or
	 * it does not fit
	 */
	static FallbackPolicy of(String name, LockedMethod where) {
		List<Method> named = new ArrayList<>();
		for (Method candidate : ReflectionUtils.getUniqueDeclaredMethods(where.beanClass())) {
			if (candidate.getName().equals(name) && !candidate.isBridge() && !candidate.equals(where.method())) {
				named.add(candidate);
			}
		}
		List<FallbackMethod> fitting = new ArrayList<>();
		for (Method candidate : named) {
			FallbackMethod found = fit(candidate, where);
			if (found != null) {
				checkResult(name, candidate, where);
				ReflectionUtils.makeAccessible(candidate);
				fitting.add(found);
			}
		}
		if (fitting.isEmpty()) {
			throw where.refuse("fallback", name,
					named.isEmpty()
							? "names a method that " + where.beanClass().getName() + " does not have: write one with "
									+ expected(where)
							: "names a method with other parameters, " + named.get(0).toGenericString() + ": it needs "
									+ expected(where));
		}
		return new FallbackPolicy(nearest(LockNotAcquiredException.class, fitting),
				nearest(LockBackendException.class, fitting));
	}

	private static String expected(LockedMethod where) {
		return "the parameters of " + where + ", and if you like one more at the end that takes the exception: "
				+ "LockNotAcquiredException, LockBackendException, LockException or a super type of it";
	}

	private static @Nullable FallbackMethod fit(Method candidate, LockedMethod where) {
		int count = where.method().getParameterCount();
		int more = candidate.getParameterCount() - count;
		if (more < 0 || more > 1 || !isCallable(candidate, where)) {
			return null;
		}
		for (int i = 0; i < count; i++) {
			if (parameter(candidate, i, where) != parameter(where.method(), i, where)) {
				return null;
			}
		}
		Class<?> exception = (more == 1) ? candidate.getParameterTypes()[count] : null;
		boolean usable = exception == null || exception == LockNotAcquiredException.class
				|| exception == LockBackendException.class
				|| (exception.isAssignableFrom(LockException.class) && Throwable.class.isAssignableFrom(exception));
		return usable ? new FallbackMethod(candidate, exception) : null;
	}

	/** A static method, which only a weaver can lock, has no object to call it on. */
	private static boolean isCallable(Method candidate, LockedMethod where) {
		return Modifier.isStatic(candidate.getModifiers()) || !Modifier.isStatic(where.method().getModifiers());
	}

	private static Class<?> parameter(Method method, int index, LockedMethod where) {
		return ResolvableType.forMethodParameter(method, index, where.beanClass()).toClass();
	}

	private static void checkResult(String name, Method candidate, LockedMethod where) {
		ResolvableType wanted = ResolvableType.forMethodReturnType(where.method(), where.beanClass());
		ResolvableType given = ResolvableType.forMethodReturnType(candidate, where.beanClass());
		boolean fits = ClassUtils.isAssignable(wanted.toClass(), given.toClass())
				&& (given.hasUnresolvableGenerics() || wanted.hasUnresolvableGenerics() || given.toClass().isPrimitive()
						|| wanted.toClass().isPrimitive() || wanted.isAssignableFrom(given));
		if (!fits) {
			throw where.refuse("fallback", name, "names a method that returns " + given + ", but the locked method "
					+ "returns " + wanted + ": return the same type");
		}
	}

	/** The one that is the most precise about an exception, if any takes it. */
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
		FallbackMethod called = (problem instanceof LockNotAcquiredException) ? this.late : this.storeFailed;
		if (called == null) {
			throw problem;
		}
		return called.call(invocation.getThis(), invocation.getArguments(), problem);
	}

}
