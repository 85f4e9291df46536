package io.github.distlock.waiting;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.ReleaseResult;
import org.jspecify.annotations.Nullable;

/**
 * A key, as the sender of its commands and its timer see it. Each method returns what
 * follows from the event.
 */
interface CommandTarget {

	String key();

	/** The store answered an attempt. */
	Effects attemptAnswered(Command.Attempt attempt, AttemptResult result);

	/** The store did not answer an attempt. */
	Effects attemptFailed(Command.Attempt attempt, LockBackendException cause);

	/** The store answered a release, or a cancel, which has no result. */
	Effects releaseAnswered(PendingRelease pending, @Nullable ReleaseResult result);

	/** The store did not answer a release or a cancel. */
	Effects releaseFailed(PendingRelease pending, LockBackendException cause);

	/** An error may have cut short an event of this command. */
	Effects recover(Command command);

	/** The timer fired. */
	Effects timerFired();

	/** An error may have cut short the event of the timer. */
	Effects retryAll();

}
