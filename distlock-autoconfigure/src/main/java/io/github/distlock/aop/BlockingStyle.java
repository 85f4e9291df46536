package io.github.distlock.aop;

import java.util.List;

import io.github.distlock.HeldLock;
import io.github.distlock.LockException;
import io.github.distlock.LockRequest;
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
		WantedLock wanted = call.wanted().get(0);
		HeldLock lock;
		try {
			lock = acquire(wanted, call.startWaiting().request(wanted));
		}
		catch (LockException problem) {
			return call.withoutLock(wanted, problem);
		}
		return (lock != null) ? run(call, lock) : call.skipped();
	}

	private static @Nullable HeldLock acquire(WantedLock wanted, LockRequest request) {
		if (wanted.definition().onFailure() == OnFailure.SKIP) {
			return wanted.registry().tryAcquire(request).orElse(null);
		}
		return wanted.registry().acquire(request);
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
