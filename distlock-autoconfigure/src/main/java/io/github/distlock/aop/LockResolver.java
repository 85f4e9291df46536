package io.github.distlock.aop;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import io.github.distlock.HandOff;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockListener;
import io.github.distlock.LockListener.Attempted;
import io.github.distlock.LockOutcome;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import org.aopalliance.intercept.MethodInvocation;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Determines which locks a call needs: evaluates its conditions and keys, and finds the
 * registries. A call that is refused here never reaches a registry, so its listeners are
 * notified here, too.
 */
final class LockResolver {

	private static final Log logger = LogFactory.getLog(LockResolver.class);

	private final RegistryResolver registries;

	private final TransactionalCalls transactionalCalls;

	private final LockEnvironment environment;

	LockResolver(RegistryResolver registries, TransactionalCalls transactionalCalls, LockEnvironment environment) {
		this.registries = registries;
		this.transactionalCalls = transactionalCalls;
		this.environment = environment;
	}

	/**
	 * Determine the locks of a call. To be done anew for each execution of the method.
	 * @param locks the definitions of the method
	 * @param invocation the call
	 * @param inTransaction whether the call is made inside a running transaction
	 * @return the call with its locks
	 * @throws LockDefinitionException if the call is invalid
	 */
	LockedCall resolve(MethodLocks locks, MethodInvocation invocation, boolean inTransaction) {
		List<LockDefinition> definitions = locks.locks();
		List<LockTarget> targets;
		if (definitions.size() == 1) {
			targets = targets(definitions.get(0), locks.hasToken(), invocation, inTransaction);
		}
		else {
			List<LockTarget> all = new ArrayList<>();
			definitions.forEach((definition) -> all.addAll(targets(definition, false, invocation, inTransaction)));
			targets = inOrder(all);
		}
		return new LockedCall(locks, targets, invocation, false);
	}

	/**
	 * Sort the locks of a call by registry, then by key. All calls acquire their locks in
	 * this order, so that no two of them wait for each other. Merges requests for the
	 * same lock.
	 * @param targets the locks in the order of the annotations
	 * @return the same locks, without duplicates
	 */
	private List<LockTarget> inOrder(List<LockTarget> targets) {
		// Stable: of equal locks, the first annotation comes first.
		targets.sort(Comparator.comparing((LockTarget lock) -> this.registries.rank(lock.definition()))
			.thenComparing((lock) -> lock.request().key()));
		List<LockTarget> merged = new ArrayList<>(targets.size());
		for (LockTarget lock : targets) {
			int last = merged.size() - 1;
			if (last >= 0 && merged.get(last).isSameLock(lock)) {
				merged.set(last, merged.get(last).merge(lock));
			}
			else {
				merged.add(lock);
			}
		}
		return merged;
	}

	private List<LockTarget> targets(LockDefinition definition, boolean oneKeyOnly, MethodInvocation invocation,
			boolean inTransaction) {
		long startNanos = System.nanoTime();
		@Nullable Object target = invocation.getThis();
		@Nullable Object[] arguments = invocation.getArguments();
		try {
			if (!definition.isNeeded(target, arguments)) {
				return List.of();
			}
			if (inTransaction) {
				this.transactionalCalls.check(definition);
			}
			List<String> keys = definition.keys(target, arguments);
			if (oneKeyOnly && keys.size() > 1) {
				throw definition.method()
					.refuse("was called for " + keys.size() + " keys, but has a @FencingToken parameter, and each key "
							+ "has a token of its own: call it for one key, or take the tokens from LockContext.all()");
			}
			return targets(definition, keys);
		}
		catch (LockDefinitionException ex) {
			reportRefusal(definition, startNanos);
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

	private void reportRefusal(LockDefinition definition, long startNanos) {
		Attempted event = new Attempted(this.registries.facts(definition).name(), definition.name(), null,
				LockOutcome.INVALID, Duration.ofNanos(System.nanoTime() - startNanos), HandOff.NONE, 0);
		for (LockListener listener : this.environment.listeners().get()) {
			try {
				listener.onAttempted(event);
			}
			catch (RuntimeException ex) {
				logger.warn("The lock listener " + listener + " failed on " + event, ex);
			}
		}
	}

}
