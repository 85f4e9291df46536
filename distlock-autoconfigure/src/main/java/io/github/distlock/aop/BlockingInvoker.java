package io.github.distlock.aop;

import java.util.ArrayList;
import java.util.List;

import io.github.distlock.HeldLock;
import io.github.distlock.LockException;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * Acquires the locks on the thread of the caller and holds them until the method has
 * returned. For an {@code @Async} method that returns a future, the caller is a thread of
 * the executor. It waits for the future under the lock; without the lock it would wait
 * for it as well, right after the method has returned.
 */
final class BlockingInvoker implements LockInvoker {

	private final LockTargetResolver targets;

	private final TransactionalCalls transactionalCalls;

	BlockingInvoker(LockTargetResolver targets, TransactionalCalls transactionalCalls) {
		this.targets = targets;
		this.transactionalCalls = transactionalCalls;
	}

	@Override
	public @Nullable Object invoke(MethodLocks locks, MethodInvocation invocation) throws Throwable {
		LockedInvocation call = this.targets.resolve(locks, invocation);
		if (call.targets().isEmpty()) {
			return invocation.proceed();
		}
		long startNanos = call.startWaiting();
		List<HeldLock> acquired = new ArrayList<>(call.targets().size());
		for (LockTarget target : call.targets()) {
			HeldLock lock;
			try {
				lock = target.acquire(call.request(target, startNanos));
			}
			catch (LockException problem) {
				LockRelease.abandon(acquired);
				return call.withoutLock(target, problem);
			}
			catch (RuntimeException | Error problem) {
				LockRelease.abandon(acquired);
				throw problem;
			}
			if (lock == null) {
				LockRelease.abandon(acquired);
				return call.skipped(target);
			}
			acquired.add(lock);
		}
		return proceed(call, acquired);
	}

	private @Nullable Object proceed(LockedInvocation call, List<HeldLock> locks) throws Throwable {
		LockRelease release = begin(call, locks);
		Object result;
		try {
			result = call.proceed(locks);
			ReturnKind.checkCompleted(call.locks().method(), result);
		}
		catch (Throwable failure) {
			release.afterFailure(locks, failure);
			throw failure;
		}
		release.afterReturn(locks);
		return result;
	}

	private LockRelease begin(LockedInvocation call, List<HeldLock> locks) {
		try {
			call.begin(locks);
			return this.transactionalCalls.enter(call.locks().method(), locks);
		}
		catch (RuntimeException | Error ex) {
			LockRelease.abandon(locks);
			throw ex;
		}
	}

}
