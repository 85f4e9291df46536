package io.github.distlock.aop;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import io.github.distlock.HeldLock;
import io.github.distlock.LockException;
import org.jspecify.annotations.Nullable;

/**
 * The locks are taken on the caller's thread, and held until the method has returned.
 */
final class BlockingInvoker implements LockInvoker {

	private final TransactionalCalls transactionalCalls;

	BlockingInvoker(TransactionalCalls transactionalCalls) {
		this.transactionalCalls = transactionalCalls;
	}

	@Override
	public @Nullable Object run(LockedMethod where, Supplier<LockedInvocation> pending) throws Throwable {
		LockedInvocation call = pending.get();
		if (call.wanted().isEmpty()) {
			return call.invocation().proceed();
		}
		LockWait wait = call.startWaiting();
		List<HeldLock> had = new ArrayList<>(call.wanted().size());
		for (LockTarget next : call.wanted()) {
			HeldLock lock;
			try {
				lock = next.acquire(wait.request(next));
			}
			catch (LockException problem) {
				call.giveBack(had);
				return call.withoutLock(next, problem);
			}
			catch (RuntimeException | Error problem) {
				call.giveBack(had);
				throw problem;
			}
			if (lock == null) {
				call.giveBack(had);
				return call.skipped(next);
			}
			had.add(lock);
		}
		return run(call, had);
	}

	private @Nullable Object run(LockedInvocation call, List<HeldLock> locks) throws Throwable {
		LockRelease exit = begin(call, locks);
		Object result;
		try {
			result = call.proceed(locks);
			ReturnKind.checkEnded(call.plan().where(), result);
		}
		catch (Throwable failure) {
			exit.afterFailure(locks, failure);
			throw failure;
		}
		exit.afterReturn(locks);
		return result;
	}

	private LockRelease begin(LockedInvocation call, List<HeldLock> locks) {
		try {
			call.begin(locks);
			return this.transactionalCalls.enter(call.plan().where(), locks);
		}
		catch (RuntimeException | Error ex) {
			call.giveBack(locks);
			throw ex;
		}
	}

}
