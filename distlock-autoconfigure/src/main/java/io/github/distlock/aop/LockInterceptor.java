package io.github.distlock.aop;

import java.util.List;

import io.github.distlock.LockAssert;
import io.github.distlock.LockContext;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * The entrance of every locked call: finds the definition, evaluates the key, and leaves
 * the rest to the style of the call.
 */
final class LockInterceptor implements MethodInterceptor {

	private final LockDefinitions definitions;

	private final LockRuntime runtime;

	private final NamedRegistries registries;

	private final RefusedCalls refusedCalls;

	private final TransactionalCalls transactionalCalls;

	private final CallStyle blocking;

	LockInterceptor(LockDefinitions definitions, NamedRegistries registries, LockRuntime runtime) {
		this.definitions = definitions;
		this.runtime = runtime;
		this.registries = registries;
		this.refusedCalls = new RefusedCalls(registries, runtime);
		this.transactionalCalls = new TransactionalCalls(runtime.onActiveTransaction());
		this.blocking = new BlockingStyle(this.transactionalCalls);
	}

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		Object target = invocation.getThis();
		Class<?> type = (target != null) ? target.getClass() : invocation.getMethod().getDeclaringClass();
		LockDefinition definition = this.definitions.find(invocation.getMethod(), type).orElse(null);
		if (definition == null) {
			return invocation.proceed();
		}
		if (!this.runtime.enabled().getAsBoolean()) {
			return proceedUnlocked(invocation);
		}
		List<WantedLock> wanted = this.refusedCalls.tell(definition,
				() -> wanted(definition, target, invocation.getArguments()));
		return wanted.isEmpty() ? invocation.proceed() : this.blocking.run(new LockedCall(wanted, invocation));
	}

	private List<WantedLock> wanted(LockDefinition definition, @Nullable Object target, @Nullable Object[] arguments) {
		if (!definition.condition().holds(target, arguments)) {
			return List.of();
		}
		this.transactionalCalls.check(definition);
		String key = definition.key().key(target, arguments);
		return List.of(new WantedLock(definition, this.registries.of(definition), definition.template().key(key)));
	}

	/** Code that asserts its lock is to run, too, when locks are switched off. */
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
