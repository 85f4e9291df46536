package io.github.distlock.backend.zookeeper;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;

import io.github.distlock.backend.zookeeper.ZooKeeperTicket.TicketNode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.jspecify.annotations.Nullable;

/**
 * Finds out whether a node is the first in its queue, and watches the predecessor if it
 * is not. No other node is watched: so a release notifies one waiting writer, or the
 * readers that wait for the released writer.
 * <p>
 * The list of nodes may come from a server that is behind the leader. That is sufficient:
 * a server that knows a node knows all nodes that were created before it. A node that is
 * listed may have been deleted meanwhile; then the watch finds that. So a node that is
 * the first in the list is the first.
 */
final class PredecessorWatch implements Watcher {

	/**
	 * The waiting tickets by the full path of the watched node. This is the only watcher,
	 * so watching a node twice costs nothing. A watch is added and removed inside the
	 * update of its entry. That only appends to the client's send queue, so both commands
	 * reach the server in the order of the updates, and the watch of a ticket that has an
	 * entry is never removed.
	 */
	private final ConcurrentMap<String, Set<ZooKeeperTicket>> watched = new ConcurrentHashMap<>();

	private final Consumer<ZooKeeperTicket> predecessorGone;

	/**
	 * Create it.
	 * @param predecessorGone called on the event thread when the predecessor of a ticket
	 * has been deleted
	 */
	PredecessorWatch(Consumer<ZooKeeperTicket> predecessorGone) {
		this.predecessorGone = predecessorGone;
	}

	/**
	 * Find out whether a node is the first in a list of the server. Fails if the node
	 * does not exist.
	 * @param watch whether to watch the predecessor if there is one
	 */
	CompletableFuture<Boolean> isFirst(ZooKeeperTicket ticket, TicketNode node, List<String> names, boolean watch) {
		if (!names.contains(node.name())) {
			ticket.removed(node);
			return CompletableFuture.failedFuture(new KeeperException.NoNodeException(node.path()));
		}
		NodeQueue queue = new NodeQueue(names);
		ticket.keyFolder().listed(queue);
		List<String> duplicates = queue.duplicatesOf(node.name());
		if (!duplicates.isEmpty()) {
			return node.session()
				.commands()
				.deleteAll(ticket.folder(), duplicates)
				.thenCompose((none) -> isFirst(ticket, node, watch));
		}
		String predecessor = queue.predecessor(node.name());
		if (predecessor == null) {
			return CompletableFuture.completedFuture(true);
		}
		return watch ? watch(ticket, node, ticket.folder() + "/" + predecessor)
				: CompletableFuture.completedFuture(false);
	}

	/** Find out whether a node is the first, with a new list of the server. */
	CompletableFuture<Boolean> isFirst(ZooKeeperTicket ticket, TicketNode node, boolean watch) {
		return node.session()
			.commands()
			.children(ticket.folder())
			.thenCompose((names) -> isFirst(ticket, node, names, watch));
	}

	private CompletableFuture<Boolean> watch(ZooKeeperTicket ticket, TicketNode node, String predecessor) {
		AsyncZooKeeper commands = node.session().commands();
		String fullPath = commands.full(predecessor);
		ticket.setWatchedPath(predecessor);
		List<CompletableFuture<Boolean>> reply = new ArrayList<>(1);
		this.watched.compute(fullPath, (path, current) -> {
			Set<ZooKeeperTicket> waiting = (current != null) ? current : ConcurrentHashMap.newKeySet();
			// First, so that the ticket is not added if this fails.
			reply.add(commands.watch(predecessor, this));
			waiting.add(ticket);
			return waiting;
		});
		return reply.get(0).thenCompose((exists) -> {
			if (exists) {
				return CompletableFuture.completedFuture(false);
			}
			// It has just been deleted, so there is no watch to remove.
			remove(ticket, fullPath, () -> {
			});
			return isFirst(ticket, node, true);
		});
	}

	/** Stop watching for a ticket. */
	void unwatch(ZooKeeperTicket ticket) {
		String predecessor = ticket.watchedPath();
		TicketNode node = ticket.node();
		if (predecessor == null || node == null) {
			return;
		}
		AsyncZooKeeper commands = node.session().commands();
		remove(ticket, commands.full(predecessor), () -> commands.unwatch(predecessor));
	}

	/** The action runs inside the update, if the ticket was the last of that path. */
	private void remove(ZooKeeperTicket ticket, String fullPath, Runnable ifLast) {
		this.watched.computeIfPresent(fullPath, (path, waiting) -> {
			if (waiting.remove(ticket) && waiting.isEmpty()) {
				ifLast.run();
			}
			return waiting.isEmpty() ? null : waiting;
		});
	}

	/** The session has ended, and its watches with it. */
	void clear() {
		this.watched.clear();
	}

	/** Called on the event thread. */
	@Override
	public void process(WatchedEvent event) {
		@Nullable String path = event.getPath();
		if (path != null && event.getType() == Event.EventType.NodeDeleted) {
			Set<ZooKeeperTicket> waiting = this.watched.remove(path);
			if (waiting != null) {
				waiting.forEach(this.predecessorGone);
			}
		}
	}

}
