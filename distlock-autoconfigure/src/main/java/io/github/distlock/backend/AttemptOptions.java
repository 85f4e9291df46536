package io.github.distlock.backend;

/**
 * What an attempt asks of the store besides the lock.
 *
 * @param queue whether to queue the ticket if it is not granted the lock
 * @param keepable whether this JVM may keep the lock after its release, for its own next
 * caller. A store that keeps locks marks such a grant, so that a ticket which has to wait
 * for it asks this JVM for the lock
 * @param answerWanted whether the JVM that is asked for the lock because of this ticket
 * shall say so if it does not give the lock back at once
 */
public record AttemptOptions(boolean queue, boolean keepable, boolean answerWanted) {

	/**
	 * Options of an attempt whose lock is not kept, and which needs no answer.
	 * @param queue whether to queue the ticket
	 * @return the options
	 */
	public static AttemptOptions queue(boolean queue) {
		return new AttemptOptions(queue, false, false);
	}

}
