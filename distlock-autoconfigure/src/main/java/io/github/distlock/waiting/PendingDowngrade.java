package io.github.distlock.waiting;

import java.time.Duration;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.LockStore.Successor;
import io.github.distlock.backend.ReleaseResult;

/**
 * Who keeps the lock as a reader when a writer leaves: a queue of its own, whose one
 * attempt is made by the writer's release.
 *
 * @param queue the reader's queue
 * @param attempt what it has to send
 */
record PendingDowngrade(CommandTarget queue, Command.Attempt attempt) {

	Successor successor() {
		return new Successor(this.attempt.ticket(), this.attempt.lease());
	}

	/** The release was answered: at best with a grant. */
	Effects answered(ReleaseResult result) {
		if (result.next() != null) {
			return this.queue.attemptAnswered(this.attempt, result.next());
		}
		return result.released() ? unanswered(new LockBackendException(
				"The store did not say whether the writer of lock '" + this.attempt.ticket().key() + "' still reads"))
				: refused();
	}

	/** The writer had lost the lock: the store knows nothing of the reader. */
	Effects refused() {
		return this.queue.attemptAnswered(this.attempt, new AttemptResult.Busy(Duration.ZERO));
	}

	/** Whether the reader was granted the lock cannot be said: it is cancelled. */
	Effects unanswered(LockBackendException cause) {
		return this.queue.attemptFailed(this.attempt, cause);
	}

}
