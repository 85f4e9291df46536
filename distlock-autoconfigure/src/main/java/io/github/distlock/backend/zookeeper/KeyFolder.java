package io.github.distlock.backend.zookeeper;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.backend.zookeeper.ZooKeeperTicket.TicketNode;
import org.jspecify.annotations.Nullable;

/**
 * What this JVM knows about the queue of a key, so that a ticket need not ask whether its
 * node is the first.
 *
 * <h2>Why a node is the first without a list</h2> A folder numbers its nodes in steps of
 * one, in the order of their creation. This JVM remembers a number up to which no node of
 * a ticket is left: an exclusive ticket was the first in a list, so all nodes before its
 * own were gone; and then its own was deleted. If the next node of this JVM has the next
 * number, no node is before it. Each other node, of any JVM, takes a number, so that the
 * next number of this JVM is a later one and the folder is listed.
 * <p>
 * No node comes back. But the numbers of a folder that is created anew begin again.
 * Therefore the folder is watched. The client receives the event of its removal before
 * the reply to any later command, and forgets what it knows. It also forgets it when the
 * connection is lost, because a watch sends nothing then.
 */
final class KeyFolder {

	private final String path;

	private final ReentrantLock lock = new ReentrantLock();

	/**
	 * The nodes of this JVM by number, each from the reply to its creation until its
	 * deletion is certain. After the end of a session it may name a node that the ticket
	 * no longer has, see {@link #isKnown}. Guarded by {@link #lock}.
	 */
	private final Map<Integer, ZooKeeperTicket> own = new HashMap<>();

	/** The same by ticket. Guarded by {@link #lock}. */
	private final Map<ZooKeeperTicket, TicketNode> ownNodes = new HashMap<>();

	/**
	 * The tickets of this JVM that wait for the deletion of the node before their own,
	 * which is a node of this JVM, and watch nothing. Guarded by {@link #lock}.
	 */
	private final Set<ZooKeeperTicket> behindOwn = new HashSet<>();

	/**
	 * The watch that was requested last, until its event. Guarded by {@link #lock}.
	 */
	private @Nullable FolderWatch watch;

	/** Whether the server has confirmed the watch. Guarded by {@link #lock}. */
	private boolean watching;

	/**
	 * The nodes of all tickets up to this number are gone. True as long as the watch is
	 * confirmed, and of the current session and connection; {@code null} otherwise or if
	 * nothing is known. Guarded by {@link #lock}.
	 */
	private @Nullable Integer goneUpTo;

	/** Whether this JVM has released the lock. Guarded by {@link #lock}. */
	private boolean worthWatching;

	/** What the last list said. Guarded by {@link #lock}. */
	private @Nullable StoredHolder listedHolder;

	/** The node by which this JVM holds the lock. Guarded by {@link #lock}. */
	private @Nullable TicketNode held;

	/** Whether the place of the last node was known without a list. */
	private volatile boolean predictable;

	KeyFolder(String path) {
		this.path = path;
	}

	/** The path without the client's namespace. */
	String path() {
		return this.path;
	}

	/**
	 * Whether the place of a new node will be known without a list, to judge by the last
	 * one. If that is wrong, the list is sent later.
	 */
	boolean isPredictable() {
		return this.predictable;
	}

