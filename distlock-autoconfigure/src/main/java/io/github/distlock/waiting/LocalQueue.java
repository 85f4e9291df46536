package io.github.distlock.waiting;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

import io.github.distlock.waiting.Waiter.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * The callers of this JVM that wait for one key, oldest first. Guarded by the entry's
 * lock; whose outcome was decided is kept until somebody without that lock wakes them.
 */
final class LocalQueue {

	private final ArrayDeque<Waiter> waiters = new ArrayDeque<>();

	private @Nullable List<Waiter> decided;

	boolean isEmpty() {
		return this.waiters.isEmpty();
	}

	Waiter first() {
		return this.waiters.getFirst();
	}

	/** Whether all who wait want one answer only. */
	boolean isOnceOnly() {
		return this.waiters.size() == 1 && this.waiters.getFirst().isOnce();
	}

	void add(Waiter waiter) {
		this.waiters.add(waiter);
	}

	/** Decide for one, who waits or not. */
	void decide(Waiter waiter, Outcome outcome) {
		this.waiters.remove(waiter);
		waiter.decide(outcome);
		if (this.decided == null) {
			this.decided = new ArrayList<>(1);
		}
		this.decided.add(waiter);
	}

	/** Decide for those who want one answer only. */
	void decideOnce(Outcome outcome) {
		decideAll(outcome, Waiter::isOnce);
	}

	void decideAll(Outcome outcome) {
		decideAll(outcome, (waiter) -> true);
	}

	private void decideAll(Outcome outcome, Predicate<Waiter> which) {
		if (!this.waiters.isEmpty()) {
			this.waiters.stream().filter(which).toList().forEach((waiter) -> decide(waiter, outcome));
		}
	}

	/** Whom to wake. */
	List<Waiter> takeDecided() {
		List<Waiter> taken = this.decided;
		this.decided = null;
		return (taken != null) ? taken : List.of();
	}

}
