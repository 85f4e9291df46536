package io.github.distlock.backend.zookeeper;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;

import io.github.distlock.backend.Grant;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.Validity;
import io.github.distlock.backend.zookeeper.KeyFolder.FolderWatch;
import org.apache.zookeeper.KeeperException;
import org.jspecify.annotations.Nullable;

/**
 * What this JVM knows about one of its tickets, from the creation of its node until the
 * deletion of all its nodes is certain: the node, and the commands under way.
 * <ol>
 * <li>A creation is started, and completes with the node. While it is under way, and when
 * its reply was lost, nodes may exist that are not known.
 * <li>The ticket holds the lock from when its node is known to be the first.
 * <li>The ticket is abandoned. That is final: the ticket cannot become the holder any
 * more, no node is created for it, and each of its nodes is deleted, however long that
 * takes. A node of an abandoned ticket would block the lock for as long as this JVM
 * lives, since only the end of the session removes it otherwise.
 * </ol>
 * The state is written under a lock, which is never held while a command is sent or
 * awaited.
 */
final class ZooKeeperTicket {

	private static final CompletableFuture<TicketNode> NONE = CompletableFuture
		.failedFuture(new KeeperException.NoNodeException());

	private final Ticket ticket;

	private final KeyFolder folder;

	private final ZooKeeperConnection connection;

	private final Consumer<TicketNode> deleting;

	private final Consumer<ZooKeeperTicket> gone;

	private final ReentrantLock lock = new ReentrantLock();

	/** Guarded by {@link #lock} for writing. */
	private volatile @Nullable TicketNode node;

	/** The last creation of a node. Guarded by {@link #lock}. */
	private CompletableFuture<TicketNode> creation = NONE;

	/** Guarded by {@link #lock} for writing. */
	private volatile boolean mayHaveUnknownNodes;

	/** The last deletion of all nodes. Guarded by {@link #lock}. */
	private @Nullable CompletableFuture<Boolean> deletion;

	/** Only one deletion is under way at any time. */
	private volatile boolean deletionSent;

	/** Guarded by {@link #lock} for writing. */
	private volatile boolean held;

	/** Guarded by {@link #lock} for writing. */
	private volatile boolean abandoned;

	/** Never reset. */
	private volatile boolean queued;

	/** The node before the first one, if it was created by this JVM. */
	private volatile @Nullable TicketNode before;

	private volatile @Nullable String watchedPath;

	/**
	 * Create a ticket without a node.
	 * @param deleting called when the deletion of the ticket's node has been sent
	 * @param gone called when no node of the ticket is left
	 */
	ZooKeeperTicket(Ticket ticket, KeyFolder folder, ZooKeeperConnection connection, Consumer<TicketNode> deleting,
			Consumer<ZooKeeperTicket> gone) {
		this.ticket = ticket;
		this.folder = folder;
		this.connection = connection;
		this.deleting = deleting;
		this.gone = gone;
	}

	Ticket ticket() {
		return this.ticket;
	}

	KeyFolder folder() {
		return this.folder;
	}

	@Nullable TicketNode node() {
		return this.node;
	}

