package io.github.distlock.backend.zookeeper;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;

import io.github.distlock.backend.Grant;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.Validity;
import io.github.distlock.backend.zookeeper.AsyncZooKeeper.NodeContent;
import org.jspecify.annotations.Nullable;

/**
 * What this JVM knows about one of its tickets: the node, and the commands under way.
 * <ol>
 * <li>A creation is started, and completes with the node. While it is under way, and when
 * its reply was lost, nodes may exist that are not known.
 * <li>The ticket holds the lock from when its node is known to be the first.
 * <li>The ticket is abandoned. That is final: the ticket cannot become the holder any
 * more, and {@link ZooKeeperTickets} deletes each of its nodes, however long that takes.
 * </ol>
 * The state is written under a lock, which is never held while a command is sent or
 * awaited.
 */
final class ZooKeeperTicket {

	private final Ticket ticket;

	private final KeyFolder folder;

	private final ReentrantLock lock = new ReentrantLock();

	/** Guarded by {@link #lock} for writing. */
	private volatile @Nullable TicketNode node;

	/** The last creation of a node. Guarded by {@link #lock} for writing. */
	private volatile @Nullable CompletableFuture<TicketNode> creation;

	/** Guarded by {@link #lock} for writing. */
	private volatile boolean mayHaveUnknownNodes;

	/** The last deletion of all nodes. Guarded by {@link #lock}. */
	private @Nullable CompletableFuture<Boolean> deletion;

	/** Guarded by {@link #lock}. */
	private boolean deletionSent;

	/** Guarded by {@link #lock} for writing. */
	private volatile boolean held;

	/** Guarded by {@link #lock} for writing. */
	private volatile boolean abandoned;

	/** Never reset. */
	private volatile boolean queued;

	private volatile @Nullable String watchedPath;

	ZooKeeperTicket(Ticket ticket, KeyFolder folder) {
		this.ticket = ticket;
		this.folder = folder;
	}

	Ticket ticket() {
		return this.ticket;
	}

	KeyFolder keyFolder() {
		return this.folder;
	}

	/** The path of the key's folder. */
	String folder() {
		return this.folder.path();
	}

	@Nullable TicketNode node() {
		return this.node;
	}

	/** The node, if the session created it. */
	@Nullable TicketNode nodeIn(ZooKeeperSession session) {
		TicketNode current = this.node;
		return (current != null && current.session() == session) ? current : null;
	}

	boolean isHeld() {
		return this.held;
	}

	/**
	 * Whether the ticket holds the lock by a node of a session and certainly has no other
	 * node, so that one deletion releases it.
	 */
	boolean isHeldByOneNode(ZooKeeperSession session) {
		this.lock.lock();
		try {
			CompletableFuture<TicketNode> current = this.creation;
			return this.held && !this.abandoned && nodeIn(session) != null && !this.mayHaveUnknownNodes
					&& (current == null || current.isDone());
		}
		finally {
			this.lock.unlock();
		}
	}

	boolean isAbandoned() {
		return this.abandoned;
	}

	/** Whether the ticket waits in the queue until it is granted the lock. */
	boolean isQueued() {
		return this.queued;
	}

	void queue() {
		this.queued = true;
	}

	/** The path of the predecessor's node, if it is watched. */
	@Nullable String watchedPath() {
		return this.watchedPath;
	}

	void setWatchedPath(String path) {
		this.watchedPath = path;
	}

