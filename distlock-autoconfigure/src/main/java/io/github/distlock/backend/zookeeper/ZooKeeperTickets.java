package io.github.distlock.backend.zookeeper;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.github.distlock.backend.Ticket;
import org.apache.zookeeper.KeeperException;
import org.jspecify.annotations.Nullable;

/**
 * The places of this JVM, from the creation of a node until its deletion is certain. No
 * other place is as persistent: a node that nobody wants would keep everybody out for as
 * long as this JVM lives, since nothing else ends it.
 */
final class ZooKeeperTickets {

	private final ZooKeeperConnection link;

	private final LockPaths paths;

	private final KeyFolders folders;

	private final ConcurrentMap<String, ZooKeeperTicket> places = new ConcurrentHashMap<>();

	ZooKeeperTickets(ZooKeeperConnection link, LockPaths paths) {
		this.link = link;
		this.paths = paths;
		this.folders = new KeyFolders(link);
	}

	ZooKeeperTicket obtain(Ticket ticket) {
		return this.places.computeIfAbsent(ticket.token(), (token) -> {
			ZooKeeperTicket place = new ZooKeeperTicket(ticket, this.paths.folder(ticket.key()));
			this.folders.entered(place.folder);
			return place;
		});
	}

	@Nullable ZooKeeperTicket find(Ticket ticket) {
		return this.places.get(ticket.token());
	}

	Stream<ZooKeeperTicket> all() {
		return this.places.values().stream();
	}

	/**
	 * See to it that a place has a node of this session: the one it has, one whose
	 * creation was not answered, or a new one.
	 */
	CompletableFuture<TicketNode> arrive(ZooKeeperTicket place, ZooKeeperSession session) {
		CompletableFuture<TicketNode> arrival = new CompletableFuture<>();
		boolean wasDoubtful;
		place.lock.lock();
		try {
			TicketNode known = place.nodeIn(session);
			if (known != null) {
				return CompletableFuture.completedFuture(known);
			}
			CompletableFuture<TicketNode> before = place.arrival;
			if (before != null && !before.isDone()) {
				return before;
			}
			wasDoubtful = place.doubtful;
			place.arrival = arrival;
			// Until it is answered.
			place.doubtful = true;
		}
		finally {
			place.lock.unlock();
		}
		boolean doubtful = wasDoubtful;
		int disconnects = this.link.disconnects();
		CompletableFuture<TicketNode> created = started(
				() -> doubtful ? findOrCreate(place, session) : create(place, session));
		created.whenComplete((node, failure) -> {
			if (node != null) {
				settle(place, node, this.link.disconnects() == disconnects && !doubtful);
				arrival.complete(node);
			}
			else {
				arrival.completeExceptionally(failure);
			}
			if (place.isGivenUp()) {
				depart(place);
			}
		});
		return arrival;
	}

