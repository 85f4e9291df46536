package io.github.distlock.aop;

import java.util.ArrayList;
import java.util.List;

import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * Determines which locks a call needs: evaluates its conditions and keys, and finds the
 * registries. A call that is refused here never reaches a registry, so its listeners are
 * notified here, too.
 */
final class LockTargetResolver {

	private final RegistryResolver registries;

	private final TransactionalCalls transactionalCalls;

	private final RejectionReporter rejections;

	private final LockOrder order;

	LockTargetResolver(RegistryResolver registries, TransactionalCalls transactionalCalls,
			RejectionReporter rejections) {
		this.registries = registries;
		this.transactionalCalls = transactionalCalls;
		this.rejections = rejections;
		this.order = new LockOrder(registries);
	}

	/**
	 * Determine the locks of a call. To be done anew for each execution of the method.
	 * @param locks the definitions of the method
	 * @param invocation the call
	 * @return the call with its locks
	 * @throws LockDefinitionException if the call is invalid
	 */
	LockedInvocation resolve(MethodLocks locks, MethodInvocation invocation) {
		return new LockedInvocation(locks, targets(locks, invocation.getThis(), invocation.getArguments()), invocation);
	}

	private List<LockTarget> targets(MethodLocks locks, @Nullable Object target, @Nullable Object[] arguments) {
		List<LockDefinition> definitions = locks.locks();
		if (definitions.size() == 1) {
			return targets(definitions.get(0), locks.hasToken(), target, arguments);
		}
		List<LockTarget> all = new ArrayList<>();
		definitions.forEach((definition) -> all.addAll(targets(definition, false, target, arguments)));
		return this.order.of(all);
	}

	private List<LockTarget> targets(LockDefinition definition, boolean oneKeyOnly, @Nullable Object target,
			@Nullable Object[] arguments) {
		long startNanos = System.nanoTime();
		try {
			if (!definition.condition().holds(target, arguments)) {
				return List.of();
			}
			this.transactionalCalls.check(definition);
			List<String> keys = definition.key().keys(target, arguments);
			if (oneKeyOnly && keys.size() > 1) {
				throw definition.method()
					.refuse("was called for " + keys.size()
							+ " keys, but has a @FencingToken parameter, and each key has "
							+ "a token of its own: call it for one key, or take the tokens from LockContext.all()");
			}
			return targets(definition, keys);
		}
		catch (LockDefinitionException ex) {
			this.rejections.report(definition, startNanos);
			throw ex;
		}
	}

	private List<LockTarget> targets(LockDefinition definition, List<String> keys) {
		LockRegistry registry = this.registries.of(definition);
		LockRequest template = definition.template();
		if (keys.size() == 1) {
			return List.of(new LockTarget(definition, registry, template.key(keys.get(0))));
		}
		return keys.stream().map((key) -> new LockTarget(definition, registry, template.key(key))).toList();
	}

}
