package io.github.distlock.aop;

import java.time.Duration;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import io.github.distlock.HandOff;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockKeyPrefix;
import io.github.distlock.LockListener;
import io.github.distlock.LockListener.Attempted;
import io.github.distlock.LockMode;
import io.github.distlock.LockOutcome;
import io.github.distlock.LockRequest;
import org.aopalliance.intercept.MethodInvocation;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The locks of a method. Determines which of them a call needs.
 *
 * @param locks one definition for each annotation, at least one, in the order of the
 * source
 * @param returnKind when the work of the method is done
 * @param token position of the parameter that receives the fencing token,
 * {@link LockedMethod#NO_TOKEN} without one
 * @param environment what its calls need
 * @param registries the registries of the definitions
 * @param transactions handles calls inside a running transaction
 */
record MethodLocks(List<LockDefinition> locks, ReturnKind returnKind, int token, LockEnvironment environment,
		RegistryResolver registries, TransactionalCalls transactions) {

	private static final Log logger = LogFactory.getLog(MethodLocks.class);

	private static final List<LockMode> STRONGEST_FIRST = List.of(LockMode.EXCLUSIVE, LockMode.WRITE, LockMode.READ);

	/**
	 * Create the locks of a method. Refuses a parameter for the token that cannot receive
	 * one.
	 */
	static MethodLocks of(LockedMethod method, List<LockDefinition> locks, LockEnvironment environment,
			RegistryResolver registries, TransactionalCalls transactions) {
		int token = LockedMethod.tokenPosition(method.method());
		Class<?> type = (token != LockedMethod.NO_TOKEN) ? method.method().getParameterTypes()[token] : long.class;
		if (type != long.class && type != Long.class) {
			throw method.refuse("has a @FencingToken parameter of type " + type.getTypeName() + ": make it a long");
		}
		if (token != LockedMethod.NO_TOKEN && locks.size() > 1) {
			throw method
				.refuse("has a @FencingToken parameter and " + locks.size() + " annotations, but each lock has a token "
						+ "of its own: take the one you mean from LockContext.all(), by its key");
		}
		LockRequest template = locks.get(0).template();
		if (token != LockedMethod.NO_TOKEN && template.permits() != null) {
			throw method
				.refuse("has a @FencingToken parameter and permits: of several holders, a resource that compares"
						+ " tokens would refuse all but the last. Remove the parameter, or the permits");
		}
		if (token != LockedMethod.NO_TOKEN && template.mode() == LockMode.READ) {
			logger.warn("@DistributedLock on " + method + " has a @FencingToken parameter in mode READ: a resource that"
					+ " compares tokens refuses each reader but the last. Compare them in the methods that write");
		}
		return new MethodLocks(locks, ReturnKind.of(method), token, environment, registries, transactions);
	}

	LockedMethod method() {
		return this.locks.get(0).method();
	}

	/** Whether a parameter receives the fencing token. */
	boolean hasToken() {
		return this.token != LockedMethod.NO_TOKEN;
	}

	/** Set the argument that receives the fencing token, if there is one. */
	void passToken(@Nullable Object[] arguments, long value) {
		if (hasToken()) {
			arguments[this.token] = value;
		}
	}

	/**
	 * Determine what a call requests by one annotation: evaluate its condition and its
	 * keys. A call that is refused here never reaches a registry, so its listeners are
	 * notified here, too.
	 * @param definition one of the definitions
	 * @param invocation the call
	 * @param inTransaction whether the call is made inside a running transaction
	 * @return one request for each key, with its prefix, sorted by key; none if the call
	 * needs no lock
	 * @throws LockDefinitionException if the call is invalid
	 */
	List<LockRequest> requests(LockDefinition definition, MethodInvocation invocation, boolean inTransaction) {
		long startNanos = System.nanoTime();
		@Nullable Object target = invocation.getThis();
		@Nullable Object[] arguments = invocation.getArguments();
		try {
			if (!definition.isNeeded(target, arguments)) {
				return List.of();
			}
			if (inTransaction) {
				this.transactions.check(definition);
			}
			List<LockRequest> requests = definition.requests(target, arguments);
			if (hasToken() && requests.size() > 1) {
				throw method().refuse("was called for " + requests.size()
						+ " keys, but has a @FencingToken parameter, and each key "
						+ "has a token of its own: call it for one key, or take the tokens from LockContext.all()");
			}
			// Found on the thread of the caller: it may be a bean that is not created
			// yet.
			this.registries.of(definition);
			LockKeyPrefix prefix = this.environment.keyPrefix().get().orElse(null);
			return (prefix != null) ? requests.stream()
				.map((request) -> request.prefixed(prefix))
				.sorted(Comparator.comparing(LockRequest::key))
				.toList() : requests;
		}
		catch (LockDefinitionException ex) {
			reportInvalid(definition, startNanos);
			throw ex;
		}
	}

	private void reportInvalid(LockDefinition definition, long startNanos) {
		Attempted event = new Attempted(this.registries.facts(definition).name(), definition.name(), null,
				LockOutcome.INVALID, Duration.ofNanos(System.nanoTime() - startNanos), HandOff.NONE, 0);
		for (LockListener listener : this.environment.listeners().get()) {
			try {
				listener.onAttempted(event);
			}
			catch (Throwable ex) {
				// The caller gets the refusal.
				logger.warn("The lock listener " + listener + " failed on " + event, ex);
			}
		}
	}

	/**
	 * Combine two requests for the same lock so that both annotations are satisfied.
	 * Attributes that cannot be combined are those of the first one.
	 */
	static LockRequest combine(LockRequest one, LockRequest other) {
		LockMode mode = Collections.min(List.of(one.mode(), other.mode()),
				Comparator.comparing(STRONGEST_FIRST::indexOf));
		Duration minHold = longer(one.minHold(), other.minHold());
		Duration lease = lesser(one.leaseTime(), other.leaseTime());
		// One annotation may have a longer minHold than the leaseTime of the other one.
		return new LockRequest(one.key(), mode, one.waitTime(), (lease != null) ? longer(lease, minHold) : null,
				one.fair() || other.fair(), one.name(), minHold, lesser(one.maxWaiting(), other.maxWaiting()),
				(mode == LockMode.READ) ? lesser(one.permits(), other.permits()) : null, one.prefixed());
	}

	private static <T extends Comparable<T>> @Nullable T lesser(@Nullable T one, @Nullable T other) {
		return Stream.of(one, other).filter(Objects::nonNull).min(Comparator.naturalOrder()).orElse(null);
	}

	private static @Nullable Duration longer(@Nullable Duration one, @Nullable Duration other) {
		return Stream.of(one, other).filter(Objects::nonNull).max(Comparator.naturalOrder()).orElse(null);
	}

}
