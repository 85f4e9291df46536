package io.github.distlock.backend.zookeeper;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.zookeeper.ZooKeeperTicket.NodeCreation;
import io.github.distlock.backend.zookeeper.ZooKeeperTicket.TicketNode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * The tickets of this JVM, each from the creation of its node until the deletion of all
 * its nodes is certain. Deletions are repeated until they succeed: a node of an abandoned
 * ticket would block the lock for as long as this JVM lives, since only the end of the
 * session removes it otherwise.
 */
final class ZooKeeperTickets {

	private final ZooKeeperConnection connection;

	private final LockPaths paths;

	private final KeyFolders folders;

	private final ConcurrentMap<String, ZooKeeperTicket> tickets = new ConcurrentHashMap<>();

	private final Consumer<ZooKeeperTicket> predecessorGone;

	/**
	 * Create it.
	 * @param predecessorGone called when the node before that of a ticket has been
	 * deleted, if both are of this JVM; must not block
	 */
	ZooKeeperTickets(ZooKeeperConnection connection, LockPaths paths, Consumer<ZooKeeperTicket> predecessorGone) {
		this.connection = connection;
		this.paths = paths;
		this.predecessorGone = predecessorGone;
		this.folders = new KeyFolders(connection);
	}

	ZooKeeperTicket obtain(Ticket ticket) {
		return this.tickets.computeIfAbsent(ticket.token(), (token) -> {
			String folder = this.paths.folder(ticket.key());
			return new ZooKeeperTicket(ticket, this.folders.ticketAdded(folder));
		});
	}

	/** Watch the folder of a ticket if that may save lists of it. */
	void watchFolderIfUseful(ZooKeeperTicket ticket, ZooKeeperSession session) {
		this.folders.watchIfUseful(ticket.keyFolder(), session);
	}

	@Nullable ZooKeeperTicket find(Ticket ticket) {
		return this.tickets.get(ticket.token());
	}

	/** Whether the store has been closed and no ticket is left. */
	boolean areAllGone() {
		return this.connection.isClosed() && this.tickets.isEmpty();
	}

	Stream<ZooKeeperTicket> all() {
		return this.tickets.values().stream();
	}

	/**
	 * Obtain a node of a session for a ticket: the known one, one that a creation without
	 * a reply has left, or a new one.
	 */
	CompletableFuture<TicketNode> obtainNode(ZooKeeperTicket ticket, ZooKeeperSession session) {
		NodeCreation creation = ticket.startCreation(session);
		if (!creation.isNew()) {
			return creation.reply();
		}
		boolean search = creation.searchFirst();
		int disconnects = this.connection.disconnects();
		send(() -> search ? findOrCreateNode(ticket, session) : createNode(ticket, session))
			.whenComplete((node, failure) -> {
				if (node != null) {
					boolean only = this.connection.disconnects() == disconnects && !search;
					try {
						ticket.created(node, only);
						if (only) {
							ticket.keyFolder().created(ticket, node);
						}
					}
					finally {
						creation.reply().complete(node);
					}
				}
				else {
					creation.reply().completeExceptionally(failure);
				}
				if (ticket.isAbandoned()) {
					delete(ticket);
				}
			});
		return creation.reply();
	}

