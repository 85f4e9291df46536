package io.github.distlock.backend.zookeeper;

/**
 * The node of a ticket, as it was created.
 *
 * @param path where it is, without the client's namespace
 * @param czxid the transaction that created it: higher than those of all nodes before
 * @param session the session that it lives as long as
 */
record TicketNode(String path, long czxid, ZooKeeperSession session) {

	/** Its name in its folder. */
	String name() {
		return this.path.substring(this.path.lastIndexOf('/') + 1);
	}

}
