package io.github.distlock.aop;

import io.github.distlock.HeldLock;
import io.github.distlock.OnFailure;
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
		HeldLock lock = acquire(call.wanted());
		return (lock != null) ? run(call, lock) : call.skipped();
	}

	private static @Nullable HeldLock acquire(WantedLock wanted) {
		if (wanted.definition().onFailure() == OnFailure.SKIP) {
			return wanted.registry().tryAcquire(wanted.request()).orElse(null);
		}
		return wanted.registry().acquire(wanted.request());
	}

	private @Nullable Object run(LockedCall call, HeldLock lock) throws Throwable {
		MethodExit exit = MethodExit.CLOSING;
		Object result;
		try {
			exit = this.transactionalCalls.enter(call.wanted().definition(), lock);
			result = call.proceed(lock);
		}
		catch (Throwable failure) {
			exit.afterFailure(lock, failure);
			throw failure;
		}
		exit.afterReturn(lock);
		return result;
	}

}