	/**
	 * Request a watch of the folder if this JVM has released the lock before, and may
	 * therefore acquire it again soon.
	 * @return the watch to be sent, or {@code null}
	 */
	@Nullable FolderWatch requestWatch(ZooKeeperSession session, int disconnects) {
		this.lock.lock();
		try {
			FolderWatch current = this.watch;
			if (!this.worthWatching || current != null && current.isOf(session, disconnects)) {
				return null;
			}
			FolderWatch requested = new FolderWatch(session, disconnects);
			this.watch = requested;
			this.watching = false;
			this.goneUpTo = null;
			return requested;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * The server has answered the request of a watch.
	 * @param exists whether the folder exists, and is watched
	 */
	void watched(FolderWatch requested, boolean exists) {
		this.lock.lock();
		try {
			if (this.watch == requested) {
				this.watching = exists;
				this.watch = exists ? requested : null;
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * The watch was triggered, and is used up.
	 * @param removed whether the folder was removed, so that none of these nodes exists
	 */
	void changed(boolean removed) {
		this.lock.lock();
		try {
			this.watch = null;
			this.watching = false;
			this.goneUpTo = null;
			if (removed) {
				this.own.clear();
				this.ownNodes.clear();
				this.behindOwn.clear();
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	/** A node was created that is certainly the only one of its ticket. */
	void created(ZooKeeperTicket ticket, TicketNode node) {
		this.lock.lock();
		try {
			TicketNode earlier = this.ownNodes.put(ticket, node);
			if (earlier != null) {
				this.own.remove(earlier.number(), ticket);
			}
			this.own.put(node.number(), ticket);
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Find the place of a ticket in the queue, as far as it is known.
	 * @param disconnects the number of lost connections
	 */
	Place place(ZooKeeperTicket ticket, TicketNode node, int disconnects) {
		this.lock.lock();
		try {
			Place place = isFirst(ticket, node, disconnects) ? Place.FIRST
					: isBehindOwn(ticket, node) ? Place.BEHIND_OWN : Place.UNKNOWN;
			if (place == Place.BEHIND_OWN) {
				this.behindOwn.add(ticket);
			}
			this.predictable = place != Place.UNKNOWN;
			return place;
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Whether a ticket is known to be the first in the queue. */
	boolean isFirst(ZooKeeperTicket ticket, TicketNode node, int disconnects) {
		this.lock.lock();
		try {
			return isKnown(ticket, node) && isWatching(node, disconnects) && this.goneUpTo != null
					&& this.goneUpTo + 1 == node.number();
		}
		finally {
			this.lock.unlock();
		}
	}

	private boolean isBehindOwn(ZooKeeperTicket ticket, TicketNode node) {
		ZooKeeperTicket before = this.own.get(node.number() - 1);
		TicketNode nodeBefore = (before != null) ? before.nodeIn(node.session()) : null;
		return before != null && nodeBefore != null && isKnown(before, nodeBefore) && isKnown(ticket, node)
				&& !(before.ticket().isReader() && ticket.ticket().isReader());
	}

	/**
	 * Whether the node of a ticket is the one that was noted here, and not another one
	 * that the ticket has got since, which may not be its only one.
	 */
	private boolean isKnown(ZooKeeperTicket ticket, TicketNode node) {
		return this.ownNodes.get(ticket) == node && this.own.get(node.number()) == ticket;
	}

	private boolean isWatching(TicketNode node, int disconnects) {
		FolderWatch current = this.watch;
		return this.watching && current != null && current.isOf(node.session(), disconnects);
	}

	/** A list has been received. */
	void listed(NodeQueue queue) {
		StoredHolder holder = queue.firstHolder();
		this.lock.lock();
		try {
			this.listedHolder = holder;
		}
		finally {
			this.lock.unlock();
		}
	}

	/** What holds the lock, as far as this JVM knows; for messages only. */
	@Nullable StoredHolder holder() {
		this.lock.lock();
		try {
			TicketNode current = this.held;
			return (current != null) ? new NodeQueue(List.of(current.name())).firstHolder() : this.listedHolder;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * A ticket holds the lock: if it is exclusive, no node is before its own.
	 * @param disconnects the number of lost connections
	 */
	void holds(ZooKeeperTicket ticket, TicketNode node, int disconnects) {
		this.lock.lock();
		try {
			this.held = node;
			// The folder is the watched one: it has had this node since before.
			if (!ticket.ticket().isReader() && isKnown(ticket, node) && isWatching(node, disconnects)) {
				this.goneUpTo = node.number() - 1;
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * No node of a ticket is left.
	 * @param existed whether its node existed until the deletion that was answered now.
	 * After an earlier one, whose reply was lost, the folder may have been created anew
	 * @return the ticket of this JVM that waits for this, or {@code null}
	 */
	@Nullable ZooKeeperTicket removed(ZooKeeperTicket ticket, boolean existed) {
		this.lock.lock();
		try {
			this.behindOwn.remove(ticket);
			TicketNode node = this.ownNodes.remove(ticket);
			if (node == null || !this.own.remove(node.number(), ticket)) {
				return null;
			}
			if (this.held == node) {
				this.held = null;
				this.worthWatching |= existed;
			}
			boolean deleted = existed && ticket.node() == node;
			if (deleted && this.goneUpTo != null && this.goneUpTo + 1 == node.number()) {
				this.goneUpTo = node.number();
			}
			ZooKeeperTicket next = this.own.get(node.number() + 1);
			return (next != null && this.behindOwn.remove(next)) ? next : null;
		}
		finally {
			this.lock.unlock();
		}
	}

	/** The place of a node in the queue, as far as it is known without a list. */
	enum Place {

		/** No node is before it. */
		FIRST,

		/**
		 * The node before it is one of this JVM, which excludes it. So there is nothing
		 * to watch: this JVM itself deletes that node.
		 */
		BEHIND_OWN,

		UNKNOWN

	}

	/**
	 * A watch of the folder.
	 *
	 * @param session the session that watches
	 * @param disconnects the number of lost connections when it was requested
	 */
	record FolderWatch(ZooKeeperSession session, int disconnects) {

		boolean isOf(ZooKeeperSession other, int currentDisconnects) {
			return this.session == other && this.disconnects == currentDisconnects;
		}

	}

}
