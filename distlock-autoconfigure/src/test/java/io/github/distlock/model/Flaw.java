package io.github.distlock.model;

/** A mistake in the protocol that a search must find. */
enum Flaw {

	/** A release does not check that its ticket holds the lock. */
	RELEASE_WITHOUT_OWNER_CHECK,

	/** Validity counts from the reply instead of from the sending. */
	VALIDITY_FROM_REPLY,

	/** A renewal writes the word of a lock that has expired. */
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

	/** A queued ticket does not change the first byte of the lock's word. */
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
	MESSAGE_UNCHECKED

}
