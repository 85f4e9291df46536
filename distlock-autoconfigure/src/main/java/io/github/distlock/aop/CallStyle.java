package io.github.distlock.aop;

import org.jspecify.annotations.Nullable;

/**
 * How a call takes its locks, and when it gives them back.
 */
interface CallStyle {

	/**
	 * Run a call under its locks, or say that it did not get them.
	 * @param call the call
	 * @return what its caller gets
	 * @throws Throwable what its caller gets instead
	 */
	@Nullable Object run(LockedCall call) throws Throwable;

}
