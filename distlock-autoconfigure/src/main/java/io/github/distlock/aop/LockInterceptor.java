package io.github.distlock.aop;

import java.util.ArrayList;
import java.util.List;

import io.github.distlock.LockAssert;
import io.github.distlock.LockContext;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * The entrance of every locked call: finds the definitions, evaluates the keys, and
 * leaves the rest to the style of the call.
 */
final class LockInterceptor implements MethodInterceptor {

	private final LockDefinitions definitions;

	private final LockEnvironment runtime;

	private final RegistryResolver registries;

	private final RejectionReporter refusedCalls;

	private final TransactionalCalls transactionalCalls;

	private final LockOrder order;

	private final LockInvokers styles;

	LockInterceptor(LockDefinitions definitions, RegistryResolver registries, LockEnvironment runtime,
			@Nullable ClassLoader beanClassLoader) {
		this.definitions = definitions;
		this.runtime = runtime;
		this.registries = registries;
		this.order = new LockOrder(registries);
		this.refusedCalls = new RejectionReporter(registries, runtime);
		this.transactionalCalls = new TransactionalCalls(runtime.onActiveTransaction(), this.refusedCalls);
		this.styles = new LockInvokers(this.transactionalCalls, runtime.work(), beanClassLoader);
	}

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		Object target = invocation.getThis();
		Class<?> type = (target != null) ? target.getClass() : invocation.getMethod().getDeclaringClass();
		MethodLocks plan = this.definitions.find(invocation.getMethod(), type).orElse(null);
		if (plan == null) {
			return invocation.proceed();
		}
		if (!this.runtime.enabled().getAsBoolean()) {
			passUnlockedToken(plan, invocation.getArguments());
			return proceedUnlocked(invocation);
		}
		// Of calls that have no lock.
		plan.passToken(invocation.getArguments(), 0);
		return this.styles.of(plan.result())
			.run(plan.where(),
					() -> new LockedInvocation(plan, wanted(plan, target, invocation.getArguments()), invocation));
	}

	/** Resources that check tokens go on working while nothing is locked. */
	private void passUnlockedToken(MethodLocks plan, @Nullable Object[] arguments) {
		if (plan.token() != FencingTokenParameter.NONE) {
			LockRequest request = LockRequest.of(plan.where().signature());
			LockRegistry registry = this.runtime.registry().get();
			plan.passToken(arguments,
					RegistryAnswer.check(registry.acquire(request), registry, "acquire", request).fencingToken());
		}
	}

	private List<LockTarget> wanted(MethodLocks plan, @Nullable Object target, @Nullable Object[] arguments) {
		List<LockDefinition> locks = plan.locks();
		if (locks.size() == 1) {
			return wanted(locks.get(0), plan.token() != FencingTokenParameter.NONE, target, arguments);
		}
		List<LockTarget> all = new ArrayList<>();
		locks.forEach((definition) -> all.addAll(wanted(definition, false, target, arguments)));
		return this.order.of(all);
	}

	private List<LockTarget> wanted(LockDefinition definition, boolean single, @Nullable Object target,
			@Nullable Object[] arguments) {
		return this.refusedCalls.tell(definition, () -> {
			if (!definition.condition().holds(target, arguments)) {
				return List.of();
			}
			this.transactionalCalls.check(definition);
			List<String> keys = definition.key().keys(target, arguments);
			if (single && keys.size() > 1) {
				throw definition.where()
					.refuse("was called for " + keys.size()
							+ " keys, but has a @FencingToken parameter, and each key has "
							+ "a token of its own: call it for one key, or take the tokens from LockContext.all()");
			}
			return wanted(definition, keys);
		});
	}

	private List<LockTarget> wanted(LockDefinition definition, List<String> keys) {
		LockRegistry registry = this.registries.of(definition);
		LockRequest template = definition.template();
		if (keys.size() == 1) {
			return List.of(new LockTarget(definition, registry, template.key(keys.get(0))));
		}
		return keys.stream().map((key) -> new LockTarget(definition, registry, template.key(key))).toList();
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