	boolean isHeld() {
		return this.held;
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

	/** Whether the ticket waits for the deletion of a node. */
	boolean isWatching(String path) {
		return path.equals(this.watchedPath) && !this.abandoned;
	}

	void watching(String path) {
		this.watchedPath = path;
	}

	/** The node before that of this ticket, if it is known to be one of this JVM. */
	@Nullable TicketNode before() {
		return this.before;
	}

	/**
	 * Whether a node is the one of this ticket, and its deletion has not been sent yet:
	 * {@link #deleting} is called after that.
	 */
	boolean willDelete(String path, ZooKeeperSession session) {
		TicketNode current = this.node;
		return current != null && current.session() == session && current.path().equals(path) && !this.deletionSent;
	}

	boolean hasNodeOf(ZooKeeperSession session) {
		TicketNode current = this.node;
		return current != null && current.session() == session;
	}

	/**
	 * Obtain a node of a session: the known one, one that a creation without a reply has
	 * left, or a new one.
	 */
	CompletableFuture<TicketNode> obtainNode(ZooKeeperSession session) {
		CompletableFuture<TicketNode> started = new CompletableFuture<>();
		boolean search;
		this.lock.lock();
		try {
			TicketNode existing = this.node;
			if (this.abandoned) {
				return NONE;
			}
			if (existing != null && existing.session() == session) {
				return CompletableFuture.completedFuture(existing);
			}
			if (!this.creation.isDone()) {
				return this.creation;
			}
			search = this.mayHaveUnknownNodes;
			this.mayHaveUnknownNodes = true;
			this.creation = started;
		}
		finally {
			this.lock.unlock();
		}
		int disconnects = this.connection.disconnects();
		String prefix = this.folder.path() + "/" + LockPaths.nodePrefix(this.ticket);
		(search ? find(session) : CompletableFuture.completedFuture(Optional.<TicketNode>empty())).thenCompose(
				(found) -> found.isPresent() ? CompletableFuture.completedFuture(found.get()) : session.create(prefix))
			.whenComplete((created, failure) -> {
				if (created == null) {
					started.completeExceptionally(failure);
					return;
				}
				created(created, !search && this.connection.disconnects() == disconnects);
				started.complete(created);
			});
		return started;
	}

	/**
	 * The node has been created.
	 * @param only whether the ticket certainly has no other node
	 */
	void created(TicketNode created, boolean only) {
		this.lock.lock();
		try {
			this.node = created;
			// What an earlier node of the ticket held says nothing of this one's place.
			this.held = false;
			this.mayHaveUnknownNodes = !only;
			this.before = only ? this.folder.created(created) : null;
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Find the oldest node, if it is of this session. */
	private CompletableFuture<Optional<TicketNode>> find(ZooKeeperSession session) {
		return names(session).thenCompose((names) -> {
			if (names.isEmpty()) {
				return CompletableFuture.completedFuture(Optional.empty());
			}
			String path = this.folder.path() + "/" + names.get(0);
			return session.stat(path)
				.thenApply((stat) -> stat.filter(session::owns).map((owned) -> session.node(path, owned)));
		});
	}

	/** List all nodes of this ticket, after a reply of the leader: so none is missing. */
	private CompletableFuture<List<String>> names(ZooKeeperSession session) {
		session.sync(this.folder.path());
		return session.children(this.folder.path()).thenApply((names) -> NodeQueue.of(names).nodesOf(this.ticket));
	}

	/** A node of this ticket does not exist any more. */
	void removed(TicketNode removed) {
		this.lock.lock();
		try {
			if (this.node == removed) {
				this.node = null;
				this.held = false;
			}
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
	 * Abandon the ticket and delete its nodes, after a creation that is under way, unless
	 * that has been done or is under way. If it fails, it has to be repeated.
	 * @return whether the ticket had a node, as far as is known: the reply to an earlier
	 * deletion may have been lost
	 */
	CompletableFuture<Boolean> delete() {
		CompletableFuture<Boolean> started = new CompletableFuture<>();
		CompletableFuture<TicketNode> pending;
		this.lock.lock();
		try {
			this.abandoned = true;
			CompletableFuture<Boolean> current = this.deletion;
			if (current != null && !current.isCompletedExceptionally()) {
				return current;
			}
			this.deletion = started;
			pending = this.creation;
		}
		finally {
			this.lock.unlock();
		}
		pending.handle((created, failure) -> deleteNodes())
			.thenCompose(Function.identity())
			.whenComplete((existed, failure) -> {
				if (failure != null) {
					started.completeExceptionally(failure);
					return;
				}
				this.gone.accept(this);
				started.complete(existed);
			});
		return started;
	}

	private CompletableFuture<Boolean> deleteNodes() {
		TicketNode current = this.node;
		boolean search = this.mayHaveUnknownNodes;
		if (current == null && !search) {
			return CompletableFuture.completedFuture(false);
		}
		ZooKeeperSession session = this.connection.connectedSession();
		if (session == null) {
			return CompletableFuture.failedFuture(new KeeperException.ConnectionLossException());
		}
		CompletableFuture<Boolean> deleted = (current != null) ? deleteNode(current, session)
				: CompletableFuture.completedFuture(false);
		return search ? deleted.thenCombine(deleteUnknownNodes(session), (existed, none) -> existed) : deleted;
	}

	private CompletableFuture<Boolean> deleteNode(TicketNode known, ZooKeeperSession session) {
		boolean exclusive = this.held && !this.ticket.isReader();
		boolean sentBefore = this.deletionSent;
		this.deletionSent = true;
		FolderWatch watch = this.folder.watch();
		CompletableFuture<Boolean> deleted = session.delete(known.path()).thenApply((existed) -> {
			if (existed && exclusive) {
				this.folder.released(known, watch);
			}
			return existed || sentBefore;
		});
		this.deleting.accept(known);
		return deleted;
	}

	private CompletableFuture<List<Boolean>> deleteUnknownNodes(ZooKeeperSession session) {
		return names(session).thenCompose((names) -> session.deleteAll(this.folder.path(), names));
	}

}
