package io.github.distlock.aop;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.UnaryOperator;

import io.github.distlock.HeldLock;
import io.github.distlock.LockBackendException;
import io.github.distlock.LockContext;
import io.github.distlock.LockException;
import io.github.distlock.LockFailure;
import io.github.distlock.LockLostException;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.LossCause;
import org.aopalliance.intercept.MethodInvocation;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * One call of a locked method: which locks it needs, and how it goes on with and without
 * them.
 *
 * @param plan what the method's annotations say
 * @param wanted the locks, in the order in which they must be taken, each once; none if
 * the call is not to be locked
 * @param invocation the call
 */
record LockedInvocation(MethodLocks plan, List<LockTarget> wanted, MethodInvocation invocation) {

	private static final Log logger = LogFactory.getLog(LockedInvocation.class);

	/**
	 * The same call, to go on in another way.
	 */
	LockedInvocation decorated(UnaryOperator<MethodInvocation> decorator) {
		return new LockedInvocation(this.plan, this.wanted, decorator.apply(this.invocation));
	}

	/**
	 * Begin to wait for the locks: the wait times count from now.
	 */
	LockWait startWaiting() {
		return new LockWait(this.wanted.size() > 1, this.plan.waitTime());
	}

	/**
	 * All locks are there: their leases begin. Whoever calls this gives them back if it
	 * fails.
	 * @param locks what was acquired, in the order of {@link #wanted()}
	 * @throws LockLostException if one was lost meanwhile
	 */
	void begin(List<HeldLock> locks) {
		if (locks.size() > 1) {
			startLeases(locks);
		}
		else {
			this.plan.passToken(this.invocation.getArguments(), locks.get(0).fencingToken());
		}
	}

	/**
	 * Run the method under all its locks, once they have begun. Whatever it throws, the
	 * caller of this method gives them back, in reverse order.
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

	/**
	 * All are there: from now on they are held, and no longer waited with.
	 * @throws LockLostException if one was lost meanwhile
	 */
	private void startLeases(List<HeldLock> locks) {
		for (int i = 0; i < locks.size(); i++) {
			Duration leaseTime = this.wanted.get(i).request().leaseTime();
			HeldLock lock = locks.get(i);
			if (leaseTime != null) {
				lock.expireAfter(leaseTime);
			}
			else if (!lock.isHeld()) {
				LossCause cause = lock.lossCause();
				throw new LockLostException("The lock '" + lock.key() + "' was lost while the call of "
						+ this.plan.where() + " waited for its other locks"
						+ ((cause != null) ? " (" + cause.description() + ")" : "")
						+ ", so the method did not run. Try again", cause, null);
			}
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
	 * Release locks under which nothing was done, since another one is not to be had.
	 * Throws nothing.
	 * @param locks those that were acquired
	 */
	void giveBack(List<HeldLock> locks) {
		for (int i = locks.size() - 1; i >= 0; i--) {
			try {
				locks.get(i).abandon();
			}
			catch (RuntimeException ex) {
				logger.debug("Lock '" + locks.get(i).key() + "' could not be given back, unused", ex);
			}
			catch (Error ex) {
				// The others are given back, and the caller gets the reason for all this.
				logger.warn("Lock '" + locks.get(i).key() + "' could not be given back, unused", ex);
			}
		}
	}

	/**
	 * Say what the caller gets, since a lock is not to be had. What was acquired before
	 * has been given back.
	 * @param missing the lock
	 * @param problem what the registry threw, or completed its future with
	 * @return a value of the method's return type
	 * @throws Throwable what the caller gets instead: often the problem itself
	 */
	@Nullable Object withoutLock(LockTarget missing, LockException problem) throws Throwable {
		boolean interrupted = problem.getCause() instanceof InterruptedException;
		if (interrupted || !(problem instanceof LockNotAcquiredException || problem instanceof LockBackendException)) {
			throw problem;
		}
		LockDefinition definition = missing.definition();
		return definition.withoutLock()
			.result(this.invocation, new LockFailure(definition.where().method(), definition.name(),
					this.wanted.stream().map((wanted) -> wanted.request().key()).toList(), problem));
	}

	/**
	 * Say what the caller of a skipped call gets, for those who need no exception to know
	 * that the wait time has passed.
	 */
	@Nullable Object skipped(LockTarget missing) {
		return missing.definition().withoutLock().emptyResult();
	}

}
