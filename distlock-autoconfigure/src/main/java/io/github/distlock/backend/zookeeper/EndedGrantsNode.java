package io.github.distlock.backend.zookeeper;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Pattern;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.LockSignals;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.zookeeper.AsyncZooKeeper.NodeContent;
import io.github.distlock.backend.zookeeper.ZooKeeperTicket.TicketNode;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.jspecify.annotations.Nullable;

/**
 * The grants of this instance that operators have ended: an ephemeral node of this JVM,
 * which this JVM watches. An operator adds a line to its data in the transaction that
 * deletes the ticket's node. So this JVM receives the event before any reply which says
 * that the ticket's node is gone. The node is created with the first attempt of a
 * session, whose answer waits for it.
 */
final class EndedGrantsNode implements Watcher {

	private static final Log logger = LogFactory.getLog(EndedGrantsNode.class);

	/**
	 * A holder that is paused for long reads no lines. Then the older ones are dropped.
	 */
	private static final int MOST_BYTES = 64 * 1024;

	private static final int MOST_REMEMBERED = 1000;

	/** A ticket and a grant token. */
	private static final Pattern LINE = Pattern.compile("\\S+ [0-9]{1,18}");

	private final String path;

	private final ZooKeeperConnection connection;

	private final ZooKeeperTickets tickets;

	private final LockSignals signals;

	private final ReentrantLock lock = new ReentrantLock();

	/**
	 * Grant tokens of ended grants by the name of the ticket, oldest first. A ticket
	 * whose release is under way is not among {@link #tickets} any more: it is signalled
	 * before the release is answered. A second signal of a grant is harmless. Guarded by
	 * {@link #lock}.
	 */
	private final Map<String, Long> remembered = new LinkedHashMap<>();

	/** The last creation of the node. Guarded by {@link #lock} for writing. */
	private volatile @Nullable Opening opening;

	EndedGrantsNode(String path, ZooKeeperConnection connection, ZooKeeperTickets tickets, LockSignals signals) {
		this.path = path;
		this.connection = connection;
		this.tickets = tickets;
		this.signals = signals;
	}

	/** The data of a node after an operator has ended another grant. */
	static byte[] withGrant(NodeContent node, String ticket, long grantToken) {
		String earlier = (node.data().length < MOST_BYTES) ? node.text() : "";
		return (earlier + ticket + " " + grantToken + "\n").getBytes(StandardCharsets.UTF_8);
	}

	/**
	 * Create the node, if that was not tried in this session.
	 * @return completes when the node has been created and is watched, or cannot be:
	 * locks work without it
	 */
	CompletableFuture<Boolean> ready(ZooKeeperSession session) {
		Opening current = this.opening;
		return (current != null && current.session() == session) ? current.opened() : open(session);
	}

	private CompletableFuture<Boolean> open(ZooKeeperSession session) {
		CompletableFuture<Boolean> opened = new CompletableFuture<>();
		this.lock.lock();
		try {
			Opening current = this.opening;
			if (current != null && current.session() == session && !current.hasFailed()) {
				return current.opened();
			}
			this.opening = new Opening(session, opened);
		}
		finally {
			this.lock.unlock();
		}
		create(session, true).whenComplete((named, failure) -> {
			if (failure != null) {
				logger.debug("The releases by operators cannot be observed", failure);
			}
			opened.complete(failure == null);
		});
		return opened;
	}

	/** The server may not have noticed yet that the session before has ended. */
	private CompletableFuture<Boolean> create(ZooKeeperSession session, boolean replace) {
		AsyncZooKeeper commands = session.commands();
		return commands.createIfMissing(this.path, AsyncZooKeeper.NO_DATA)
			.thenCompose((created) -> commands.read(this.path, this))
			.thenCompose((node) -> {
				if (node.isPresent() && !session.hasId(node.get().stat().getEphemeralOwner()) && replace) {
					return commands.delete(this.path).thenCompose((deleted) -> create(session, false));
				}
				return CompletableFuture.completedFuture(node.isPresent() && received(node.get(), commands));
			});
	}

	/** The client has connected. Must not block. */
	void connected() {
		Opening current = this.opening;
		ZooKeeperSession session = this.connection.connectedSession();
		if (current == null || session == null) {
			return;
		}
		if (current.session() == session && current.hasSucceeded()) {
			// The reply may have been lost that would have set the watch.
			read();
		}
		else {
			open(session);
		}
	}

