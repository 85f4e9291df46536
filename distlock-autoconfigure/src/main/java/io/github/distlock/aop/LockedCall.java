package io.github.distlock.aop;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.Consumer;

import io.github.distlock.HeldLock;
import io.github.distlock.LockBackendException;
import io.github.distlock.LockContext;
import io.github.distlock.LockException;
import io.github.distlock.LockFailure;
import io.github.distlock.LockLostException;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.aop.weaving.WovenInvocation;
import io.github.distlock.backend.ControlledLock;
import io.github.distlock.observation.LockObservation;
import io.github.distlock.observation.LockObserver;
import io.github.distlock.observation.LockedWork;
import io.github.distlock.transaction.TransactionLockRegistry;
import org.aopalliance.intercept.MethodInvocation;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;
import org.springframework.util.Assert;

/**
 * One call of a locked method, with its locks. Everything that is the same for all kinds
 * of calls is decided here: the order of the locks, when their leases start, what the
 * caller gets with and without them, and how they are released. {@link LockInterceptor},
 * {@link StageInvoker} and {@link ReactiveInvoker} decide on which threads that happens:
 * <ol>
 * <li>Acquire one lock after the other, with {@link #acquire}, or with
 * {@link #acquireAsync} and {@link #add} until {@link #needsLock} is false. If one is
 * {@link #refused}, {@link #abandon} those before it.</li>
 * <li>{@link #begin}, and get the {@link #result} or {@link #resultOrNull}.</li>
 * <li>{@link #release} the locks when the work has ended.</li>
 * </ol>
 * Not thread-safe: each step must happen after the one before it.
 */
final class LockedCall {

	private static final Log logger = LogFactory.getLog(LockedCall.class);

	private final MethodLocks locks;

	/** The definition of each lock, in the order in which they must be acquired. */
	private final List<LockDefinition> definitions;

	/** The request for each lock, in the same order, without duplicates. */
	private final List<LockRequest> requests;

	private final MethodInvocation invocation;

	/** Whether the call continues on another thread. */
	private final boolean detached;

	/** The wait times of several locks count from here. A single one does not need it. */
	private final long startNanos;

	/** Has the locks that a transaction must take, if there are any. */
	private @Nullable TransactionLockRegistry transactions;

	/** In the order in which they were acquired. */
	private final List<HeldLock> acquired;

	/** The definition of the lock that was not acquired. */
	private @Nullable LockDefinition missing;

	/** Why it was not acquired, {@code null} if the call is skipped. */
	private @Nullable LockException problem;

	private LockedCall(MethodLocks locks, List<LockDefinition> definitions, List<LockRequest> requests,
			MethodInvocation invocation, boolean detached) {
		this.locks = locks;
		this.definitions = definitions;
		this.requests = requests;
		this.invocation = invocation;
		this.detached = detached;
		this.startNanos = (requests.size() > 1) ? System.nanoTime() : 0;
		this.acquired = new ArrayList<>(requests.size());
	}

