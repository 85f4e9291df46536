package io.github.distlock.waiting;

import java.time.Duration;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.LockStore.Successor;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.waiting.Effects.Command;
import io.github.distlock.waiting.Effects.QueueEvents;

/**
 * The reader that keeps the lock when a writer leaves. It has a queue of its own, whose
 * only attempt is made by the writer's release.
 *
 * @param queue the reader's queue
 * @param attempt the attempt of that queue
 */
record PendingDowngrade(QueueEvents queue, Command.Attempt attempt) {

	Successor successor() {
		return new Successor(this.attempt.ticket(), this.attempt.lease());
	}

	/** The release was answered, usually with a grant for the reader. */
	Effects answered(ReleaseResult result) {
		if (result.next() != null) {
			return this.queue.attemptAnswered(this.attempt, result.next());
		}
		return result.released()
				? unanswered(new LockBackendException("Lock '" + this.attempt.ticket().key()
						+ "' could not be downgraded: the store did not report whether the reader holds it"))
				: refused();
	}

	/** The writer had lost the lock: the store does not know the reader. */
	Effects refused() {
		return this.queue.attemptAnswered(this.attempt, new AttemptResult.Busy(Duration.ZERO));
	}

	/** It is unknown whether the reader was granted the lock: cancel its ticket. */
	Effects unanswered(LockBackendException cause) {
		return this.queue.attemptFailed(this.attempt, cause);
	}

}
