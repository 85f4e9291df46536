package io.github.distlock.backend.zookeeper;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.backend.zookeeper.KeyFolder.Place;
import io.github.distlock.backend.zookeeper.ZooKeeperTicket.TicketNode;
import org.jspecify.annotations.Nullable;

/**
 * Attempts of tickets: creates the node, finds out whether it is the first, and if not,
 * lets it wait for its predecessor. The folder is listed only if this JVM does not know
 * the place of the node.
 */
final class NodeAttempts {

	/**
	 * Share of the session timeout after which a waiting ticket is attempted again, plus
	 * a random part. Only a safety net: watches survive reconnects.
	 */
	private static final double RETRY_SHARE = 0.8;

	private static final double RETRY_JITTER = 0.2;

	private final ZooKeeperConnection connection;

	private final ZooKeeperTickets tickets;

	private final PredecessorWatch predecessors;

	private final int tokensPerGrant;

	private final RandomGenerator random;

	NodeAttempts(ZooKeeperConnection connection, ZooKeeperTickets tickets, PredecessorWatch predecessors,
			int tokensPerGrant, RandomGenerator random) {
		this.connection = connection;
		this.tickets = tickets;
		this.predecessors = predecessors;
		this.tokensPerGrant = tokensPerGrant;
		this.random = random;
	}

	/**
	 * Send at once all commands that need no earlier reply: the creation of the node, the
	 * release that is to follow it, and the list of the nodes if it will be needed.
	 * @param release sends the release of the ticket before, or {@code null}
	 */
	CompletableFuture<AttemptResult> attempt(ZooKeeperTicket ticket, ZooKeeperSession session, boolean queue,
			@Nullable Supplier<CompletableFuture<Boolean>> release) {
		boolean isNew = ticket.nodeIn(session) == null;
		CompletableFuture<TicketNode> creation = this.tickets.obtainNode(ticket, session);
		CompletableFuture<Boolean> released = (release != null) ? release.get() : null;
		this.tickets.watchFolderIfUseful(ticket, session);
		CompletableFuture<List<String>> list = (isNew && ticket.keyFolder().isPredictable()) ? null
				: list(ticket, session);
		CompletableFuture<TicketNode> ready = creation;
		if (released != null) {
			// Then it is known whether the node before is gone.
			ready = ready.thenCombine(released.exceptionally((failure) -> false), (node, existed) -> node);
		}
		return ready.thenCompose((node) -> decide(ticket, node, isNew, queue, list));
	}

	/** May miss the node: the folder is created first if it does not exist. */
	private CompletableFuture<List<String>> list(ZooKeeperTicket ticket, ZooKeeperSession session) {
		return session.commands().children(ticket.folder()).exceptionally((failure) -> List.of());
	}

	private CompletableFuture<AttemptResult> decide(ZooKeeperTicket ticket, TicketNode node, boolean isNew,
			boolean queue, @Nullable CompletableFuture<List<String>> list) {
		Place place = isNew ? ticket.keyFolder().place(ticket, node, this.connection.disconnects()) : Place.UNKNOWN;
		if (place != Place.UNKNOWN) {
			return result(ticket, node, place == Place.FIRST, isNew, queue);
		}
		CompletableFuture<Boolean> first = (list == null) ? this.predecessors.isFirst(ticket, node, ticket.isQueued())
				: list.thenCompose((names) -> names.contains(node.name())
						? this.predecessors.isFirst(ticket, node, names, ticket.isQueued())
						: this.predecessors.isFirst(ticket, node, ticket.isQueued()));
		return first.thenCompose((isFirst) -> result(ticket, node, isFirst, isNew, queue));
	}

	private CompletableFuture<AttemptResult> result(ZooKeeperTicket ticket, TicketNode node, boolean first,
			boolean isNew, boolean queue) {
		if (first && hold(ticket, node)) {
			return CompletableFuture.completedFuture(new AttemptResult.Granted(grant(ticket, node)));
		}
		Duration timeout = node.session().timeout();
		StoredHolder holder = ticket.keyFolder().holder();
		if (queue) {
			double share = RETRY_SHARE + this.random.nextDouble(RETRY_JITTER);
			return CompletableFuture.completedFuture(
					new AttemptResult.Queued(Duration.ofMillis((long) (timeout.toMillis() * share)), isNew, holder));
		}
		// The session of the holder is not known: its timeout is the best estimate.
		AttemptResult busy = new AttemptResult.Busy(timeout, holder);
		return ticket.isQueued() ? CompletableFuture.completedFuture(busy)
				: this.tickets.delete(ticket).thenApply((existed) -> busy);
	}

	/**
	 * Find out whether a waiting ticket is the first, after its predecessor has gone. If
	 * it is not, the next predecessor is watched.
	 */
	CompletableFuture<Boolean> isFirst(ZooKeeperTicket ticket, TicketNode node) {
		return ticket.keyFolder().isFirst(ticket, node, this.connection.disconnects())
				? CompletableFuture.completedFuture(true) : this.predecessors.isFirst(ticket, node, true);
	}

	/**
	 * The node of a ticket is the first in the queue.
	 * @return whether the ticket holds the lock now: not if it was abandoned, or if its
	 * node does not exist any more
	 */
	boolean hold(ZooKeeperTicket ticket, TicketNode node) {
		if (!ticket.hold(node)) {
			return false;
		}
		ticket.keyFolder().holds(ticket, node, this.connection.disconnects());
		return true;
	}

	Grant grant(ZooKeeperTicket ticket, TicketNode node) {
		return ticket.grant(node, this.tokensPerGrant);
	}

}