	/**
	 * Determine the locks of a call. To be done anew for each execution of the method.
	 * Locks of several annotations are sorted by registry, then by key. All calls acquire
	 * their locks in this order, so that no two of them wait for each other. Requests for
	 * the same lock are combined, of which the first annotation decides what happens
	 * without it.
	 * @param locks the definitions of the method
	 * @param invocation the call
	 * @param inTransaction whether the call is made inside a running transaction
	 * @return the call
	 * @throws io.github.distlock.LockDefinitionException if the call is invalid
	 */
	static LockedCall of(MethodLocks locks, MethodInvocation invocation, boolean inTransaction) {
		if (locks.locks().size() == 1) {
			LockDefinition only = locks.locks().get(0);
			List<LockRequest> requests = locks.requests(only, invocation, inTransaction);
			return new LockedCall(locks, Collections.nCopies(requests.size(), only), requests, invocation, false);
		}
		SortedMap<String, LockDefinition> definitions = new TreeMap<>();
		SortedMap<String, LockRequest> requests = new TreeMap<>();
		for (LockDefinition definition : locks.locks()) {
			for (LockRequest request : locks.requests(definition, invocation, inTransaction)) {
				String position = locks.registries().rank(definition) + '\0' + request.key();
				definitions.putIfAbsent(position, definition);
				requests.merge(position, request, MethodLocks::combine);
			}
		}
		return new LockedCall(locks, List.copyOf(definitions.values()), List.copyOf(requests.values()), invocation,
				false);
	}

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
		return new LockedCall(this.locks, this.definitions, this.requests, copy, true);
	}

	MethodLocks locks() {
		return this.locks;
	}

	MethodInvocation invocation() {
		return this.invocation;
	}

	/** The locks that the call has, in the order in which they were acquired. */
	List<HeldLock> acquired() {
		return this.acquired;
	}

	/** Whether the call runs without a lock, because of its conditions. */
	boolean isUnlocked() {
		return this.requests.isEmpty();
	}

	/** Whether another lock must be acquired. */
	boolean needsLock() {
		return this.missing == null && this.acquired.size() < this.requests.size();
	}

	/**
	 * Acquire all locks on this thread. Blocks. If one is not acquired, those before it
	 * are released.
	 */
	void acquire() {
		try {
			while (needsLock()) {
				LockRegistry registry = registry();
				if (registry instanceof TransactionLockRegistry own) {
					this.transactions = this.locks.transactions().verify(next(), own);
				}
				if (!add((registry instanceof TransactionLockRegistry own) ? own.acquire(request(), isSkippable())
						: isSkippable() ? registry.tryAcquire(request()) : registry.acquire(request()))) {
					refused(null);
				}
			}
		}
		catch (LockException ex) {
			refused(ex);
		}
		if (this.missing != null) {
			abandon();
		}
	}

	/**
	 * Acquire the next lock without a waiting thread.
	 * @return the future of the registry, with an answer for {@link #add}; cancelling it
	 * ends the wait
	 */
	CompletableFuture<?> acquireAsync() {
		LockRegistry registry = registry();
		CompletableFuture<?> answer = isSkippable() ? registry.tryAcquireAsync(request())
				: registry.acquireAsync(request());
		if (answer == null) {
			throw noAnswer();
		}
		return answer;
	}

	/**
	 * Take a lock from an answer of the registry.
	 * @return whether there is one; otherwise the call is skipped
	 */
	boolean add(@Nullable Object answer) {
		if (answer == null) {
			throw noAnswer();
		}
		Object lock = (answer instanceof Optional<?> optional) ? optional.orElse(null) : answer;
		return lock != null && this.acquired.add((HeldLock) lock);
	}

	/**
	 * Refuse {@code null}, which the contract of a registry does not allow. It never
	 * means that a call is skipped: the method would silently not run.
	 */
	private IllegalStateException noAnswer() {
		LockRequest request = request();
		return new IllegalStateException(registry().getClass().getName() + " returned null for lock '" + request.key()
				+ "' (" + request.label()
				+ "), which a LockRegistry must not do. If this is a mock in a test, remove it "
				+ "and use @DistlockTest or @AutoConfigureTestLocks, whose TestLocks decide which locks the code gets");
	}

	private LockDefinition next() {
		return this.definitions.get(this.acquired.size());
	}

	private LockRegistry registry() {
		return this.locks.registries().of(next());
	}

	/**
	 * If the call is skipped without the lock, no exception is needed for the case that
	 * it is not free.
	 */
	private boolean isSkippable() {
		return next().failurePolicy() instanceof SkipPolicy;
	}

	/**
	 * Return the request for the next lock. Of several locks, each is requested with the
	 * rest of its wait time, and without its lease time, which must not run while the
	 * call waits for the other locks.
	 */
	private LockRequest request() {
		LockRequest request = this.requests.get(this.acquired.size());
		if (this.requests.size() == 1) {
			return request;
		}
		Duration waitTime = (request.waitTime() != null) ? request.waitTime()
				: this.locks.environment().waitTime().get();
		if (!waitTime.isNegative()) {
			Duration remaining = waitTime.minusNanos(System.nanoTime() - this.startNanos);
			waitTime = remaining.isNegative() ? Duration.ZERO : remaining;
		}
		return new LockRequest(request.key(), request.mode(), waitTime, null, request.fair(), request.name(),
				request.minHold(), request.maxWaiting(), request.permits(), request.prefixed());
	}

	/**
	 * The next lock is not acquired or, after all of them, {@link #begin} has failed.
	 * Those that are acquired must be abandoned.
	 * @param problem the exception of the registry, {@code null} if the call is skipped
	 */
	void refused(@Nullable LockException problem) {
		this.missing = this.definitions.get(Math.min(this.acquired.size(), this.definitions.size() - 1));
		this.problem = problem;
	}

	/**
	 * Return whether a transaction has refused a lock: at its begin, or the running one.
	 * Then the call has no lock. An equal exception of the method is not such a refusal.
	 * @param failure what ended the call
	 */
	boolean refusedByTransaction(Throwable failure) {
		for (int i = 0; this.transactions != null && failure instanceof LockException
				&& i < this.acquired.size(); i++) {
			if (this.transactions.refused(this.acquired.get(i), failure)) {
				LockDefinition definition = this.definitions.get(i);
				boolean isSkipped = failure instanceof LockNotAcquiredException
						&& definition.failurePolicy() instanceof SkipPolicy;
				this.missing = definition;
				this.problem = isSkipped ? null : (LockException) failure;
				abandon();
				return true;
			}
		}
		return false;
	}

	/**
	 * Start the leases when all locks are acquired. The caller abandons the locks if this
	 * fails.
	 * @throws LockLostException if a lock was lost meanwhile
	 */
	void begin() {
		if (this.acquired.size() == 1) {
			this.locks.passToken(this.invocation.getArguments(), this.acquired.get(0).fencingToken());
			return;
		}
		for (int i = 0; i < this.acquired.size(); i++) {
			Duration leaseTime = this.requests.get(i).leaseTime();
			HeldLock lock = this.acquired.get(i);
			if (leaseTime != null) {
				ControlledLock.expireAfter(lock, leaseTime);
			}
			else if (!lock.isHeld()) {
				throw lost(lock, "while the call of " + this.locks.method() + " waited for its other locks",
						"The method did not run. Try again");
			}
		}
	}

	/** What the caller gets if {@code null} is no result, as in {@link #resultOrNull}. */
	Object result() throws Throwable {
		Object result = resultOrNull();
		Assert.state(result != null, () -> this.locks.method() + " returned null, or its fallback did");
		return result;
	}

	/**
	 * Determine what the caller gets, after {@link #begin}: run the method under its
	 * locks or, if one is missing, apply the failure policy. The work of a reactive
	 * method is not observed here: it begins with the subscription.
	 * @return the result of the method or of the failure policy
	 * @throws Throwable the exception of the method or of the failure policy
	 */
	@Nullable Object resultOrNull() throws Throwable {
		if (this.missing != null) {
			return withoutLock(this.missing, this.problem);
		}
		LockObservation section = (this.locks.returnKind() != ReturnKind.REACTIVE) ? section() : null;
		Object result = (section != null) ? LockedWork.<@Nullable Object, Throwable>observe(section, this::proceed)
				: proceed();
		if (this.transactions != null) {
			this.acquired.forEach(this.transactions::checkTaken);
		}
		return result;
	}

	/**
	 * Determine what the caller gets if a lock was not acquired. The locks before it have
	 * been released.
	 */
	private @Nullable Object withoutLock(LockDefinition definition, @Nullable LockException problem) throws Throwable {
		if (problem == null) {
			return ((SkipPolicy) definition.failurePolicy()).empty().get();
		}
		problem.initLockName(definition.name());
		boolean interrupted = problem.getCause() instanceof InterruptedException;
		if (interrupted || !(problem instanceof LockNotAcquiredException || problem instanceof LockBackendException)) {
			throw problem;
		}
		List<String> keys = this.requests.stream().map(LockRequest::key).toList();
		return definition.failurePolicy()
			.result(this.invocation, new LockFailure(definition.method().method(), definition.name(), keys, problem));
	}

	/**
	 * Begin to observe the work under the locks.
	 * @return the observation, {@code null} if it is not wanted or there is no lock
	 */
	@Nullable LockObservation section() {
		LockObserver observer = this.locks.environment().observers().get();
		if (observer == null || !observer.observesSections() || this.acquired.isEmpty()) {
			return null;
		}
		String backend = this.locks.registries().facts(this.definitions.get(0)).name();
		return observer.section(backend, this.requests.get(0).mode(), this.acquired);
	}

	/** On another thread, inner advice may look up the current invocation as well. */
	private @Nullable Object proceed() throws Throwable {
		try (LockContext.Scope scope = (this.acquired.size() == 1) ? LockContext.open(this.acquired.get(0))
				: LockContext.openAll(current(LockContext.all()))) {
			Object result = this.detached ? ExposeInvocationInterceptor.INSTANCE.invoke(this.invocation)
					: this.invocation.proceed();
			if (this.locks.returnKind() == ReturnKind.FUTURE_OF_ASYNC && result instanceof Future<?> future) {
				awaitEnd(future);
			}
			return result;
		}
	}

	/** Return the locks of the call and those around it, innermost first. */
	List<HeldLock> current(List<HeldLock> outer) {
		List<HeldLock> current = new ArrayList<>(this.acquired);
		Collections.reverse(current);
		current.addAll(outer);
		return List.copyOf(current);
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

	/**
	 * Release the locks in reverse order. The problem of one lock does not leave the
	 * others held.
	 * @param failure the exception of the method, to which problems of the release are
	 * added, {@code null} if the method has returned
	 * @return the failure or, without one, the first problem, such as
	 * {@link LockLostException}
	 */
	@Nullable Throwable release(@Nullable Throwable failure) {
		return end(HeldLock::close, failure);
	}

	/**
	 * Release locks under which nothing was done, because another lock was not acquired.
	 * Throws nothing: the caller gets the reason for the release.
	 */
	void abandon() {
		Throwable problem = end(ControlledLock::abandon, null);
		this.acquired.clear();
		if (problem != null) {
			logger.debug("An unused lock could not be released", problem);
		}
	}

	private @Nullable Throwable end(Consumer<HeldLock> release, @Nullable Throwable failure) {
		Throwable first = failure;
		for (int i = this.acquired.size() - 1; i >= 0; i--) {
			try {
				release.accept(this.acquired.get(i));
			}
			catch (RuntimeException | Error problem) {
				if (first == null) {
					first = problem;
				}
				else if (first != problem) {
					first.addSuppressed(problem);
				}
			}
		}
		return first;
	}

	/**
	 * Refuse the result of a method whose locks a running transaction keeps, if one of
	 * them was lost.
	 */
	void checkKept() {
		for (HeldLock lock : this.acquired) {
			if (!lock.isHeld()) {
				throw lost(lock, "while the method ran",
						"Another holder may have run at the same time. Unless the commit guard is switched off, the "
								+ "transaction around it will not commit");
			}
		}
	}

	private static LockLostException lost(HeldLock lock, String when, String consequence) {
		return new LockLostException(lock.key(), lock.fencingToken(), when, lock.lossCause(), consequence, null);
	}

}
