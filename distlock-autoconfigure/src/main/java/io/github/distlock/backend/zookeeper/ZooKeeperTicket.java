package io.github.distlock.backend.zookeeper;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;

import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.zookeeper.KeyFolder.FolderWatch;
import io.github.distlock.backend.zookeeper.ZooKeeperSession.TicketNode;
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
 * The state is written under the monitor of this object, which is never held while a
 * command is sent or awaited.
 */
final class ZooKeeperTicket {

	private static final CompletableFuture<TicketNode> NONE = CompletableFuture
		.failedFuture(new KeeperException.NoNodeException());

	private final Ticket ticket;

	private final KeyFolder folder;

	private final ZooKeeperConnection connection;

	private final Consumer<TicketNode> deleting;

	private final Consumer<ZooKeeperTicket> gone;

	/** Written under the monitor, as are all that follow unless they say otherwise. */
	private volatile @Nullable TicketNode node;

	/** The last creation of a node. None begins once the ticket is abandoned. */
	private volatile CompletableFuture<TicketNode> creation = NONE;

	/** Written by the creation that is under way. */
	private volatile boolean mayHaveUnknownNodes;

	/** The last deletion of all nodes. */
	private @Nullable CompletableFuture<Boolean> deletion;

	/** Written by the deletion that is under way. */
	private volatile boolean deletionSent;

	private volatile boolean held;

	private volatile boolean abandoned;

	/** Never reset. Written by the attempt that is under way. */
	private volatile boolean queued;

	/** Written by any thread that finds the place of the node. */
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
		CompletableFuture<TicketNode> current = nodeOrCreation(session, started);
		if (current != started) {
			return current;
		}
		boolean search = this.mayHaveUnknownNodes;
		this.mayHaveUnknownNodes = true;
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

	/** The node, or the creation that is under way: the given one if there was none. */
	private synchronized CompletableFuture<TicketNode> nodeOrCreation(ZooKeeperSession session,
			CompletableFuture<TicketNode> started) {
		TicketNode existing = this.node;
		if (this.abandoned) {
			return NONE;
		}
		if (existing != null && existing.session() == session) {
			return CompletableFuture.completedFuture(existing);
		}
		if (this.creation.isDone()) {
			this.creation = started;
		}
		return this.creation;
	}

	/**
	 * The node has been created.
	 * @param only whether the ticket certainly has no other node
	 */
	synchronized void created(TicketNode created, boolean only) {
		this.node = created;
		// What an earlier node of the ticket held says nothing of this one's place.
		this.held = false;
		this.mayHaveUnknownNodes = !only;
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
	synchronized void removed(TicketNode removed) {
		if (this.node == removed) {
			this.node = null;
			this.held = false;
		}
	}

	/**
	 * A node is the first in the queue. Has no effect if the node was removed meanwhile.
	 * @return whether the ticket holds the lock by it now: not if it was abandoned
	 */
	synchronized boolean hold(TicketNode first) {
		if (this.node == first) {
			this.held = !this.abandoned;
		}
		return this.held && this.node == first;
	}

	synchronized void abandon() {
		this.abandoned = true;
	}

	/**
	 * Abandon the ticket and delete its nodes, after a creation that is under way, unless
	 * that has been done or is under way. If it fails, it has to be repeated.
	 * @return whether the ticket had a node, as far as is known: the reply to an earlier
	 * deletion may have been lost
	 */
	CompletableFuture<Boolean> delete() {
		CompletableFuture<Boolean> started = new CompletableFuture<>();
		CompletableFuture<Boolean> current = deletion(started);
		if (current != started) {
			return current;
		}
		this.creation.handle((created, failure) -> deleteNodes())
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

	/** The deletion that is done or under way: the given one if there was none. */
	private synchronized CompletableFuture<Boolean> deletion(CompletableFuture<Boolean> started) {
		this.abandoned = true;
		CompletableFuture<Boolean> last = this.deletion;
		if (last != null && !last.isCompletedExceptionally()) {
			return last;
		}
		this.deletion = started;
		return started;
	}

	private CompletableFuture<Boolean> deleteNodes() {
		TicketNode current = this.node;
		boolean search = this.mayHaveUnknownNodes;
		ZooKeeperSession session = this.connection.connectedSession();
		if (session == null) {
			return CompletableFuture.failedFuture(new KeeperException.ConnectionLossException());
		}
		CompletableFuture<Boolean> deleted = (current != null) ? deleteNode(current, session)
				: CompletableFuture.completedFuture(false);
		// Unknown nodes are found even if the known one is deleted first.
		return search ? deleted.thenCombine(
				names(session).thenCompose((names) -> session.deleteAll(this.folder.path(), names)),
				(existed, none) -> existed) : deleted;
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

}
