package io.github.distlock.aop;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.github.distlock.HeldLock;
import io.github.distlock.LockContext;
import kotlin.Unit;
import kotlin.coroutines.AbstractCoroutineContextElement;
import kotlin.coroutines.Continuation;
import kotlin.coroutines.ContinuationInterceptor;
import kotlin.coroutines.CoroutineContext;
import kotlinx.coroutines.CopyableThreadContextElement;
import kotlinx.coroutines.Job;
import kotlinx.coroutines.JobKt;
import kotlinx.coroutines.channels.BufferOverflow;
import kotlinx.coroutines.flow.Flow;
import kotlinx.coroutines.flow.FlowCollector;
import kotlinx.coroutines.flow.FlowKt;
import kotlinx.coroutines.reactive.ReactiveFlowKt;
import kotlinx.coroutines.reactor.ReactorFlowKt;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

import org.springframework.core.CoroutinesUtils;

/**
 * The coroutine that runs a suspending function or collects a {@code Flow} under locks.
 * {@link LockContext} contains the locks on each thread on which the coroutine or one of
 * its children runs. Loaded only if Kotlin's coroutines are on the class path.
 */
final class LockedCoroutine extends AbstractCoroutineContextElement
		implements CopyableThreadContextElement<LockContext.Scope> {

	/** A nested call replaces the element by its own, which contains the outer locks. */
	private static final CoroutineContext.Key<LockedCoroutine> KEY = new CoroutineContext.Key<>() {
	};

	/** Innermost first, with those of outer calls. */
	private final List<HeldLock> locks;

	/**
	 * The attempts that have not ended, usually one. Advice inside of the lock may repeat
	 * the call, also before the job of the previous attempt has completed: a job
	 * completes only after its subscriber, here the advice, has been told its failure.
	 * The thread that starts an attempt adds its job before the first line of the body.
	 * {@link #ended()} reads the jobs after the cancellation and after {@link #begun}:
	 * either the body does not start, or its end is waited for. A dispatcher that has a
	 * thread start the body later lets it read after its job is added whether that is
	 * cancelled. Without one, {@code Dispatchers.Unconfined} starts the body during the
	 * subscription, and reads that <em>before</em> its job is added.
	 */
	private final Collection<Job> attempts;

	/** Whether this is the element of one attempt, not that of the call. */
	private final boolean attempt;

	/** Written before the first line of an attempt, and so before it has children. */
	private boolean added;

	/** Completed when the subscription that may start the body has returned. */
	private final CompletableFuture<Void> begun = new CompletableFuture<>();

	private LockedCoroutine(List<HeldLock> locks, Collection<Job> attempts, boolean attempt) {
		super(KEY);
		this.locks = locks;
		this.attempts = attempts;
		this.attempt = attempt;
	}

	/**
	 * Let the coroutine of a suspending function run under locks.
	 * @param arguments the arguments of the call, whose last one is replaced
	 * @param locks the locks, innermost first
	 */
	static LockedCoroutine continueUnder(List<HeldLock> locks, @Nullable Object[] arguments) {
		LockedCoroutine coroutine = of(locks);
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
		return new LockedCoroutine(locks, new ConcurrentLinkedQueue<>(), false);
	}

	/**
	 * Let the subscription collect a flow in this coroutine, in the context of the
	 * collector. The flow reads whether it is cancelled after its job is added.
	 */
	Publisher<Object> publisher(Object flow) {
		return Flux.deferContextual((context) -> {
			CoroutineContext caller = LockedFlow.collectorContext(context);
			// Only builders of coroutines copy, and a flow is not begun by one.
			LockedCoroutine collection = copyForChild();
			return ReactorFlowKt.asFlux(LockedFlow.publishable((Flow<?>) flow),
					(caller != null) ? caller.plus(collection) : collection);
		});
	}

	/** Called when the subscription to the work has returned. */
	void begun() {
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

	/**
	 * Called for each coroutine: an attempt has an element of its own, which it shares
	 * with its children. These start later and end earlier.
	 */
	@Override
	public LockedCoroutine copyForChild() {
		return this.attempt ? this : new LockedCoroutine(this.locks, this.attempts, true);
	}

	@Override
	public CoroutineContext mergeForChild(CoroutineContext.Element overwritingElement) {
		return overwritingElement;
	}

	@Override
	public LockContext.Scope updateThreadContext(CoroutineContext context) {
		Job own = this.added ? null : context.get(Job.Key);
		if (own != null) {
			this.added = true;
			this.attempts.removeIf(Job::isCompleted);
			this.attempts.add(own);
		}
		return LockContext.openAll(this.locks);
	}

	@Override
	public void restoreThreadContext(CoroutineContext context, LockContext.Scope scope) {
		scope.close();
	}

	/**
	 * Return what completes when the coroutine that was cancelled has ended. Until then
	 * it needs its locks.
	 */
	Mono<Void> ended() {
		return Mono.fromFuture(this.begun, true)
			.thenMany(Flux.fromIterable(this.attempts).flatMap(LockedCoroutine::endOf))
			.then();
	}

	/**
	 * Return the end of the work of a {@code Deferred}. As without the lock, cancelling
	 * the result cancels the work.
	 */
	static Mono<Void> cancelled(Object deferred) {
		Job work = (Job) deferred;
		return Mono.fromRunnable(() -> work.cancel(null)).then(endOf(work));
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

	/**
	 * The flow that callers of a locked method get. It behaves as the flow of the method
	 * does: {@code emit} returns when the collector has processed the element, elements
	 * may be {@code null}, and the flow has the context of its collector, without the
	 * dispatcher. Between them are publishers, which have none of these properties.
	 * Loaded only if Kotlin's coroutines are on the class path.
	 *
	 * @param locked collects the flow of the method under its locks
	 */
	record LockedFlow(Flux<Object> locked) implements Flow<Object> {

		/** A publisher has no element that is {@code null}. */
		private static final Object NULL = new Object();

		@Override
		public @Nullable Object collect(FlowCollector<? super Object> collector,
				Continuation<? super Unit> continuation) {
			// Without its dispatcher: a collector that fails and then blocks the only
			// thread of the dispatcher would keep the flow from cleaning up.
			CoroutineContext caller = continuation.getContext().minusKey(Job.Key).minusKey(ContinuationInterceptor.Key);
			Flux<Object> inContext = this.locked.contextWrite((context) -> context.put(LockedFlow.class, caller));
			// Without a buffer, the next element is requested when this one is processed.
			return FlowKt.buffer(ReactiveFlowKt.asFlow(inContext), 0, BufferOverflow.SUSPEND)
				.collect((element, next) -> collector.emit((element != NULL) ? element : null, next), continuation);
		}

		/**
		 * Return the context of the collector, without its job and its dispatcher.
		 */
		static @Nullable CoroutineContext collectorContext(ContextView context) {
			return context.getOrDefault(LockedFlow.class, null);
		}

		/**
		 * Return the flow of the method as one that can be a publisher. It does not begin
		 * if its collection is already cancelled.
		 */
		static Flow<Object> publishable(Flow<?> flow) {
			return new Publishable(flow);
		}

		/**
		 * A flow without {@code null}.
		 *
		 * @param flow the flow of the method
		 */
		private record Publishable(Flow<?> flow) implements Flow<Object> {

			@Override
			public @Nullable Object collect(FlowCollector<? super Object> collector,
					Continuation<? super Unit> continuation) {
				JobKt.ensureActive(continuation.getContext());
				return this.flow.collect((element, next) -> collector.emit((element != null) ? element : NULL, next),
						continuation);
			}

		}

	}

}
