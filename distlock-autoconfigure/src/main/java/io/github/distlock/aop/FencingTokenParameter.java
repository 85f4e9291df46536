package io.github.distlock.aop;

import java.lang.reflect.Method;

import io.github.distlock.FencingToken;

import org.springframework.core.MethodParameter;
import org.springframework.core.annotation.AnnotatedMethod;

/**
 * The parameter of a method that receives the fencing token.
 */
final class FencingTokenParameter {

	/** Position of a parameter that does not exist. */
	static final int NONE = -1;

	private FencingTokenParameter() {
	}

	/**
	 * Find the parameter. The method of an interface may have its annotation.
	 * @param method the method of the class
	 * @return its position, {@link #NONE} without one
	 */
	static int of(Method method) {
		for (MethodParameter parameter : new AnnotatedMethod(method).getMethodParameters()) {
			if (parameter.hasParameterAnnotation(FencingToken.class)) {
				return parameter.getParameterIndex();
			}
		}
		return NONE;
	}

	/**
	 * Find the parameter and refuse it if it cannot receive the token.
	 * @param method the method
	 * @param locks the number of annotations of the method
	 * @return its position, {@link #NONE} without one
	 */
	static int check(LockedMethod method, int locks) {
		int position = of(method.method());
		if (position == NONE) {
			return NONE;
		}
		Class<?> type = method.method().getParameterTypes()[position];
		if (type != long.class && type != Long.class) {
			throw method.refuse("has a @FencingToken parameter of type " + type.getTypeName() + ": make it a long");
		}
		if (locks > 1) {
			throw method
				.refuse("has a @FencingToken parameter and " + locks + " annotations, but each lock has a token "
						+ "of its own: take the one you mean from LockContext.all(), by its key");
		}
		return position;
	}

}
