package io.github.distlock.aop;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.github.distlock.HeldLock;
import io.github.distlock.LockContext;
import kotlin.Unit;
import kotlin.coroutines.AbstractCoroutineContextElement;
import kotlin.coroutines.Continuation;
import kotlin.coroutines.CoroutineContext;
import kotlinx.coroutines.Job;
import kotlinx.coroutines.ThreadContextElement;
import kotlinx.coroutines.flow.Flow;
import kotlinx.coroutines.reactor.ReactorFlowKt;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.core.CoroutinesUtils;

/**
 * The coroutine that runs a suspending function or collects a {@code Flow} under locks.
 * {@link LockContext} contains the locks on each thread on which the coroutine or one of
 * its children runs. Loaded only if Kotlin's coroutines are on the class path.
 */
final class LockedCoroutine extends AbstractCoroutineContextElement
		implements ThreadContextElement<LockContext.Scope>, WorkEnd {

	/** A nested call replaces the element by its own, which contains the outer locks. */
	private static final CoroutineContext.Key<LockedCoroutine> KEY = new CoroutineContext.Key<>() {
	};

	/** Innermost first, with those of outer calls. */
	private final List<HeldLock> locks;

	/**
	 * Written by the thread that starts the coroutine, before the first line of the body;
	 * again if advice inside of the lock repeats the call, after the end of the first
	 * coroutine. {@link #ended()} reads it after the cancellation and after
	 * {@link #begun}: either the body does not start, or its end is waited for. A
	 * dispatcher that has a thread start the body later lets it read after this field
	 * whether the job is cancelled. Without one, {@code Dispatchers.Unconfined} starts
	 * the body during the subscription, and reads that <em>before</em> this field is
	 * written.
	 */
	private volatile @Nullable Job job;

	/** Completed when the subscription that may start the body has returned. */
	private final CompletableFuture<Void> begun = new CompletableFuture<>();

	private LockedCoroutine(List<HeldLock> locks) {
		super(KEY);
		this.locks = locks;
	}

	/**
	 * Let the coroutine of a suspending function run under locks.
	 * @param arguments the arguments of the call, whose last one is replaced
	 * @param locks the locks, innermost first
	 * @return the end of the coroutine
	 */
	static WorkEnd continueUnder(List<HeldLock> locks, @Nullable Object[] arguments) {
		LockedCoroutine coroutine = new LockedCoroutine(locks);
		if (arguments[arguments.length - 1] instanceof Continuation<?> caller) {
			arguments[arguments.length - 1] = new LockedContinuation<>(caller, caller.getContext().plus(coroutine));
		}
		return coroutine;
	}

	/**
	 * Let the coroutine that collects a flow run under locks.
	 * @param locks the locks, innermost first
	 * @return its result is the flow to collect, and it knows the end of the coroutine
	 */
	static LockedCoroutine of(List<HeldLock> locks) {
		return new LockedCoroutine(locks);
	}

	/**
	 * Let the subscription collect a flow in this coroutine, in the context of the
	 * collector. The flow reads whether it is cancelled after {@link #job} is written.
	 */
	Publisher<Object> publisher(Object flow) {
		return Flux.deferContextual((context) -> {
			CoroutineContext caller = LockedFlow.collectorContext(context);
			return ReactorFlowKt.asFlux(LockedFlow.publishable((Flow<?>) flow),
					(caller != null) ? caller.plus(this) : this);
		});
	}

	@Override
	public void begun() {
		this.begun.complete(null);
	}

	/**
	 * Invoke a method of a bean on behalf of a suspending function.
	 * @param method a suspending function or an ordinary method
	 * @param target the bean
	 * @param continuation the continuation of the suspending function
	 * @param arguments the arguments without a continuation
	 * @return the value, or the publisher of a suspending function
	 */
	static @Nullable Object invoke(Method method, @Nullable Object target, @Nullable Object continuation,
			@Nullable Object[] arguments) throws InvocationTargetException, IllegalAccessException {
		if (!SuspendingFunction.is(method) || !(continuation instanceof Continuation<?> caller)) {
			return method.invoke(target, arguments);
		}
		return CoroutinesUtils.invokeSuspendingFunction(caller.getContext().minusKey(Job.Key), method, target,
				Arrays.copyOf(arguments, arguments.length + 1));
	}

	@Override
	public LockContext.Scope updateThreadContext(CoroutineContext context) {
		Job known = this.job;
		if (known == null || known.isCompleted()) {
			// Children start later and end earlier, inside of this coroutine.
			this.job = context.get(Job.Key);
		}
		return LockContext.openAll(this.locks);
	}

	@Override
	public void restoreThreadContext(CoroutineContext context, LockContext.Scope scope) {
		scope.close();
	}

	@Override
	public Mono<Void> ended() {
		return Mono.fromFuture(this.begun, true).then(Mono.defer(this::jobEnded));
	}

	private Mono<Void> jobEnded() {
		Job started = this.job;
		return (started != null) ? endOf(started) : Mono.empty();
	}

	/**
	 * Return the end of the work of a {@code Deferred}. As without the lock, cancelling
	 * the result cancels the work.
	 */
	static WorkEnd cancelled(Object deferred) {
		Job work = (Job) deferred;
		return () -> Mono.fromRunnable(() -> work.cancel(null)).then(endOf(work));
	}

	private static Mono<Void> endOf(Job work) {
		return Mono.create((sink) -> work.invokeOnCompletion((cause) -> {
			sink.success();
			return Unit.INSTANCE;
		}));
	}

	/**
	 * The continuation of the caller with another context. Spring's invocation of the
	 * function only reads the context.
	 */
	private record LockedContinuation<T>(Continuation<T> caller, CoroutineContext context) implements Continuation<T> {

		@Override
		public CoroutineContext getContext() {
			return this.context;
		}

		@Override
		public void resumeWith(Object result) {
			this.caller.resumeWith(result);
		}

	}

}
