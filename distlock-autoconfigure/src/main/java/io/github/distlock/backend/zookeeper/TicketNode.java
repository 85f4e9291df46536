package io.github.distlock.backend.zookeeper;

/**
 * The node of a ticket, as it was created.
 *
 * @param path where it is, without the client's namespace
 * @param firstToken the first fencing token of the one who holds by it
 * @param session the session that it lives as long as
 */
record TicketNode(String path, long firstToken, ZooKeeperSession session) {

	/** Tokens of a node: those of a grant, and one for a writer that reads on. */
	static final int TOKENS = ZooKeeperBackendSettings.MOST_TOKENS_PER_GRANT + 1;

	/**
	 * A node that was created for its ticket, by a transaction with a higher number than
	 * those of all nodes before.
	 */
	static TicketNode created(String path, long czxid, ZooKeeperSession session) {
		return new TicketNode(path, czxid * TOKENS, session);
	}

	/** A reader's node in the place of this one, below all that stand behind. */
	TicketNode replaced(String other, long lastToken) {
		return new TicketNode(other, Math.max(lastToken, this.firstToken) + 1, this.session);
	}

	/** Its name in its folder. */
	String name() {
		return this.path.substring(this.path.lastIndexOf('/') + 1);
	}

}
