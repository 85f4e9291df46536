package io.github.distlock.aop;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The locks of a method.
 *
 * @param locks one definition for each annotation, at least one, in the order of the
 * source
 * @param returnKind when the work of the method is done
 * @param token position of the parameter that receives the fencing token,
 * {@link LockedMethod#NO_TOKEN} without one
 * @param environment what its calls need
 */
record MethodLocks(List<LockDefinition> locks, ReturnKind returnKind, int token, LockEnvironment environment) {

	/**
	 * Create the locks of a method. Refuses a parameter for the token that cannot receive
	 * one.
	 */
	static MethodLocks of(LockedMethod method, List<LockDefinition> locks, LockEnvironment environment) {
		int token = LockedMethod.tokenPosition(method.method());
		Class<?> type = (token != LockedMethod.NO_TOKEN) ? method.method().getParameterTypes()[token] : long.class;
		if (type != long.class && type != Long.class) {
			throw method.refuse("has a @FencingToken parameter of type " + type.getTypeName() + ": make it a long");
		}
		if (token != LockedMethod.NO_TOKEN && locks.size() > 1) {
			throw method
				.refuse("has a @FencingToken parameter and " + locks.size() + " annotations, but each lock has a token "
						+ "of its own: take the one you mean from LockContext.all(), by its key");
		}
		return new MethodLocks(locks, ReturnKind.of(method), token, environment);
	}

	LockedMethod method() {
		return this.locks.get(0).method();
	}

	/** Whether a parameter receives the fencing token. */
	boolean hasToken() {
		return this.token != LockedMethod.NO_TOKEN;
	}

	/** Set the argument that receives the fencing token, if there is one. */
	void passToken(@Nullable Object[] arguments, long value) {
		if (hasToken()) {
			arguments[this.token] = value;
		}
	}

}
