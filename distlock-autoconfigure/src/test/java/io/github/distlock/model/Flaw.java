package io.github.distlock.model;

/** A mistake in the protocol that a search must find. */
enum Flaw {

	/** A release does not check that its ticket holds the lock. */
	RELEASE_WITHOUT_OWNER_CHECK,

	/** Validity counts from the reply instead of from the sending. */
	VALIDITY_FROM_REPLY,

	/** A renewal writes the value of a lock that has expired. */
	RENEWAL_CREATES,

	/** A waiting ticket never attempts again by itself. */
	NO_RETRY_TIMER,

	/** A grant is published before it is written. */
	PUBLISH_BEFORE_WRITE,

	/** A cancelled ticket that holds the lock does not release it. */
	CANCEL_FORGETS_GRANT,

	/** A ticket with an unanswered attempt is cancelled only once. */
	NO_SECOND_CANCEL,

	/**
	 * A grant message for a ticket that leaves is taken for that of an unknown ticket.
	 */
	LEAVING_TICKET_UNKNOWN,

	/** An attempt that follows a release has the ticket of that release. */
	TICKET_REUSED,

	/** A release that was not answered is not repeated. */
	RELEASE_NOT_REPEATED,

	/** A ticket that a release queues leaves before that release is answered. */
	SUCCESSOR_LEAVES_EARLY,

	/** The next attempt overtakes the release, because the connection keeps no order. */
	ATTEMPT_OVERTAKES_RELEASE,

	/** A script attempts although the native release before it is not answered. */
	SCRIPT_BEHIND_NATIVE_RELEASE,

	/** A native release does not compare the value. */
	NATIVE_RELEASE_UNCHECKED,

	/** A native release compares the value, except for its first byte. */
	NATIVE_RELEASE_IGNORES_MARK,

	/** A native attempt replaces any tombstone, with the token after a remembered one. */
	ANY_TOMBSTONE_TAKEN,

	/** A native release writes the tombstone again that its grant has replaced. */
	TOMBSTONE_RESTORED,

	/** A JVM hands the lock off for as long as its grant has tokens. */
	TURN_WITHOUT_END,

	/** The ticket that a release queues is granted the lock before those that wait. */
	SUCCESSOR_GRANTED_FIRST,

	/** A queued ticket does not change the first byte of the lock's value. */
	QUEUED_WITHOUT_MARK,

	/** A hand-off does not check the validity of the grant. */
	HAND_OFF_WITHOUT_VALIDITY,

	/** A waiting ticket attempts again at once. */
	WAITER_SPINS,

	/** A cancelled ticket stays in its entry. */
	ENTRY_LEAKS,

	/** A grant in a reply is not checked for having ended. */
	OWN_GRANT_UNCHECKED,

	/** A grant by message is not checked for having ended. */
	MESSAGE_UNCHECKED,

	/** A keeper ignores that another JVM asks for the lock. */
	REQUEST_IGNORED,

	/** A waiter asks for a kept lock only once. */
	REQUESTED_ONCE,

	/** A request releases the lock although a thread holds it. */
	RELEASED_WHILE_HELD,

	/** A holder forgets that another JVM has asked for the lock. */
	KEPT_AFTER_REQUEST,

	/** A grant that came with waiters is kept. */
	KEPT_WITH_WAITERS,

	/** The value of the next owner has the mark of the last one. */
	KEEPABLE_COPIED,

	/** A kept lock is entered although its grant may have ended. */
	KEPT_WITHOUT_VALIDITY,

	/** A kept lock is entered with tokens that its grant does not have. */
	KEPT_BEYOND_TOKENS,

	/** Nothing ends the time of keeping. */
	KEPT_FOR_EVER,

	/** The JVM forgets a kept lock without releasing it. */
	KEPT_GRANT_FORGOTTEN,

	/** A kept lock is entered although its release has been sent. */
	KEPT_WHILE_RELEASED,

	/** A grant message for a kept ticket is taken for that of an unknown ticket. */
	KEPT_TICKET_UNKNOWN,

	/** A lock is kept although requests for it may have been lost. */
	KEPT_AFTER_RECONNECT,

	/** A lock is kept by a JVM that has shut down. */
	KEPT_AT_SHUTDOWN,

	/** A try does not ask for a lock that is only kept. */
	TRY_WITHOUT_REQUEST,

	/** A keeper refuses a lock that no thread holds. */
	REFUSED_WHILE_KEPT

}
