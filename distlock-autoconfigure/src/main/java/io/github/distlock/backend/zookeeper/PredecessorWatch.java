package io.github.distlock.backend.zookeeper;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;

import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.jspecify.annotations.Nullable;

/**
 * Finds out where a node stands in its line, and watches the one that it waits for and no
 * other: when a holder leaves, one waiter hears of it, or the readers that waited for a
 * writer.
 * <p>
 * A server may be behind others, but not behind what it has told its client: it knows the
 * node, so it knows all that were created before. What it shows may have gone meanwhile,
 * and then the watch tells. So the first in what it shows is the first.
 */
final class PredecessorWatch implements Watcher {

	/**
	 * The places that wait for each node. One watcher for all: watching a node twice
	 * costs nothing. A watch is sent, and taken back, inside the update of its entry,
	 * which only puts it into the client's queue: so both reach the server in the order
	 * of the updates, and no place has an entry whose watch was taken back after it was
	 * sent.
	 */
	private final ConcurrentMap<String, Set<ZooKeeperTicket>> watched = new ConcurrentHashMap<>();

	private final Consumer<ZooKeeperTicket> moved;

	/** Create it; the consumer is told when it is worth looking again. */
	PredecessorWatch(Consumer<ZooKeeperTicket> moved) {
		this.moved = moved;
	}

	/**
	 * Find out whether a node is the first, from what the server has listed; if not,
	 * watch the one before it, if wanted. Fails if the node is not there.
	 */
	CompletableFuture<Boolean> isFirst(ZooKeeperTicket place, TicketNode node, List<String> names, boolean watch) {
		if (!names.contains(node.name())) {
			place.missing(node);
			return CompletableFuture.failedFuture(new KeeperException.NoNodeException(node.path()));
		}
		NodeLine line = new NodeLine(names);
		List<String> doubles = line.doublesOf(node.name());
		if (!doubles.isEmpty()) {
			return ZooKeeperTickets.delete(node.session(), place.folder, doubles)
				.thenCompose((none) -> isFirst(place, node, watch));
		}
		String before = line.before(node.name());
		if (before == null) {
			return CompletableFuture.completedFuture(true);
		}
		return watch ? watch(place, node, place.folder + "/" + before) : CompletableFuture.completedFuture(false);
	}

	/** The same, asking the server. */
	CompletableFuture<Boolean> isFirst(ZooKeeperTicket place, TicketNode node, boolean watch) {
		return node.session()
			.handle()
			.children(place.folder)
			.thenCompose((names) -> isFirst(place, node, names, watch));
	}

	private CompletableFuture<Boolean> watch(ZooKeeperTicket place, TicketNode node, String before) {
		AsyncZooKeeper handle = node.session().handle();
		String path = handle.full(before);
		place.watching = before;
		List<CompletableFuture<Boolean>> sent = new ArrayList<>(1);
		this.watched.compute(path, (key, places) -> {
			Set<ZooKeeperTicket> known = (places != null) ? places : ConcurrentHashMap.newKeySet();
			// First, so that a place is not remembered if that fails.
			sent.add(handle.watch(before, this));
			known.add(place);
			return known;
		});
		return sent.get(0).thenCompose((exists) -> {
			if (exists) {
				return CompletableFuture.completedFuture(false);
			}
			// It has just gone, and with it there is nothing to watch.
			remove(place, path, () -> {
			});
			return isFirst(place, node, true);
		});
	}

	/** A place is given up: watch nothing on its behalf. */
	void forget(ZooKeeperTicket place) {
		String before = place.watching;
		TicketNode node = place.node();
		if (before == null || node == null) {
			return;
		}
		AsyncZooKeeper handle = node.session().handle();
		remove(place, handle.full(before), () -> handle.unwatch(before));
	}

	/** Runs the action inside the update if no other place waits for that node. */
	private void remove(ZooKeeperTicket place, String path, Runnable last) {
		this.watched.computeIfPresent(path, (key, places) -> {
			if (places.remove(place) && places.isEmpty()) {
				last.run();
			}
			return places.isEmpty() ? null : places;
		});
	}

	/** The session has ended, and its watches with it. */
	void forgetAll() {
		this.watched.clear();
	}

	/** On the event thread. */
	@Override
	public void process(WatchedEvent event) {
		@Nullable String path = event.getPath();
		if (path != null && event.getType() == Event.EventType.NodeDeleted) {
			Set<ZooKeeperTicket> places = this.watched.remove(path);
			if (places != null) {
				places.forEach(this.moved);
			}
		}
	}

}