	/** The store is closed, while the client may live on. Does not block. */
	void close() {
		ZooKeeperSession session = this.connection.connectedSession();
		if (this.opening != null && session != null) {
			session.commands().delete(this.path);
		}
	}

	/**
	 * Read the node, watch it, and signal the grants that it names.
	 * @return whether it named one
	 */
	CompletableFuture<Boolean> read() {
		Opening current = this.opening;
		if (current == null || !current.hasSucceeded() || current.session().hasEnded() || this.connection.isClosed()) {
			return CompletableFuture.completedFuture(false);
		}
		AsyncZooKeeper commands = current.session().commands();
		return commands.read(this.path, this).thenApply((node) -> node.isPresent() && received(node.get(), commands));
	}

	private boolean received(NodeContent node, AsyncZooKeeper commands) {
		if (node.data().length == 0) {
			return false;
		}
		received(node.text());
		// Triggers the watch, and fails if an operator has added a line meanwhile.
		commands.write(this.path, AsyncZooKeeper.NO_DATA, node.stat().getVersion());
		return true;
	}

	/** All are remembered before one is signalled. */
	private void received(String text) {
		Map<String, Long> received = new LinkedHashMap<>();
		text.lines().forEach((line) -> {
			int separator = line.indexOf(' ');
			if (LINE.matcher(line).matches()) {
				received.put(line.substring(0, separator), Long.valueOf(line.substring(separator + 1)));
			}
		});
		remember(received);
		received.forEach((token, grantToken) -> {
			ZooKeeperTicket ticket = this.tickets.find(token);
			TicketNode node = (ticket != null) ? ticket.node() : null;
			if (ticket != null && node != null && node.firstToken() == grantToken) {
				ended(ticket, node);
			}
		});
	}

	/**
	 * Called on the event thread. Another thread may make the ticket the holder at the
	 * same time, if the reply arrived before that thread waited for it: the ticket
	 * decides which of the two is first.
	 */
	private void ended(ZooKeeperTicket ticket, TicketNode node) {
		if (ticket.removed(node)) {
			this.tickets.delete(ticket);
			this.signals.ended(ticket.ticket(), node.firstToken());
		}
		else {
			// The store granted the lock, but this JVM does not know that yet.
			this.signals.retry(ticket.ticket());
		}
	}

	private void remember(Map<String, Long> received) {
		this.lock.lock();
		try {
			this.remembered.putAll(received);
			while (this.remembered.size() > MOST_REMEMBERED) {
				this.remembered.remove(this.remembered.keySet().iterator().next());
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * The store is about to answer that a ticket does not hold the lock. Signals it if an
	 * operator ended the grant.
	 * @param unexpected whether the ticket held the lock as far as this JVM knew: then
	 * the node is read
	 */
	void beforeAnswer(Ticket ticket, boolean unexpected) {
		if (signal(ticket) || !unexpected) {
			return;
		}
		try {
			this.connection.await(read(), "search for the operator's release of lock '" + ticket.key() + "'");
		}
		catch (LockBackendException ex) {
			logger.debug("It is not known whether an operator released a lock", ex);
		}
		signal(ticket);
	}

	/** Signal a ticket if an operator ended its grant. */
	boolean signal(Ticket ticket) {
		Long grantToken;
		this.lock.lock();
		try {
			grantToken = this.remembered.remove(ticket.token());
		}
		finally {
			this.lock.unlock();
		}
		if (grantToken != null) {
			this.signals.ended(ticket, grantToken);
		}
		return grantToken != null;
	}

	/** Called on the event thread. */
	@Override
	public void process(WatchedEvent event) {
		if (event.getType() == Event.EventType.NodeDataChanged) {
			read();
		}
	}

	/**
	 * A creation of the node.
	 *
	 * @param session the session
	 * @param opened completes with whether the node was created
	 */
	private record Opening(ZooKeeperSession session, CompletableFuture<Boolean> opened) {

		boolean hasSucceeded() {
			return this.opened.getNow(false);
		}

		boolean hasFailed() {
			return !this.opened.getNow(true);
		}

	}

}
