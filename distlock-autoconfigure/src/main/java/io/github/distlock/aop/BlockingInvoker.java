package io.github.distlock.aop;

import java.util.ArrayList;
import java.util.List;

import io.github.distlock.HeldLock;
import io.github.distlock.LockException;
import io.github.distlock.transaction.TransactionBoundary;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * Acquires the locks on the thread of the caller and holds them until the method has
 * returned. For an {@code @Async} method that returns a future, the caller is a thread of
 * the executor. It waits for the future under the lock; without the lock it would wait
 * for it as well, right after the method has returned.
 */
final class BlockingInvoker {

	private final LockResolver resolver;

	private final TransactionalCalls transactionalCalls;

	BlockingInvoker(LockResolver resolver, TransactionalCalls transactionalCalls) {
		this.resolver = resolver;
		this.transactionalCalls = transactionalCalls;
	}

	@Nullable Object invoke(MethodLocks locks, MethodInvocation invocation) throws Throwable {
		LockedCall call = this.resolver.resolve(locks, invocation, TransactionBoundary.isActive());
		List<LockTarget> targets = call.targets();
		if (targets.isEmpty()) {
			return invocation.proceed();
		}
		long startNanos = call.startWaiting();
		List<HeldLock> acquired = new ArrayList<>(targets.size());
		boolean kept;
		try {
			for (LockTarget target : targets) {
				LockException problem = null;
				HeldLock lock = null;
				try {
					lock = target.acquire(call.request(target, startNanos));
				}
				catch (LockException ex) {
					problem = ex;
				}
				if (lock == null) {
					LockRelease.abandon(acquired);
					acquired.clear();
					return call.withoutLock(target, problem);
				}
				acquired.add(lock);
			}
			call.begin(acquired);
			kept = this.transactionalCalls.enter(locks.method(), acquired);
		}
		catch (RuntimeException | Error ex) {
			LockRelease.abandon(acquired);
			throw ex;
		}
		return proceed(call, acquired, kept);
	}

	private static @Nullable Object proceed(LockedCall call, List<HeldLock> locks, boolean kept) throws Throwable {
		Object result = null;
		Throwable failure = null;
		try {
			result = call.proceed(locks);
		}
		catch (Throwable ex) {
			failure = ex;
		}
		if (!kept) {
			failure = LockRelease.release(locks, HeldLock::close, failure);
		}
		else if (failure == null) {
			LockRelease.checkKept(locks);
		}
		if (failure != null) {
			throw failure;
		}
		return result;
	}

}
