package io.github.distlock.aop;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * The locks of a method.
 *
 * @param locks one definition for each annotation, at least one, in the order of the
 * source
 * @param returnKind when the work of the method is done
 * @param token position of the parameter that receives the fencing token,
 * {@link FencingTokenParameter#NONE} without one
 * @param waitTime wait time of annotations without one
 * @param observations observes the calls
 */
record MethodLocks(List<LockDefinition> locks, ReturnKind returnKind, int token, Supplier<Duration> waitTime,
		CallObservations observations) {

	LockedMethod method() {
		return this.locks.get(0).method();
	}

	/** Whether a parameter receives the fencing token. */
	boolean hasToken() {
		return this.token != FencingTokenParameter.NONE;
	}

	/** Set the argument that receives the fencing token, if there is one. */
	void passToken(@Nullable Object[] arguments, long value) {
		if (hasToken()) {
			arguments[this.token] = value;
		}
	}

}
