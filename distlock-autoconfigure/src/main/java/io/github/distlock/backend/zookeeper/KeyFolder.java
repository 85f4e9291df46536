package io.github.distlock.backend.zookeeper;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.zookeeper.ZooKeeperSession.TicketNode;
import org.apache.zookeeper.Watcher;
import org.jspecify.annotations.Nullable;

/**
 * What this JVM knows about the folder of a key, as long as it has tickets in it and for
 * a moment longer. It lets a ticket skip the list of nodes when its node must be the
 * first.
 *
 * <h2>Why a node is the first without a list</h2> A folder numbers its nodes in steps of
 * one, in the order of their creation. If an exclusive ticket of this JVM held the lock,
 * no node was before its own; and then its own was deleted. So no node is left up to its
 * number. If the next node of this JVM has the next number, no node is before it.
 * <p>
 * No node comes back. But the numbers of a folder that is created anew begin again.
 * Therefore the folder is watched. The client receives the event of its removal before
 * the reply to any later command, and forgets what it knows. It also forgets it when the
 * connection is lost, because a watch sends nothing then.
 */
final class KeyFolder {

	private final String path;

	/** The tickets of this JVM that have, or may have, a node in the folder. */
	private final Set<Ticket> tickets = ConcurrentHashMap.newKeySet();

	/** Whether the last check has found no ticket, and none has come since. */
	private boolean unused;

	/** Whether this JVM has released the lock, so that it may acquire it again soon. */
	private volatile boolean released;

	/** Whether the place of the last node was known without a list. */
	private volatile boolean predictable;

	/** The last watch of the folder; {@code null} once it may be gone. */
	private volatile @Nullable FolderWatch watch;

	KeyFolder(String path) {
		this.path = path;
	}

	/** The path without the client's namespace. */
	String path() {
		return this.path;
	}

	Set<Ticket> tickets() {
		return this.tickets;
	}

	KeyFolder with(Ticket ticket) {
		this.tickets.add(ticket);
		this.unused = false;
		return this;
	}

	/** Whether no ticket of this JVM has used the folder since the last call. */
	boolean isIdle() {
		boolean unusedBefore = this.unused;
		this.unused = this.tickets.isEmpty();
		return unusedBefore && this.unused;
	}

	/**
	 * Whether the place of a new node will be known without a list, to judge by the last
	 * one. If that is wrong, the list is sent later.
	 */
	boolean isPredictable() {
		return this.predictable;
	}

	/** The watch, if the server has confirmed it. */
	@Nullable FolderWatch watch() {
		FolderWatch current = this.watch;
		return (current != null && current.confirmed) ? current : null;
	}

	/**
	 * Watch the folder if that may save lists of it. Does not wait for the reply, which
	 * comes before those to later commands.
	 */
	void watchIfUseful(ZooKeeperSession session, Watcher watcher) {
		FolderWatch current = this.watch;
		if (!this.released || current != null && current.session == session) {
			return;
		}
		FolderWatch requested = new FolderWatch(session);
		this.watch = requested;
		session.watch(this.path, watcher).whenComplete((exists, failure) -> {
			requested.confirmed = failure == null && exists;
			if (!requested.confirmed && this.watch == requested) {
				this.watch = null;
			}
		});
	}

	/**
	 * The folder may have been removed, or may be removed without an event from now on.
	 */
	void forgetWatch() {
		this.watch = null;
	}

	/**
	 * The lock has been released: the node of its exclusive holder has been deleted.
	 * @param current the watch at the moment when the deletion was sent
	 */
	void released(TicketNode node, @Nullable FolderWatch current) {
		this.released = true;
		if (current != null && current.session == node.session()) {
			current.goneUpTo = node.number();
		}
	}

	/**
	 * Whether a new node is known to be the first.
	 * @param sent the watch at the moment when the creation was sent: if it is still
	 * there, it is of the folder that has the node
	 */
	boolean isFirst(TicketNode node, @Nullable FolderWatch sent) {
		this.predictable = sent != null && this.watch == sent && sent.session == node.session()
				&& sent.goneUpTo + 1 == node.number();
		return this.predictable;
	}

	/** A watch of the folder, and what is known as long as it exists. */
	static final class FolderWatch {

		private final ZooKeeperSession session;

		/** Whether the server has confirmed it. */
		private volatile boolean confirmed;

		/** The nodes of all tickets up to this number are gone. */
		private volatile long goneUpTo = Long.MIN_VALUE;

		FolderWatch(ZooKeeperSession session) {
			this.session = session;
		}

	}

}
