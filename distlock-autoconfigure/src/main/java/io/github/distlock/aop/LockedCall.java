package io.github.distlock.aop;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import io.github.distlock.HeldLock;
import io.github.distlock.LockBackendException;
import io.github.distlock.LockContext;
import io.github.distlock.LockException;
import io.github.distlock.LockNotAcquiredException;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * One call of a locked method: which locks it needs, and how it goes on with and without
 * them.
 *
 * @param wanted the locks, at least one, in the order in which they must be taken, each
 * once
 * @param invocation the call
 */
record LockedCall(List<WantedLock> wanted, MethodInvocation invocation) {

	/**
	 * Begin to wait for the locks: the wait times count from now.
	 */
	LockWait startWaiting() {
		return new LockWait();
	}

	/**
	 * Run the method under all its locks. Whatever it throws, the caller of this method
	 * gives them back, in reverse order.
	 * @param locks what was acquired, in the order of {@link #wanted()}
	 * @return what the method returns
	 * @throws Throwable what the method throws
	 */
	@Nullable Object proceed(List<HeldLock> locks) throws Throwable {
		LockContext.Scope scope = open(locks);
		try {
			return this.invocation.proceed();
		}
		finally {
			scope.close();
		}
	}

	private static LockContext.Scope open(List<HeldLock> locks) {
		if (locks.size() == 1) {
			return LockContext.open(locks.get(0));
		}
		List<HeldLock> all = new ArrayList<>(locks);
		Collections.reverse(all);
		all.addAll(LockContext.all());
		return LockContext.openAll(all);
	}

	/**
	 * Say what the caller gets, since a lock is not to be had. What was acquired before
	 * has been given back.
	 * @param missing the lock
	 * @param problem what the registry threw, or completed its future with
	 * @return a value of the method's return type
	 * @throws Throwable what the caller gets instead: often the problem itself
	 */
	@Nullable Object withoutLock(WantedLock missing, LockException problem) throws Throwable {
		boolean interrupted = problem.getCause() instanceof InterruptedException;
		if (interrupted || !(problem instanceof LockNotAcquiredException || problem instanceof LockBackendException)) {
			throw problem;
		}
		return missing.definition().withoutLock().result(this, missing, problem);
	}

}
