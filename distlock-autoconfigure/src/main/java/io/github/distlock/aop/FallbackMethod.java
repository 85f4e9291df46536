package io.github.distlock.aop;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;

import io.github.distlock.LockException;
import org.jspecify.annotations.Nullable;

/**
 * A method of the bean that is called instead of the locked one.
 *
 * @param method takes what the locked method takes, and perhaps the exception
 * @param exception type of the parameter for the exception, {@code null} if there is none
 */
record FallbackMethod(Method method, @Nullable Class<?> exception) {

	/**
	 * Call it.
	 * @param target the bean itself, not its proxy: the fallback has no lock
	 * @param arguments those of the call
	 * @param problem why the lock was not to be had
	 * @return what it returns
	 * @throws Throwable what it throws
	 */
	@Nullable Object call(@Nullable Object target, @Nullable Object[] arguments, LockException problem) throws Throwable {
		@Nullable Object[] all = arguments;
		if (this.exception != null) {
			all = Arrays.copyOf(arguments, arguments.length + 1);
			all[arguments.length] = problem;
		}
		try {
			return this.method.invoke(target, all);
		}
		catch (InvocationTargetException ex) {
			throw (ex.getCause() != null) ? ex.getCause() : ex;
		}
	}

}
