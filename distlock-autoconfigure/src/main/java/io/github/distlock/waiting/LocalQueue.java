package io.github.distlock.waiting;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

import io.github.distlock.waiting.Waiter.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * The waiters of one key in this JVM, oldest first. Guarded by the lock of the
 * {@link KeyQueue}. A waiter whose outcome is decided is kept until it is woken, which
 * happens without that lock.
 */
final class LocalQueue {

	/**
	 * Of all keys that no caller waits for, so that a held lock needs none of its own.
	 * Nothing is ever added to it.
	 */
	static final LocalQueue NONE = new LocalQueue();

	/** Small: most keys have one waiter at a time. */
	private final List<Waiter> waiters = new ArrayList<>(1);

	/** The waiters to wake. From the second one on the list can grow. */
	private List<Waiter> decided = List.of();

	boolean isEmpty() {
		return this.waiters.isEmpty();
	}

	int size() {
		return this.waiters.size();
	}

	Waiter first() {
		return this.waiters.get(0);
	}

	/** Whether there is one waiter, and the next answer of the store ends its wait. */
	boolean onlyTriesOnce() {
		return this.waiters.size() == 1 && first().triesOnce() && !first().isAsking();
	}

	/**
	 * Return the waiter that asks another JVM for the lock. A waiter that tries once does
	 * not wait behind others, so it can only be the oldest.
	 * @return the waiter, or {@code null} if none asks
	 */
	@Nullable Waiter asking() {
		return (!isEmpty() && first().isAsking()) ? first() : null;
	}

	/** Whether this waiter and no other waits. */
	boolean isOnly(Waiter waiter) {
		return this.waiters.size() == 1 && first() == waiter;
	}

	void add(Waiter waiter) {
		this.waiters.add(waiter);
	}

	/** Decide the outcome of a waiter, which may be queued or not, and do not wake it. */
	void decideWithoutWaking(Waiter waiter, Outcome outcome) {
		if (waiter.counts != null) {
			// First: if this fails, the waiter still waits.
			waiter.counts.remove(waiter);
		}
		this.waiters.remove(waiter);
		waiter.decide(outcome);
	}

	/** Decide the outcome of a waiter, which may be queued or not. */
	void decide(Waiter waiter, Outcome outcome) {
		// Allocate first: a waiter that sleeps, is decided and not in this list never
		// wakes.
		if (!waiter.isAwake()) {
			addDecided(waiter);
		}
		decideWithoutWaking(waiter, outcome);
	}

	private void addDecided(Waiter waiter) {
		if (this.decided.isEmpty()) {
			this.decided = List.of(waiter);
		}
		else {
			if (this.decided.size() == 1) {
				this.decided = new ArrayList<>(this.decided);
			}
			this.decided.add(waiter);
		}
	}

	/** Decide the outcome of all waiters that match. */
	void decideAll(Outcome outcome, Predicate<Waiter> filter) {
		matching(filter).forEach((waiter) -> decide(waiter, outcome));
	}

	/** A copy of the waiters that match, oldest first. */
	List<Waiter> matching(Predicate<Waiter> filter) {
		return this.waiters.stream().filter(filter).toList();
	}

	/** The waiters to wake. */
	List<Waiter> decided() {
		return this.decided;
	}

	/** The decided waiters have been passed on to be woken. */
	void clearDecided() {
		this.decided = List.of();
	}

}
