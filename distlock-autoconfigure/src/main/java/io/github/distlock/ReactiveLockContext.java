package io.github.distlock;

import java.util.List;
import java.util.Objects;

import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

/**
 * Gives access to the locks under which the current reactive work runs:
 * {@link LockContext} for code that composes {@code Mono} and {@code Flux}, on any
 * thread. Requires reactor-core.
 */
public final class ReactiveLockContext {

	private ReactiveLockContext() {
	}

	/**
	 * Return the innermost lock in the context of the subscriber. If that context
	 * contains no entry for locks, the locks of the subscribing thread apply.
	 * @return the lock, or nothing outside of an annotated method
	 */
	public static Mono<HeldLock> current() {
		return Mono.deferContextual((context) -> Mono.justOrEmpty(all(context).stream().findFirst()));
	}

	/**
	 * Return all locks in the context of a subscriber.
	 * @param context the context of the subscriber
	 * @return an unmodifiable list, innermost lock first
	 */
	public static List<HeldLock> all(ContextView context) {
		return Objects.requireNonNull(context.getOrDefault(LockContext.CONTEXT_KEY, LockContext.all()));
	}

}
