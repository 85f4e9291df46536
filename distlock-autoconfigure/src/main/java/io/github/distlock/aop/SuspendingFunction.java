package io.github.distlock.aop;

import java.lang.reflect.Method;

import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

/**
 * Suspending functions of Kotlin: methods with a continuation as an additional last
 * parameter. Spring invokes such a method as a {@code Mono} or a {@code Flux}, and lets
 * the caller of the proxy await it. This class works without Kotlin on the class path.
 */
final class SuspendingFunction {

	static final String FLOW = "kotlinx.coroutines.flow.Flow";

	static final String DEFERRED = "kotlinx.coroutines.Deferred";

	private static final String CONTINUATION = "kotlin.coroutines.Continuation";

	private static final boolean INVOCABLE = ClassUtils.isPresent("kotlinx.coroutines.reactor.MonoKt",
			SuspendingFunction.class.getClassLoader())
			&& ClassUtils.isPresent("kotlin.reflect.full.KClasses", SuspendingFunction.class.getClassLoader());

	private SuspendingFunction() {
	}

	static boolean is(Method method) {
		Class<?>[] parameters = method.getParameterTypes();
		return parameters.length > 0 && parameters[parameters.length - 1].getName().equals(CONTINUATION);
	}

	/**
	 * Whether the libraries with which Spring invokes suspending functions are present.
	 */
	static boolean isInvocable() {
		return INVOCABLE;
	}

	/** The number of parameters in the source. */
	static int parameterCount(Method method) {
		return method.getParameterCount() - (is(method) ? 1 : 0);
	}

	/** The return type in the source: the type argument of the continuation. */
	static ResolvableType returnType(Method method, Class<?> beanClass) {
		return is(method)
				? ResolvableType.forMethodParameter(method, method.getParameterCount() - 1, beanClass).getGeneric(0)
				: ResolvableType.forMethodReturnType(method, beanClass);
	}

}
