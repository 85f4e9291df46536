package io.github.distlock.backend.zookeeper;

/**
 * A node of a ticket.
 *
 * @param path its path without the client's namespace
 * @param firstToken the first fencing token of a grant by this node
 * @param session the session that created the node, and whose end removes it
 */
record TicketNode(String path, long firstToken, ZooKeeperSession session) {

	/**
	 * The distance between the tokens of two transactions. It must never change, so that
	 * tokens rise over versions.
	 */
	private static final int TOKENS = ZooKeeperBackendSettings.MOST_TOKENS_PER_GRANT + 1;

	/**
	 * The first token of a grant by a node. The number of the transaction that created
	 * the node is higher than that of each earlier node, and so are its tokens.
	 */
	static long firstToken(long czxid) {
		return czxid * TOKENS;
	}

	/** The name of the node in its folder. */
	String name() {
		return this.path.substring(this.path.lastIndexOf('/') + 1);
	}

	/** The number that the folder gave to the node; it may have overflowed. */
	int number() {
		return NodeQueue.number(name());
	}

}