	/**
	 * Send a command whose reply others wait for. An {@code Error} while it is sent is
	 * the reply, too.
	 */
	private static <T> CompletableFuture<T> send(Supplier<CompletableFuture<T>> command) {
		try {
			return command.get();
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private CompletableFuture<TicketNode> createNode(ZooKeeperTicket ticket, ZooKeeperSession session) {
		return createNode(ticket.folder() + "/" + LockPaths.nodePrefix(ticket.ticket()), session);
	}

	/** Create a node. Fails if another session than the given one created it. */
	CompletableFuture<TicketNode> createNode(String path, ZooKeeperSession session) {
		return session.commands().create(path).thenCompose((event) -> {
			Stat stat = event.getStat();
			if (stat == null || !session.hasId(stat.getEphemeralOwner())) {
				// A later session created it, and finds it when the command is repeated.
				return CompletableFuture.failedFuture(new KeeperException.SessionExpiredException());
			}
			return CompletableFuture.completedFuture(TicketNode.created(event.getName(), stat.getCzxid(), session));
		});
	}

	private CompletableFuture<TicketNode> findOrCreateNode(ZooKeeperTicket ticket, ZooKeeperSession session) {
		return findNodes(ticket, session).thenCompose((names) -> {
			if (names.isEmpty()) {
				return createNode(ticket, session);
			}
			String path = ticket.folder() + "/" + names.get(0);
			return session.commands()
				.stat(path)
				.thenCompose((stat) -> (stat.isPresent() && session.hasId(stat.get().getEphemeralOwner()))
						? CompletableFuture.completedFuture(TicketNode.created(path, stat.get().getCzxid(), session))
						: createNode(ticket, session));
		});
	}

	/** List all nodes of a ticket, after a reply of the leader: so none is missing. */
	private CompletableFuture<List<String>> findNodes(ZooKeeperTicket ticket, ZooKeeperSession session) {
		session.commands().sync(ticket.folder());
		return session.commands()
			.children(ticket.folder())
			.thenApply((names) -> new NodeQueue(names).nodesOf(LockPaths.nodePrefix(ticket.ticket())));
	}

	/**
	 * Abandon a ticket and delete its nodes, after a creation that is under way. If that
	 * fails, {@link #retryDeletions()} repeats it.
	 * @return whether the ticket had a node
	 */
	CompletableFuture<Boolean> delete(ZooKeeperTicket ticket) {
		CompletableFuture<Boolean> deletion = new CompletableFuture<>();
		CompletableFuture<Boolean> current = ticket.startDeletion(deletion);
		if (current != deletion) {
			return current;
		}
		CompletableFuture<TicketNode> creation = ticket.creation();
		if (creation == null || creation.isDone()) {
			deleteNow(ticket, deletion);
		}
		else {
			creation.whenComplete((node, failure) -> deleteNow(ticket, deletion));
		}
		return deletion;
	}

	private void deleteNow(ZooKeeperTicket ticket, CompletableFuture<Boolean> deletion) {
		send(() -> deleteNodes(ticket)).whenComplete((deleted, failure) -> {
			if (failure == null) {
				try {
					removed(ticket, deleted.existed());
				}
				finally {
					deletion.complete(deleted.hadNode());
				}
			}
			else {
				deletion.completeExceptionally(failure);
			}
		});
	}

	/** No node of a ticket is left: the next ticket of this JVM may be the first now. */
	private void removed(ZooKeeperTicket ticket, boolean existed) {
		ZooKeeperTicket next = ticket.keyFolder().removed(ticket, existed);
		if (this.tickets.remove(ticket.ticket().token(), ticket)) {
			this.folders.ticketRemoved(ticket.folder());
		}
		if (next != null) {
			this.predecessorGone.accept(next);
		}
	}

	private CompletableFuture<Deleted> deleteNodes(ZooKeeperTicket ticket) {
		TicketNode node = ticket.node();
		boolean search = ticket.mayHaveUnknownNodes();
		if (node == null && !search) {
			return CompletableFuture.completedFuture(Deleted.NO_NODE);
		}
		ZooKeeperSession session = this.connection.connectedSession();
		if (session == null) {
			return CompletableFuture.failedFuture(new KeeperException.ConnectionLossException());
		}
		boolean sentBefore = ticket.markDeletionSent();
		CompletableFuture<Deleted> deleted = (node == null) ? CompletableFuture.completedFuture(Deleted.NO_NODE)
				: session.commands()
					.delete(node.path())
					.thenApply((existed) -> new Deleted(existed, existed || sentBefore));
		return search ? deleted.thenCombine(deleteUnknownNodes(ticket, session), (reply, none) -> reply) : deleted;
	}

	private CompletableFuture<Boolean> deleteUnknownNodes(ZooKeeperTicket ticket, ZooKeeperSession session) {
		return findNodes(ticket, session).thenCompose((names) -> session.commands().deleteAll(ticket.folder(), names));
	}

	/**
	 * Repeat deletions that failed.
	 * @return whether all of them have completed by now
	 */
	boolean retryDeletions() {
		all().filter(ZooKeeperTicket::isAbandoned).forEach(this::delete);
		return all().noneMatch(ZooKeeperTicket::isAbandoned);
	}

	/**
	 * No node of a ticket is left.
	 *
	 * @param existed whether its node existed until the last deletion
	 * @param hadNode whether its node existed until one of the deletions, as far as is
	 * known: the reply to an earlier one may have been lost
	 */
	private record Deleted(boolean existed, boolean hadNode) {

		static final Deleted NO_NODE = new Deleted(false, false);

	}

}
