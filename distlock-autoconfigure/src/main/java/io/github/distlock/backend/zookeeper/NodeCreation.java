package io.github.distlock.backend.zookeeper;

import java.util.concurrent.CompletableFuture;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.CuratorEvent;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.data.Stat;

/**
 * Creates the nodes of tickets: by the application's client with its ACLs, and folders if
 * need be. The client repeats what fails, as it was told to by its owner, so there may be
 * several nodes of one ticket in the end, and it may take long; whoever asks for a node
 * looks after that.
 */
final class NodeCreation {

	private static final byte[] NOTHING = {};

	private NodeCreation() {
	}

	/**
	 * Create a node; fails if another session than this one made it.
	 */
	static CompletableFuture<TicketNode> create(CuratorFramework owner, String path, ZooKeeperSession session) {
		CompletableFuture<TicketNode> reply = new CompletableFuture<>();
		try {
			owner.create()
				.storingStatIn(new Stat())
				.creatingParentContainersIfNeeded()
				.withMode(CreateMode.EPHEMERAL_SEQUENTIAL)
				.inBackground((client, event) -> answered(event, session, reply))
				.forPath(path, NOTHING);
		}
		catch (Throwable ex) {
			reply.completeExceptionally(ex);
		}
		return reply;
	}

	private static void answered(CuratorEvent event, ZooKeeperSession session, CompletableFuture<TicketNode> reply) {
		Code code = Code.get(event.getResultCode());
		Stat stat = event.getStat();
		if (code != Code.OK) {
			reply.completeExceptionally(KeeperException.create(code, event.getPath()));
		}
		else if (stat == null || !session.hasId(stat.getEphemeralOwner())) {
			// Made by a session that came after: it is found there.
			reply.completeExceptionally(new KeeperException.SessionExpiredException());
		}
		else {
			reply.complete(TicketNode.created(event.getName(), stat.getCzxid(), session));
		}
	}

}
