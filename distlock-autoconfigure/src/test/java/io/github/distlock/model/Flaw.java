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

	/** A keeper ignores that another JVM asks for the lock. */
	REQUEST_IGNORED("KEPT_FAULTLESS"),

	/** A waiter asks for a kept lock only once. */
	REQUESTED_ONCE("KEPT_PUNCTUAL keepTicks=9 faults=1 kinds=MESSAGE_LOST giveUps=0 maxKeptTicks=1"),

	/** A request releases the lock although a thread holds it. */
	RELEASED_WHILE_HELD("KEPT_FAULTLESS"),

	/** A holder forgets that another JVM has asked for the lock. */
	KEPT_AFTER_REQUEST("KEPT_FAULTLESS"),

	/** A grant that came with waiters is kept. */
	KEPT_WITH_WAITERS("KEPT_FAULTLESS rounds=2 tokensPerGrant=3 jvms=3", false),

	/** The value of the next owner has the mark of the last one. */
	KEEPABLE_COPIED("KEPT_FAULTLESS"),

	/** A kept lock is entered although its grant may have ended. */
	KEPT_WITHOUT_VALIDITY("KEPT_FAULTLESS keepTicks=9 rounds=2 tokensPerGrant=3"),

	/** A kept lock is entered with tokens that its grant does not have. */
	KEPT_BEYOND_TOKENS("KEPT_FAULTLESS rounds=3"),

	/** Nothing ends the time of keeping. */
	KEPT_FOR_EVER("KEPT_FAULTLESS"),

	/** The JVM forgets a kept lock without releasing it. */
	KEPT_GRANT_FORGOTTEN("KEPT_FAULTLESS"),

	/** A kept lock is entered although its release has been sent. */
	KEPT_WHILE_RELEASED("KEPT_FAULTLESS rounds=2 tokensPerGrant=3"),

	/** A grant message for a kept ticket is taken for that of an unknown ticket. */
	KEPT_TICKET_UNKNOWN("KEPT_FAULTLESS keepTicks=9 slowTicks=2 rounds=2 tokensPerGrant=3 maxKeptTicks=9", false),

	/** A lock is kept although requests for it may have been lost. */
	KEPT_AFTER_RECONNECT("KEPT_PUNCTUAL keepTicks=9 faults=1 kinds=INBOX_LOST giveUps=0"),

	/** A lock is kept by a JVM that has shut down. */
	KEPT_AT_SHUTDOWN("KEPT_FAULTLESS keepTicks=9 shutdowns=1"),

	/** A try does not ask for a lock that is only kept. */
	TRY_WITHOUT_REQUEST("KEPT_FAULTLESS tries=1"),

	/** A keeper refuses a lock that no thread holds. */
	REFUSED_WHILE_KEPT("KEPT_FAULTLESS tries=1");

	private final String search;

	private final boolean quick;

	Flaw(String search) {
		this(search, true);
	}

	Flaw(String search, boolean quick) {
		this.search = search;
		this.quick = quick;
	}

	/** The settings with which a search finds it, as in {@link Searches}. */
	String search() {
		return this.search;
	}

	boolean isFoundQuickly() {
		return this.quick;
	}

}
