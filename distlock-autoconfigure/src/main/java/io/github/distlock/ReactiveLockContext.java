package io.github.distlock;

import java.util.List;

import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

/**
 * The lock under which the current reactive work runs: {@link LockContext} for those who
 * compose {@code Mono} and {@code Flux}, whatever thread they run on. Needs reactor-core.
 */
public final class ReactiveLockContext {

	private ReactiveLockContext() {
	}

	/**
	 * Return the innermost lock, as the subscriber's context says. A subscriber whose
	 * context says nothing of locks runs under those of its thread.
	 * @return the lock, or nothing outside of an annotated method
	 */
	public static Mono<HeldLock> current() {
		return Mono.deferContextual((context) -> Mono.justOrEmpty(all(context).stream().findFirst()));
	}

	/**
	 * Return all locks, as a subscriber's context says.
	 * @param context the context of the subscriber
	 * @return the locks, the innermost first; unmodifiable
	 */
	public static List<HeldLock> all(ContextView context) {
		List<HeldLock> travelled = context.getOrDefault(LockContext.CONTEXT_KEY, null);
		return (travelled != null) ? travelled : LockContext.all();
	}

}
