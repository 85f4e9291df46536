package io.github.distlock.aop;

import io.github.distlock.LockAssert;
import io.github.distlock.LockContext;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.util.function.SingletonSupplier;

/**
 * Intercepts the calls of locked methods. Finds the definitions of the method and passes
 * the call to the invoker for its kind of result, which runs the call under its locks: it
 * decides when they are acquired, on which threads, and when they are released.
 */
final class LockInterceptor implements MethodInterceptor {

	private final LockDefinitions definitions;

	private final LockEnvironment environment;

	private final BlockingInvoker blocking;

	/** Created when it is needed, because it has threads. */
	private final SingletonSupplier<StageInvoker> completionStage;

	/** Created when it is needed, because Reactor may not be on the class path. */
	private final SingletonSupplier<ReactiveInvoker> reactive;

	LockInterceptor(LockDefinitions definitions, RegistryResolver registries, LockEnvironment environment,
			@Nullable ClassLoader beanClassLoader) {
		this.definitions = definitions;
		this.environment = environment;
		TransactionalCalls transactionalCalls = new TransactionalCalls(environment.onActiveTransaction());
		LockResolver resolver = new LockResolver(registries, transactionalCalls, environment);
		SingletonSupplier<AsyncLockExecutor> locks = SingletonSupplier.of(() -> new AsyncLockExecutor(beanClassLoader));
		this.blocking = new BlockingInvoker(resolver, transactionalCalls);
		this.completionStage = SingletonSupplier
			.of(() -> new StageInvoker(resolver, locks.obtain(), environment.work().get()));
		this.reactive = SingletonSupplier
			.of(() -> new ReactiveInvoker(resolver, locks.obtain(), transactionalCalls, beanClassLoader));
	}

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		Object target = invocation.getThis();
		Class<?> type = (target != null) ? target.getClass() : invocation.getMethod().getDeclaringClass();
		MethodLocks locks = this.definitions.find(invocation.getMethod(), type).orElse(null);
		if (locks == null) {
			return invocation.proceed();
		}
		if (!this.environment.enabled().getAsBoolean()) {
			passUnlockedToken(locks, invocation.getArguments());
			return proceedUnlocked(invocation);
		}
		// The token of a call without a lock, such as one whose condition is false.
		locks.passToken(invocation.getArguments(), 0);
		return switch (locks.returnKind()) {
			case SYNCHRONOUS, FUTURE_OF_ASYNC -> this.blocking.invoke(locks, invocation);
			case COMPLETION_STAGE -> this.completionStage.obtain().invoke(locks, invocation);
			case REACTIVE -> this.reactive.obtain().invoke(locks, invocation);
		};
	}

	/** Resources that check fencing tokens work although nothing is locked. */
	private void passUnlockedToken(MethodLocks locks, @Nullable Object[] arguments) {
		if (locks.hasToken()) {
			LockRequest request = LockRequest.of(locks.method().signature());
			LockRegistry registry = this.environment.registry().get();
			locks.passToken(arguments, registry.acquire(request).fencingToken());
		}
	}

	/** Code that asserts its lock also runs if locks are disabled. */
	private static @Nullable Object proceedUnlocked(MethodInvocation invocation) throws Throwable {
		LockContext.Scope scope = LockAssert.suspend();
		try {
			return invocation.proceed();
		}
		finally {
			scope.close();
		}
	}

}
