package io.github.distlock.aop;

import java.util.List;

import io.github.distlock.HeldLock;
import io.github.distlock.LockException;
import io.github.distlock.LockRequest;
import org.jspecify.annotations.Nullable;

/**
 * The lock is taken on the caller's thread, and held until the method has returned.
 */
final class BlockingStyle implements CallStyle {

	private final TransactionalCalls transactionalCalls;

	BlockingStyle(TransactionalCalls transactionalCalls) {
		this.transactionalCalls = transactionalCalls;
	}

	@Override
	public @Nullable Object run(LockedCall call) throws Throwable {
		WantedLock wanted = call.wanted().get(0);
		LockRequest request = call.startWaiting().request(wanted);
		HeldLock lock;
		try {
			if (wanted.definition().withoutLock() instanceof SkippedResult skipped) {
				// Without an exception, and told as skipped.
				lock = wanted.registry().tryAcquire(request).orElse(null);
				if (lock == null) {
					return skipped.empty().get();
				}
			}
			else {
				lock = wanted.registry().acquire(request);
			}
		}
		catch (LockException problem) {
			return call.withoutLock(wanted, problem);
		}
		return run(call, lock);
	}

	private @Nullable Object run(LockedCall call, HeldLock lock) throws Throwable {
		MethodExit exit = MethodExit.CLOSING;
		Object result;
		try {
			exit = this.transactionalCalls.enter(call.wanted().get(0).definition(), lock);
			result = call.proceed(List.of(lock));
		}
		catch (Throwable failure) {
			exit.afterFailure(lock, failure);
			throw failure;
		}
		exit.afterReturn(lock);
		return result;
	}

}
