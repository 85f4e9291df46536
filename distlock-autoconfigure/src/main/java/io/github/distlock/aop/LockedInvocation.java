package io.github.distlock.aop;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

import io.github.distlock.HeldLock;
import io.github.distlock.LockBackendException;
import io.github.distlock.LockContext;
import io.github.distlock.LockException;
import io.github.distlock.LockFailure;
import io.github.distlock.LockLostException;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.LockRequest;
import io.github.distlock.LossCause;
import io.github.distlock.observation.LockObserver.ObservedSection;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * One call of a locked method: the locks that it needs, and how it continues with and
 * without them.
 *
 * @param locks the definitions of the method
 * @param targets the locks in the order in which they must be acquired, without
 * duplicates; empty if the call needs no lock
 * @param invocation the call
 */
record LockedInvocation(MethodLocks locks, List<LockTarget> targets, MethodInvocation invocation) {

	/**
	 * Return the same call for another thread, after its interceptor has returned.
	 */
	LockedInvocation detached() {
		return new LockedInvocation(this.locks, this.targets, DetachedInvocation.of(this.invocation));
	}

	/**
	 * Return the time from which the wait times count. One lock does not need it.
	 */
	long startWaiting() {
		return (this.targets.size() > 1) ? System.nanoTime() : 0;
	}

	/**
	 * Return the request for the next lock. Of several locks, each is requested with the
	 * rest of its wait time, and without its lease time, which must not run while the
	 * call waits for the other locks. A lock with a lease time is never kept, also if the
	 * call ends before it runs.
	 * @param target the next lock
	 * @param startNanos the time from which the wait times count
	 * @return the request
	 */
	LockRequest request(LockTarget target, long startNanos) {
		LockRequest request = target.request();
		if (this.targets.size() == 1) {
			return request;
		}
		Duration waitTime = (request.waitTime() != null) ? request.waitTime() : this.locks.waitTime().get();
		Duration keep = request.isKeepable() ? request.keep() : Duration.ZERO;
		return new LockRequest(request.key(), request.mode(), remaining(waitTime, startNanos), null, request.fair(),
				request.name(), request.minHold(), keep, request.maxWaiting());
	}

	private static Duration remaining(Duration waitTime, long startNanos) {
		if (waitTime.isNegative()) {
			return waitTime;
		}
		Duration remaining = waitTime.minusNanos(System.nanoTime() - startNanos);
		return remaining.isNegative() ? Duration.ZERO : remaining;
	}

	/**
	 * Start the leases when all locks are acquired. The caller releases the locks if this
	 * fails.
	 * @param acquired the locks, in the order of {@link #targets()}
	 * @throws LockLostException if a lock was lost meanwhile
	 */
	void begin(List<HeldLock> acquired) {
		if (acquired.size() > 1) {
			startLeases(acquired);
		}
		else {
			this.locks.passToken(this.invocation.getArguments(), acquired.get(0).fencingToken());
		}
	}

	private void startLeases(List<HeldLock> acquired) {
		for (int i = 0; i < acquired.size(); i++) {
			Duration leaseTime = this.targets.get(i).request().leaseTime();
			HeldLock lock = acquired.get(i);
			if (leaseTime != null) {
				lock.expireAfter(leaseTime);
			}
			else if (!lock.isHeld()) {
				LossCause cause = lock.lossCause();
				throw new LockLostException("The lock '" + lock.key() + "' was lost while the call of "
						+ this.locks.method() + " waited for its other locks"
						+ ((cause != null) ? " (" + cause.description() + ")" : "")
						+ ", so the method did not run. Try again", cause, null);
			}
		}
	}

	/**
	 * Run the method under all its locks, after {@link #begin}. The caller releases the
	 * locks, in reverse order, even if the method throws an exception. The work of a
	 * reactive method is not observed here: it begins with the subscription.
	 * @param acquired the locks, in the order of {@link #targets()}
	 * @return the result of the method
	 * @throws Throwable the exception of the method
	 */
	@Nullable Object proceed(List<HeldLock> acquired) throws Throwable {
		ObservedSection section = (this.locks.returnKind() != ReturnKind.REACTIVE) ? section(acquired) : null;
		return (section != null) ? CallObservations.observed(section, () -> proceedUnder(acquired))
				: proceedUnder(acquired);
	}

	/**
	 * Begin to observe the work under the locks.
	 * @return the observation, {@code null} if it is not wanted
	 */
	@Nullable ObservedSection section(List<HeldLock> acquired) {
		return this.locks.observations().section(this, acquired);
	}

	private @Nullable Object proceedUnder(List<HeldLock> acquired) throws Throwable {
		try (LockContext.Scope scope = openScope(acquired)) {
			Object result = this.invocation.proceed();
			if (this.locks.returnKind() == ReturnKind.FUTURE_OF_ASYNC && result instanceof Future<?> future) {
				awaitEnd(future);
			}
			return result;
		}
	}

	/**
	 * Wait until the future is done that an {@code @Async} method has returned. An
	 * interrupt does not end the work, so it does not end the lock either.
	 */
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
				// The caller gets it with the future.
			}
		}
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
	}

	private static LockContext.Scope openScope(List<HeldLock> acquired) {
		if (acquired.size() == 1) {
			return LockContext.open(acquired.get(0));
		}
		List<HeldLock> all = new ArrayList<>(acquired);
		Collections.reverse(all);
		all.addAll(LockContext.all());
		return LockContext.openAll(all);
	}

	/**
	 * Determine what the caller gets if a lock was not acquired. The locks before it have
	 * been released.
	 * @param target the lock
	 * @param problem the exception of the registry
	 * @return a value of the method's return type
	 * @throws Throwable the exception for the caller, often the problem itself
	 */
	@Nullable Object withoutLock(LockTarget target, LockException problem) throws Throwable {
		problem.initLockName(target.definition().name());
		boolean interrupted = problem.getCause() instanceof InterruptedException;
		if (interrupted || !(problem instanceof LockNotAcquiredException || problem instanceof LockBackendException)) {
			throw problem;
		}
		LockDefinition definition = target.definition();
		List<String> keys = this.targets.stream().map((each) -> each.request().key()).toList();
		return definition.failurePolicy()
			.result(this.invocation, new LockFailure(definition.method().method(), definition.name(), keys, problem));
	}

	/**
	 * Return the result of a skipped call, for locks that were not acquired without an
	 * exception.
	 * @param target the lock that was not acquired in time
	 */
	@Nullable Object skipped(LockTarget target) {
		return target.definition().failurePolicy().emptyResult();
	}

}
