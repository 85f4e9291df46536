package io.github.distlock.aop;

import java.util.List;

import io.github.distlock.HeldLock;
import org.jspecify.annotations.Nullable;

/**
 * What the caller of an asynchronous method gets when the wait for its locks has ended:
 * the method's own result, or that of those who answer without the lock.
 */
final class AsyncResult {

	private AsyncResult() {
	}

	static @Nullable Object of(LockedInvocation call, AsyncAnswerOfLocks entry) throws Throwable {
		if (entry instanceof AsyncAnswerOfLocks.Refused refused) {
			return call.withoutLock(refused.missing(), refused.problem());
		}
		List<HeldLock> locks = locks(entry);
		return locks.isEmpty() ? call.invocation().proceed() : call.proceed(locks);
	}

	/** The locks that are to be given back. */
	static List<HeldLock> locks(AsyncAnswerOfLocks entry) {
		return (entry instanceof AsyncAnswerOfLocks.Entered entered) ? entered.locks() : List.of();
	}

	static <T> T present(@Nullable T result, LockedMethod where) {
		if (result == null) {
			throw new IllegalStateException(where + " returned null, or its fallback did: return a "
					+ where.returnType().getSimpleName() + ", an empty one if there is nothing to tell");
		}
		return result;
	}

}
