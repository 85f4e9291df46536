package io.github.distlock.aop;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * What the annotations of a method say, read and checked: once for each method.
 *
 * @param locks one for each annotation, at least one, as they are written
 * @param token position of the parameter that receives the fencing token,
 * {@link FencingTokenParameter#NONE} without one
 * @param waitTime wait time of those that say none
 */
record MethodLocks(List<LockDefinition> locks, int token, Supplier<Duration> waitTime) {

	/** The method. */
	LockedMethod where() {
		return this.locks.get(0).where();
	}

	/** When its work is done. */
	ReturnKind result() {
		return this.locks.get(0).result();
	}

	/** Put the token among the arguments of a call. */
	void passToken(@Nullable Object[] arguments, long value) {
		if (this.token != FencingTokenParameter.NONE) {
			arguments[this.token] = value;
		}
	}

}
