package io.github.distlock.aop;

import java.util.Optional;

import io.github.distlock.HeldLock;
import io.github.distlock.LockContext;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.OnFailure;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * Runs a method under its lock: definition, key, request, registry, method, release.
 */
final class LockInterceptor implements MethodInterceptor {

	private final LockDefinitions definitions;

	private final LockRuntime runtime;

	private final NamedRegistries registries;

	private final RefusedCalls refusedCalls;

	private final TransactionalCalls transactionalCalls;

	LockInterceptor(LockDefinitions definitions, NamedRegistries registries, LockRuntime runtime) {
		this.definitions = definitions;
		this.runtime = runtime;
		this.registries = registries;
		this.refusedCalls = new RefusedCalls(registries, runtime);
		this.transactionalCalls = new TransactionalCalls(runtime.onActiveTransaction());
	}

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		Object target = invocation.getThis();
		Class<?> type = (target != null) ? target.getClass() : invocation.getMethod().getDeclaringClass();
		LockDefinition definition = this.definitions.find(invocation.getMethod(), type).orElse(null);
		if (definition == null || !this.runtime.enabled().getAsBoolean()) {
			return invocation.proceed();
		}
		LockRequest request = this.refusedCalls.tell(definition, () -> {
			this.transactionalCalls.check(definition);
			return definition.request(definition.key().key(target, invocation.getArguments()));
		});
		HeldLock lock = acquire(definition, request);
		return (lock != null) ? run(invocation, definition, lock)
				: SkippedResult.of(invocation.getMethod().getReturnType());
	}

	private @Nullable HeldLock acquire(LockDefinition definition, LockRequest request) {
		LockRegistry locks = this.registries.of(definition);
		if (definition.onFailure() == OnFailure.SKIP) {
			Optional<HeldLock> lock = locks.tryAcquire(request);
			return lock.orElse(null);
		}
		return locks.acquire(request);
	}

	private @Nullable Object run(MethodInvocation invocation, LockDefinition definition, HeldLock lock)
			throws Throwable {
		MethodExit exit = MethodExit.CLOSING;
		Object result;
		try {
			exit = this.transactionalCalls.enter(definition, lock);
			result = proceed(invocation, lock);
		}
		catch (Throwable failure) {
			exit.afterFailure(lock, failure);
			throw failure;
		}
		exit.afterReturn(lock);
		return result;
	}

	private static @Nullable Object proceed(MethodInvocation invocation, HeldLock lock) throws Throwable {
		LockContext.Scope scope = LockContext.open(lock);
		try {
			return invocation.proceed();
		}
		finally {
			scope.close();
		}
	}

}