	/**
	 * Send something whose answer others wait for: if sending fails with an Error, too,
	 * that is the answer.
	 */
	private static <T> CompletableFuture<T> started(Supplier<CompletableFuture<T>> command) {
		try {
			return command.get();
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private CompletableFuture<TicketNode> create(ZooKeeperTicket place, ZooKeeperSession session) {
		return NodeCreation.create(this.link.client(), place.folder + "/" + LockPaths.nodePrefix(place.ticket),
				session);
	}

	private static void settle(ZooKeeperTicket place, TicketNode node, boolean certain) {
		place.lock.lock();
		try {
			place.arrived(node);
			place.doubtful = !certain;
		}
		finally {
			place.lock.unlock();
		}
	}

	private CompletableFuture<TicketNode> findOrCreate(ZooKeeperTicket place, ZooKeeperSession session) {
		return own(place, session).thenCompose((names) -> {
			if (names.isEmpty()) {
				return create(place, session);
			}
			String path = place.folder + "/" + names.get(0);
			return session.handle()
				.stat(path)
				.thenCompose((stat) -> (stat.isPresent() && session.hasId(stat.get().getEphemeralOwner()))
						? CompletableFuture.completedFuture(TicketNode.created(path, stat.get().getCzxid(), session))
						: create(place, session));
		});
	}

	/**
	 * Put a reader's node in the place of a writer's, with the writer's number: so it
	 * stands before all who wait. Answers whether the writer had its node.
	 */
	CompletableFuture<Boolean> replace(ZooKeeperTicket writer, TicketNode node, ZooKeeperTicket reader,
			long lastToken) {
		String number = node.name().substring(LockPaths.nodePrefix(writer.ticket).length());
		TicketNode next = node.replaced(reader.folder + "/" + LockPaths.nodePrefix(reader.ticket) + number, lastToken);
		AsyncZooKeeper handle = node.session().handle();
		CompletableFuture<TicketNode> arrival = new CompletableFuture<>();
		// Whoever gives the reader up waits for it, and finds its node.
		reader.expect(arrival);
		CompletableFuture<Boolean> replaced = started(() -> handle.rights(node.path()))
			.thenCompose((rights) -> (rights.isEmpty() || reader.isGivenUp()) ? CompletableFuture.completedFuture(false)
					: handle.replace(node.path(), next.path(), rights));
		return replaced.whenComplete((done, failure) -> {
			if (failure == null && done) {
				writer.missing(node);
				settle(reader, next, true);
				arrival.complete(next);
			}
			else {
				arrival.completeExceptionally((failure != null) ? failure : new KeeperException.NoNodeException());
			}
		});
	}

	/** What there is of a place for certain, the leader having been asked. */
	private CompletableFuture<List<String>> own(ZooKeeperTicket place, ZooKeeperSession session) {
		session.handle().sync(place.folder);
		return session.handle()
			.children(place.folder)
			.thenApply((names) -> new NodeLine(names).of(LockPaths.nodePrefix(place.ticket)));
	}

	/**
	 * Give a place up and delete what there is of it; answers whether there was a node.
	 * If that fails it is tried again later, without being asked.
	 */
	CompletableFuture<Boolean> depart(ZooKeeperTicket place) {
		place.giveUp();
		CompletableFuture<Boolean> departure = new CompletableFuture<>();
		CompletableFuture<TicketNode> arrival;
		place.lock.lock();
		try {
			CompletableFuture<Boolean> before = place.departure;
			if (before != null && !before.isCompletedExceptionally()) {
				return before;
			}
			place.departure = departure;
			arrival = place.arrival;
		}
		finally {
			place.lock.unlock();
		}
		if (arrival == null || arrival.isDone()) {
			delete(place, departure);
		}
		else {
			arrival.whenComplete((node, failure) -> delete(place, departure));
		}
		return departure;
	}

	private void delete(ZooKeeperTicket place, CompletableFuture<Boolean> departure) {
		started(() -> deleteNodes(place)).whenComplete((existed, failure) -> {
			if (failure == null) {
				if (this.places.remove(place.ticket.token(), place)) {
					this.folders.left(place.folder);
				}
				departure.complete(existed);
			}
			else {
				departure.completeExceptionally(failure);
			}
		});
	}

	private CompletableFuture<Boolean> deleteNodes(ZooKeeperTicket place) {
		TicketNode node = place.node();
		if (node == null && !place.doubtful) {
			return CompletableFuture.completedFuture(false);
		}
		ZooKeeperSession session = this.link.connectedSession();
		if (session == null) {
			return CompletableFuture.failedFuture(new KeeperException.ConnectionLossException());
		}
		boolean repeated = place.deletionSent;
		place.deletionSent = true;
		CompletableFuture<Boolean> known = (node != null) ? session.handle().delete(node.path())
				: CompletableFuture.completedFuture(false);
		CompletableFuture<Boolean> answer = known.thenApply((existed) -> existed || repeated && node != null);
		return place.doubtful ? answer.thenCombine(deleteDoubles(place, session), (existed, none) -> existed) : answer;
	}

	private CompletableFuture<Boolean> deleteDoubles(ZooKeeperTicket place, ZooKeeperSession session) {
		return own(place, session).thenCompose((names) -> delete(session, place.folder, names));
	}

	/** Delete several nodes; answers true when none is left. */
	static CompletableFuture<Boolean> delete(ZooKeeperSession session, String folder, List<String> names) {
		List<CompletableFuture<Boolean>> deletions = new ArrayList<>(names.size());
		for (String name : names) {
			deletions.add(session.handle().delete(folder + "/" + name));
		}
		return CompletableFuture.allOf(deletions.toArray(CompletableFuture[]::new)).thenApply((none) -> true);
	}

	/**
	 * Go on with deletions that failed, although the store has been stopped.
	 * @return whether none is left
	 */
	boolean departAfterStop() {
		departAgain();
		return all().noneMatch(ZooKeeperTicket::isGivenUp);
	}

	/** There is a connection again: go on with deletions that failed. */
	void departAgain() {
		all().filter(ZooKeeperTicket::isGivenUp).forEach(this::depart);
	}

}
