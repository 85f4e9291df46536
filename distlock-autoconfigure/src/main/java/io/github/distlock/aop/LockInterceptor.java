package io.github.distlock.aop;

import java.util.function.Supplier;

import io.github.distlock.LockAssert;
import io.github.distlock.LockContext;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.transaction.TransactionBoundary;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * Intercepts the calls of locked methods. Finds the definitions of the method, and runs
 * the call under its locks on the thread of the caller. Calls whose work ends after their
 * method has returned are run by {@link StageInvoker} and {@link ReactiveInvoker}.
 */
final class LockInterceptor implements MethodInterceptor {

	private final LockDefinitions definitions;

	private final LockEnvironment environment;

	/** Created when it is needed, because it has threads. */
	private final Supplier<StageInvoker> completionStage;

	/** Created when it is needed, because Reactor may not be on the class path. */
	private final Supplier<ReactiveInvoker> reactive;

	LockInterceptor(LockDefinitions definitions, LockEnvironment environment, @Nullable ClassLoader beanClassLoader) {
		this.definitions = definitions;
		this.environment = environment;
		Supplier<AsyncLockExecutor> locks = LockEnvironment.cached(() -> new AsyncLockExecutor(beanClassLoader));
		this.completionStage = LockEnvironment.cached(() -> new StageInvoker(locks.get(), environment.work().get()));
		this.reactive = LockEnvironment.cached(() -> new ReactiveInvoker(locks.get(), beanClassLoader));
	}

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		Object target = invocation.getThis();
		Class<?> type = (target != null) ? target.getClass() : invocation.getMethod().getDeclaringClass();
		MethodLocks locks = this.definitions.find(invocation.getMethod(), type).orElse(null);
		if (locks == null) {
			return invocation.proceed();
		}
		if (!this.environment.enabled().get()) {
			return proceedUnlocked(locks, invocation);
		}
		// The token of a call without a lock, such as one whose condition is false.
		locks.passToken(invocation.getArguments(), 0);
		return switch (locks.returnKind()) {
			case SYNCHRONOUS, FUTURE_OF_ASYNC -> invokeLocked(locks, invocation);
			case COMPLETION_STAGE -> this.completionStage.get().invoke(locks, invocation);
			case REACTIVE -> this.reactive.get().invoke(locks, invocation);
		};
	}

	/**
	 * Acquire the locks on the thread of the caller, and hold them until the method has
	 * returned. For an {@code @Async} method that returns a future, the caller is a
	 * thread of the executor. It waits for the future under the lock; without the lock it
	 * would wait for it as well, right after the method has returned.
	 */
	private static @Nullable Object invokeLocked(MethodLocks locks, MethodInvocation invocation) throws Throwable {
		LockedCall call = LockedCall.of(locks, invocation, TransactionBoundary.isActive());
		if (call.isUnlocked()) {
			return invocation.proceed();
		}
		boolean kept;
		try {
			call.acquire();
			call.begin();
			kept = !call.acquired().isEmpty() && locks.transactions().enter(locks.method(), call.acquired());
		}
		catch (RuntimeException | Error ex) {
			kept = false;
			if (!call.refusedByTransaction(ex)) {
				call.abandon();
				throw ex;
			}
		}
		Object result = null;
		Throwable failure = null;
		try {
			result = call.resultOrNull();
		}
		catch (Throwable ex) {
			if (call.refusedByTransaction(ex)) {
				return call.resultOrNull();
			}
			failure = ex;
		}
		if (!kept) {
			failure = call.release(failure);
		}
		else if (failure == null) {
			call.checkKept();
		}
		if (failure != null) {
			throw failure;
		}
		return result;
	}

	/**
	 * Resources that check fencing tokens, and code that asserts its lock, work although
	 * nothing is locked.
	 */
	private @Nullable Object proceedUnlocked(MethodLocks locks, MethodInvocation invocation) throws Throwable {
		if (locks.hasToken()) {
			LockRequest request = LockRequest.of(locks.method().signature());
			LockRegistry registry = this.environment.registry().get();
			locks.passToken(invocation.getArguments(), registry.acquire(request).fencingToken());
		}
		try (LockContext.Scope scope = LockAssert.suspend()) {
			return invocation.proceed();
		}
	}

}
