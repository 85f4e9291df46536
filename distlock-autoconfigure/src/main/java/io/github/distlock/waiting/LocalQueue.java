package io.github.distlock.waiting;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;

import io.github.distlock.waiting.Waiter.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * The callers of this JVM that wait for one key, oldest first. Guarded by the queue's
 * lock; whose outcome was decided is kept until somebody without that lock wakes them.
 * <p>
 * Most keys have one caller at a time: there is a deque only once there were two, and
 * until nobody waits any more.
 */
final class LocalQueue {

	/** The oldest; {@code null} if nobody waits, and then there are no others. */
	private @Nullable Waiter oldest;

	private @Nullable ArrayDeque<Waiter> others;

	private @Nullable List<Waiter> decided;

	boolean isEmpty() {
		return this.oldest == null;
	}

	int size() {
		int later = (this.others != null) ? this.others.size() : 0;
		return (this.oldest != null) ? 1 + later : 0;
	}

	Waiter first() {
		return Objects.requireNonNull(this.oldest, "nobody waits");
	}

	/** Whether all who wait want one answer only. */
	boolean isOnceOnly() {
		return this.oldest != null && this.oldest.isOnce() && (this.others == null || this.others.isEmpty());
	}

	/** Whether this one waits and no other. */
	boolean isOnly(Waiter waiter) {
		return this.oldest == waiter && (this.others == null || this.others.isEmpty());
	}

	void add(Waiter waiter) {
		if (this.oldest == null) {
			this.oldest = waiter;
			return;
		}
		if (this.others == null) {
			this.others = new ArrayDeque<>();
		}
		this.others.add(waiter);
	}

	/** Decide for one, which waits or not, and which is not to be woken yet. */
	void decideQuietly(Waiter waiter, Outcome outcome) {
		remove(waiter);
		waiter.decide(outcome);
	}

	/** Decide for one, which waits or not. */
	void decide(Waiter waiter, Outcome outcome) {
		if (this.decided == null) {
			this.decided = new ArrayList<>(1);
		}
		// First what needs memory: one that was decided and is not here never wakes.
		this.decided.add(waiter);
		decideQuietly(waiter, outcome);
	}

	/** Decide for all of a kind. */
	void decideAll(Outcome outcome, Predicate<Waiter> which) {
		ofKind(which).forEach((waiter) -> decide(waiter, outcome));
	}

	/** Those of a kind that wait now, oldest first. */
	List<Waiter> ofKind(Predicate<Waiter> which) {
		if (this.oldest == null) {
			return List.of();
		}
		List<Waiter> all = new ArrayList<>();
		all.add(this.oldest);
		if (this.others != null) {
			all.addAll(this.others);
		}
		all.removeIf(which.negate());
		return all;
	}

	private void remove(Waiter waiter) {
		if (waiter != this.oldest) {
			if (this.others != null) {
				this.others.remove(waiter);
			}
			return;
		}
		this.oldest = (this.others != null) ? this.others.poll() : null;
		if (this.oldest == null) {
			this.others = null;
		}
	}

	/** Whom to wake. */
	List<Waiter> decided() {
		return (this.decided != null) ? this.decided : List.of();
	}

	/** All that were decided are woken. */
	void clearDecided() {
		this.decided = null;
	}

}
