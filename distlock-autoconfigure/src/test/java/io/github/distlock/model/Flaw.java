package io.github.distlock.model;

/** A mistake in the protocol that a search must find. */
enum Flaw {

	/** A release does not check that its ticket holds the lock. */
	RELEASE_WITHOUT_OWNER_CHECK("PUNCTUAL"),

	/** Validity counts from the reply instead of from the sending. */
	VALIDITY_FROM_REPLY("FAULTLESS"),

	/** A renewal writes the value of a lock that has expired. */
	RENEWAL_CREATES("FAULTLESS rounds=2"),

	/** A waiting ticket never attempts again by itself. */
	NO_RETRY_TIMER("PUNCTUAL"),

	/** A grant is published before it is written. */
	PUBLISH_BEFORE_WRITE("PUNCTUAL"),

	/** A cancelled ticket that holds the lock does not release it. */
	CANCEL_FORGETS_GRANT("PUNCTUAL"),

	/** A ticket with an unanswered attempt is cancelled only once. */
	NO_SECOND_CANCEL("PUNCTUAL faults=1 kinds=COPY"),

	/**
	 * A grant message for a ticket that leaves is taken for that of an unknown ticket.
	 */
	LEAVING_TICKET_UNKNOWN("PUNCTUAL threads=2 giveUps=0 faults=1 kinds=REPLY_LOST"),

	/** An attempt that follows a release has the ticket of that release. */
	TICKET_REUSED("BACKGROUND faults=1 kinds=REPLY_LOST"),

	/** A release that was not answered is not repeated. */
	RELEASE_NOT_REPEATED("BACKGROUND faults=1 kinds=COMMAND_LOST"),

	/** A ticket that a release queues leaves before that release is answered. */
	SUCCESSOR_LEAVES_EARLY("SUCCESSOR faults=1 kinds=BROKEN_CONNECTION giveUps=1"),

	/** The next attempt overtakes the release, because the connection keeps no order. */
	ATTEMPT_OVERTAKES_RELEASE("BACKGROUND faults=0"),

	/** A script attempts although the native release before it is not answered. */
	SCRIPT_BEHIND_NATIVE_RELEASE("NATIVE faults=0 attemptsBehindRelease=true"),

	/** A native release does not compare the value. */
	NATIVE_RELEASE_UNCHECKED("NATIVE faults=0"),

	/** A native release compares the value, except for its first byte. */
	NATIVE_RELEASE_IGNORES_MARK("NATIVE faults=0"),

	/** A native attempt replaces any tombstone, with the token after a remembered one. */
	ANY_TOMBSTONE_TAKEN("NATIVE faults=0 rounds=3"),

	/** A native release writes the tombstone again that its grant has replaced. */
	TOMBSTONE_RESTORED("NATIVE faults=1 kinds=COPY"),

	/** A JVM hands the lock off for as long as its grant has tokens. */
	TURN_WITHOUT_END("TURNS"),

	/** The ticket that a release queues is granted the lock before those that wait. */
	SUCCESSOR_GRANTED_FIRST("TURNS tokensPerGrant=1 handOffs=1"),

	/** A queued ticket does not change the first byte of the lock's value. */
	QUEUED_WITHOUT_MARK("PUNCTUAL"),

	/** A hand-off does not check the validity of the grant. */
	HAND_OFF_WITHOUT_VALIDITY("FAULTLESS threads=2"),

	/** A waiting ticket attempts again at once. */
	WAITER_SPINS("FAULTLESS slowTicks=0"),

	/** A cancelled ticket stays in its entry. */
	ENTRY_LEAKS("PUNCTUAL"),

	/** A grant in a reply is not checked for having ended. */
	OWN_GRANT_UNCHECKED("FAULTLESS slowTicks=3"),

	/** A grant by message is not checked for having ended. */
	MESSAGE_UNCHECKED("FAULTLESS slowTicks=2 rounds=2"),

	/** A JVM that gets no messages is never queued. */
	POLLER_NOT_QUEUED("DEAF faults=0"),

	/** A JVM that gets no messages is skipped as dead. */
	POLLER_COUNTED("DEAF_TURNS"),

	/** A JVM that gets no messages asks less often than its grants last. */
	POLLER_ASKS_RARELY("DEAF_TURNS");

	/** The settings with which a search finds it, as in {@link Searches}. */
	final String search;

	Flaw(String search) {
		this.search = search;
	}

}
