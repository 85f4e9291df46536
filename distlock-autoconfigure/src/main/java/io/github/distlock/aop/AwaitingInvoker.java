package io.github.distlock.aop;

import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.Supplier;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * For {@code @Async} methods that return a future: the executor's thread would wait for
 * the future after the method has returned. It waits before that, under the lock.
 */
final class AwaitingInvoker implements LockInvoker {

	private final LockInvoker blocking;

	AwaitingInvoker(LockInvoker blocking) {
		this.blocking = blocking;
	}

	@Override
	public @Nullable Object run(LockedMethod where, Supplier<LockedInvocation> call) throws Throwable {
		return this.blocking.run(where, () -> call.get().decorated(Awaited::new));
	}

	/** Returns when the future is done that the call returned. */
	private record Awaited(MethodInvocation call) implements InvocationDecorator {

		@Override
		public @Nullable Object proceed() throws Throwable {
			Object result = this.call.proceed();
			if (result instanceof Future<?> future) {
				awaitEnd(future);
			}
			return result;
		}

		/** An interrupt does not end the work, so it does not end the lock. */
		private static void awaitEnd(Future<?> future) {
			boolean interrupted = false;
			while (!future.isDone()) {
				try {
					future.get();
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
				catch (ExecutionException | CancellationException ex) {
					// The caller of the method hears of it.
				}
			}
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}

	}

}