	/**
	 * Start the creation of a node, unless there is a node of this session or a creation
	 * is under way.
	 */
	NodeCreation startCreation(ZooKeeperSession session) {
		this.lock.lock();
		try {
			TicketNode existing = nodeIn(session);
			if (existing != null) {
				return new NodeCreation(CompletableFuture.completedFuture(existing), false, false);
			}
			CompletableFuture<TicketNode> current = this.creation;
			if (current != null && !current.isDone()) {
				return new NodeCreation(current, false, false);
			}
			NodeCreation started = new NodeCreation(new CompletableFuture<>(), true, this.mayHaveUnknownNodes);
			this.creation = started.reply();
			this.mayHaveUnknownNodes = true;
			return started;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * The node has been created.
	 * @param only whether the ticket certainly has no other node
	 */
	void created(TicketNode created, boolean only) {
		this.lock.lock();
		try {
			this.node = created;
			this.mayHaveUnknownNodes = !only;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * A node of this ticket does not exist any more.
	 * @return whether the ticket held the lock by it
	 */
	boolean removed(TicketNode removed) {
		this.lock.lock();
		try {
			boolean wasHeld = this.held && this.node == removed;
			if (this.node == removed) {
				this.node = null;
				this.held = false;
			}
			return wasHeld;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * A node is the first in the queue. Has no effect if the node was removed meanwhile.
	 * @return whether the ticket holds the lock by it now: not if it was abandoned
	 */
	boolean hold(TicketNode first) {
		this.lock.lock();
		try {
			if (this.node == first) {
				this.held = !this.abandoned;
			}
			return this.held && this.node == first;
		}
		finally {
			this.lock.unlock();
		}
	}

	/** A reader's grant has one token, since it is never handed on in this JVM. */
	Grant grant(TicketNode heldNode, int tokensPerGrant) {
		long first = heldNode.firstToken();
		return new Grant(first, this.ticket.isReader() ? first : first + tokensPerGrant - 1,
				Validity.session(heldNode.session()));
	}

	void abandon() {
		this.lock.lock();
		try {
			this.abandoned = true;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Abandon the ticket and start the deletion of its nodes, unless a deletion is under
	 * way or has succeeded.
	 * @return the given deletion, or the earlier one that makes it unnecessary
	 */
	CompletableFuture<Boolean> startDeletion(CompletableFuture<Boolean> newDeletion) {
		this.lock.lock();
		try {
			this.abandoned = true;
			CompletableFuture<Boolean> current = this.deletion;
			if (current != null && !current.isCompletedExceptionally()) {
				return current;
			}
			this.deletion = newDeletion;
			return newDeletion;
		}
		finally {
			this.lock.unlock();
		}
	}

	/** The last creation of a node, completed or not. */
	@Nullable CompletableFuture<TicketNode> creation() {
		return this.creation;
	}

	/** Whether nodes may exist that are not known. */
	boolean mayHaveUnknownNodes() {
		return this.mayHaveUnknownNodes;
	}

	/**
	 * Remember that the deletion of the node is sent.
	 * @return whether it was sent before: then a missing node may have been deleted by
	 * that command, whose reply was lost
	 */
	boolean markDeletionSent() {
		this.lock.lock();
		try {
			boolean before = this.deletionSent;
			this.deletionSent = true;
			return before;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * A creation of the ticket's node.
	 *
	 * @param reply completes with the node
	 * @param isNew whether the caller has to send the creation
	 * @param searchFirst whether the caller has to search for a node that an earlier
	 * creation may have left
	 */
	record NodeCreation(CompletableFuture<TicketNode> reply, boolean isNew, boolean searchFirst) {
	}

	/**
	 * A node of a ticket.
	 *
	 * @param path its path without the client's namespace
	 * @param firstToken the first fencing token of a grant by this node
	 * @param session the session that created the node, and whose end removes it
	 */
	record TicketNode(String path, long firstToken, ZooKeeperSession session) {

		/**
		 * The distance between the tokens of two transactions. It must never change, so
		 * that tokens rise over versions.
		 */
		static final int TOKENS = ZooKeeperBackendSettings.MOST_TOKENS_PER_GRANT + 1;

		/**
		 * A node that was created in the queue. Its transaction number is higher than
		 * that of each earlier node, and so are its tokens.
		 */
		static TicketNode created(String path, long czxid, ZooKeeperSession session) {
			return new TicketNode(path, czxid * TOKENS, session);
		}

		/** The first token of a grant by a node, as any JVM reads it from the server. */
		static long firstToken(NodeContent node) {
			return node.stat().getCzxid() * TOKENS;
		}

		/** The number that the folder gave to the node; it may have overflowed. */
		int number() {
			return NodeQueue.sequence(name());
		}

		/** The name of the node in its folder. */
		String name() {
			return this.path.substring(this.path.lastIndexOf('/') + 1);
		}

	}

}
