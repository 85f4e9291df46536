package io.github.distlock.backend.redis;

import java.time.Duration;

import io.github.distlock.LockMode;
import io.github.distlock.backend.AttemptOptions;
import io.github.distlock.backend.AttemptResult.Granted;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.Ticket;
import io.github.distlock.contract.Answers;

/**
 * Attempts of the instance {@code a} for a lock that may be kept. The store marks the
 * lock only if the inbox is verified.
 */
final class KeepableAttempts {

	private int numbers;

	/** Take the lock and give it back; returns whether it was marked. */
	boolean isMarked(LockStore store) {
		Ticket ticket = new Ticket("k", LockMode.EXCLUSIVE, "a", ++this.numbers, false);
		boolean marked = Answers.of(store.attempt(ticket, Duration.ofSeconds(5),
				new AttemptOptions(false, true, false))) instanceof Granted granted && granted.keepable();
		Answers.of(store.cancel(ticket));
		return marked;
	}

}
