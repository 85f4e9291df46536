package io.github.distlock.aop;

import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * How a call takes its locks, and when it gives them back.
 */
interface LockInvoker {

	/**
	 * Run a call under its locks, or say that it did not get them.
	 * @param where the method that was called
	 * @param call evaluates the keys: once for each time that the method is to run
	 * @return what its caller gets
	 * @throws Throwable what its caller gets instead
	 */
	@Nullable Object run(LockedMethod where, Supplier<LockedInvocation> call) throws Throwable;

}
