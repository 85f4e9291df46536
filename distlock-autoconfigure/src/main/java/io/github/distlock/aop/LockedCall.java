package io.github.distlock.aop;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
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
import io.github.distlock.aop.weaving.WovenInvocation;
import io.github.distlock.observation.LockObservation;
import io.github.distlock.observation.LockObserver;
import io.github.distlock.observation.LockObserver.ObservationScope;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;

/**
 * One call of a locked method: the locks that it needs, and how it continues with and
 * without them. The invoker for the {@link ReturnKind} acquires the locks one after the
 * other, each with {@link #request}, then calls {@link #begin} and {@link #proceed}, and
 * releases the locks in reverse order. If a lock is not acquired, it releases those
 * before it and calls {@link #withoutLock}.
 *
 * @param locks the definitions of the method
 * @param targets the locks in the order in which they must be acquired, without
 * duplicates; empty if the call needs no lock
 * @param invocation the call
 * @param detached whether the call continues on another thread
 */
record LockedCall(MethodLocks locks, List<LockTarget> targets, MethodInvocation invocation, boolean detached) {

	/**
	 * Return the same call for another thread, after its interceptor has returned. It has
	 * its own arguments and its own position in the chain of interceptors.
	 */
	LockedCall detach() {
		MethodInvocation copy = this.invocation;
		if (copy instanceof ProxyMethodInvocation proxied) {
			copy = proxied.invocableClone();
		}
		else if (copy instanceof WovenInvocation woven) {
			copy = woven.copy();
		}
		return new LockedCall(this.locks, this.targets, copy, true);
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
	 * call waits for the other locks.
	 * @param target the next lock
	 * @param startNanos the time from which the wait times count
	 * @return the request
	 */
	LockRequest request(LockTarget target, long startNanos) {
		LockRequest request = target.request();
		if (this.targets.size() == 1) {
			return request;
		}
		Duration waitTime = (request.waitTime() != null) ? request.waitTime()
				: this.locks.environment().waitTime().get();
		if (!waitTime.isNegative()) {
			Duration remaining = waitTime.minusNanos(System.nanoTime() - startNanos);
			waitTime = remaining.isNegative() ? Duration.ZERO : remaining;
		}
		return new LockRequest(request.key(), request.mode(), waitTime, null, request.fair(), request.name(),
				request.minHold(), request.maxWaiting());
	}

	/**
	 * Start the leases when all locks are acquired. The caller releases the locks if this
	 * fails.
	 * @param acquired the locks, in the order of {@link #targets()}
	 * @throws LockLostException if a lock was lost meanwhile
	 */
	void begin(List<HeldLock> acquired) {
		if (acquired.size() == 1) {
			this.locks.passToken(this.invocation.getArguments(), acquired.get(0).fencingToken());
			return;
		}
		for (int i = 0; i < acquired.size(); i++) {
			Duration leaseTime = this.targets.get(i).request().leaseTime();
			HeldLock lock = acquired.get(i);
			if (leaseTime != null) {
				lock.expireAfter(leaseTime);
			}
			else if (!lock.isHeld()) {
				throw LockRelease.lost(lock, "the call of " + this.locks.method() + " waited for its other locks",
						"the method did not run. Try again");
			}
		}
	}

	/**
	 * Run the method under all its locks, after {@link #begin}. The work of a reactive
	 * method is not observed here: it begins with the subscription.
	 * @param acquired the locks, in the order of {@link #targets()}; none if the call
	 * needs none
	 * @return the result of the method
	 * @throws Throwable the exception of the method
	 */
	@Nullable Object proceed(List<HeldLock> acquired) throws Throwable {
		if (acquired.isEmpty()) {
			return proceed();
		}
		LockObservation section = (this.locks.returnKind() != ReturnKind.REACTIVE) ? section(acquired) : null;
		return (section != null) ? proceedObserved(acquired, section) : proceedUnder(acquired);
	}

	/**
	 * Begin to observe the work under the locks.
	 * @return the observation, {@code null} if it is not wanted
	 */
	@Nullable LockObservation section(List<HeldLock> acquired) {
		LockEnvironment environment = this.locks.environment();
		LockObserver observer = environment.observers().get();
		if (observer == null || !observer.observesSections()) {
			return null;
		}
		LockTarget first = this.targets.get(0);
		return observer.section(environment.stores().apply(first.registry()).name(), first.request().mode(), acquired);
	}

	/** End the observation when the result is complete. */
	private @Nullable Object proceedObserved(List<HeldLock> acquired, LockObservation section) throws Throwable {
		Object result;
		try (ObservationScope scope = section.openScope()) {
			result = proceedUnder(acquired);
			if (result instanceof CompletionStage<?> stage) {
				stage.whenComplete((value, failure) -> section.ended(ownFailure(failure)));
				return result;
			}
		}
		catch (Throwable ex) {
			section.ended(ex);
			throw ex;
		}
		section.ended(null);
		return result;
	}

	/** Return the failure that a stage reports, without the exception of the stage. */
	static @Nullable Throwable ownFailure(@Nullable Throwable failure) {
		return (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause() : failure;
	}

	private @Nullable Object proceedUnder(List<HeldLock> acquired) throws Throwable {
		try (LockContext.Scope scope = openScope(acquired)) {
			Object result = proceed();
			if (this.locks.returnKind() == ReturnKind.FUTURE_OF_ASYNC && result instanceof Future<?> future) {
				awaitEnd(future);
			}
			return result;
		}
	}

	/** On another thread, inner advice may look up the current invocation as well. */
	private @Nullable Object proceed() throws Throwable {
		return this.detached ? ExposeInvocationInterceptor.INSTANCE.invoke(this.invocation) : this.invocation.proceed();
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
	 * @param problem the exception of the registry, {@code null} if the call is skipped
	 * @return a value of the method's return type
	 * @throws Throwable the exception for the caller, often the problem itself
	 */
	@Nullable Object withoutLock(LockTarget target, @Nullable LockException problem) throws Throwable {
		LockDefinition definition = target.definition();
		if (problem == null) {
			return ((SkipPolicy) definition.failurePolicy()).empty().get();
		}
		problem.initLockName(definition.name());
		boolean interrupted = problem.getCause() instanceof InterruptedException;
		if (interrupted || !(problem instanceof LockNotAcquiredException || problem instanceof LockBackendException)) {
			throw problem;
		}
		List<String> keys = this.targets.stream().map((each) -> each.request().key()).toList();
		return definition.failurePolicy()
			.result(this.invocation, new LockFailure(definition.method().method(), definition.name(), keys, problem));
	}

}
