package io.github.distlock.aop;

import kotlin.Unit;
import kotlin.coroutines.Continuation;
import kotlin.coroutines.ContinuationInterceptor;
import kotlin.coroutines.CoroutineContext;
import kotlinx.coroutines.Job;
import kotlinx.coroutines.JobKt;
import kotlinx.coroutines.channels.BufferOverflow;
import kotlinx.coroutines.flow.Flow;
import kotlinx.coroutines.flow.FlowCollector;
import kotlinx.coroutines.flow.FlowKt;
import kotlinx.coroutines.reactive.ReactiveFlowKt;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.util.context.ContextView;

/**
 * The flow that callers of a locked method get. It behaves as the flow of the method
 * does: {@code emit} returns when the collector has processed the element, elements may
 * be {@code null}, and the flow has the context of its collector, without the dispatcher.
 * Between them are publishers, which have none of these properties. Loaded only if
 * Kotlin's coroutines are on the class path.
 *
 * @param locked collects the flow of the method under its locks
 */
record LockedFlow(Flux<Object> locked) implements Flow<Object> {

	/** A publisher has no element that is {@code null}. */
	private static final Object NULL = new Object();

	@Override
	public @Nullable Object collect(FlowCollector<? super Object> collector, Continuation<? super Unit> continuation) {
		// Not its dispatcher: a collector that fails and then blocks the only thread of
		// the dispatcher would keep the flow from cleaning up.
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
	 * Return the flow of the method as one that can be a publisher. It does not begin if
	 * its collection is already cancelled.
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
