package io.github.distlock.backend.zookeeper;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.random.RandomGenerator;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockSignals;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.LockStore.Renewal;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.StoreCalls;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.StoreInspection;
import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;
import io.github.distlock.backend.zookeeper.KeyFolder.FolderWatch;
import io.github.distlock.backend.zookeeper.ZooKeeperSession.TicketNode;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.jspecify.annotations.Nullable;

/**
 * The open store of a {@link ZooKeeperLockBackend}. An attempt creates the node of its
 * ticket, finds out whether it is the first, and if not, lets it wait for its
 * predecessor. No other node is watched: so a release notifies one waiting writer, or the
 * readers that wait for the released writer. Thread-safe.
 *
 * <h2>Why the first node in a list is the first</h2> The list may come from a server that
 * is behind the leader. But a server that knows a node knows all nodes that were created
 * before it. A node that is listed may have been deleted meanwhile; then the watch finds
 * that.
 *
 * <h2>Watches</h2> This store is the watcher of all nodes. So to watch a node twice costs
 * nothing, and no watch is removed by command: it ends with its node, or with the
 * session.
 * <p>
 * A node of this JVM needs no watch: this store deletes it, and sends the list of the
 * next ticket right behind the deletion. The list shows as well whether that ticket's own
 * node still exists. If the node before was deleted by hand, the next ticket enters with
 * its next retry.
 *
 * <h2>Folders</h2> The folder of a key is removed some seconds after the last ticket of
 * this JVM has left it: a key is often locked again soon. A folder that another JVM uses
 * is not empty and stays; the JVM that leaves it last removes it. Folders are container
 * nodes as well, so the server removes those that remain.
 */
final class ZooKeeperLockStore implements LockStore, ZooKeeperConnection.SessionListener, Watcher {

	/**
	 * Share of the session timeout after which a waiting ticket is attempted again, plus
	 * a random part. Only a safety net: watches survive reconnects.
	 */
	private static final double RETRY_SHARE = 0.8;

	private static final double RETRY_JITTER = 0.2;

	private static final String CHECK = "check of the lock store";

	private static final RenewalResult GONE = new RenewalResult.Gone(false);

	private final ZooKeeperBackendSettings settings;

	private final LockSignals signals;

	private final RandomGenerator random;

	private final LockPaths paths;

	private final ZooKeeperConnection connection;

	private final ZooKeeperInspection inspection;

	/** By name, until the deletion of all their nodes is certain. */
	private final ConcurrentMap<String, ZooKeeperTicket> tickets = new ConcurrentHashMap<>();

	/** By path. What a folder knows of its use is guarded by the map. */
	private final ConcurrentMap<String, KeyFolder> folders = new ConcurrentHashMap<>();

	ZooKeeperLockStore(CuratorFramework client, ZooKeeperBackendSettings settings, TimeSource clock,
			StoreContext context) {
		this.settings = settings;
		this.signals = context.signals();
		this.random = context.random();
		this.paths = new LockPaths(settings.root());
		this.connection = new ZooKeeperConnection(client, settings.commandTimeout(), clock, this);
		this.inspection = new ZooKeeperInspection(this.paths, this.connection);
		this.connection.start();
	}

	@Override
	public String location() {
		return this.connection.location(this.paths.root());
	}

	@Override
	public void ping() {
		this.connection.call(CHECK, (session) -> session.stat(this.paths.root()));
	}

	/** Create and delete a node. No key is encoded like its name. */
	@Override
	public void verify() {
		String probe = this.paths.root() + "/%probe-" + Long.toHexString(this.random.nextLong());
		this.connection.call(CHECK,
				(session) -> session.create(probe).thenCompose((node) -> session.delete(node.path())));
	}

	@Override
	public StoreInspection inspection() {
		return this.inspection;
	}

	/**
	 * The client belongs to the application and may live on. Until the remaining nodes
	 * are deleted they block other JVMs, so the client is observed until then.
	 */
	@Override
	public void close() {
		this.connection.close();
		cleanUp();
		endIfUnused();
	}

	private void endIfUnused() {
		if (this.connection.isClosed() && this.tickets.isEmpty()) {
			this.connection.end();
		}
	}

	@Override
	public CompletionStage<AttemptResult> attempt(Ticket ticket, Duration lease, boolean queue) {
		if (this.connection.isClosed()) {
			throw StoreCalls.closed("ZooKeeper");
		}
		return this.connection.send("attempt of lock '" + ticket.key() + "'",
				(session) -> attempt(ticket, queue, session));
	}

	/**
	 * Send at once all commands that need no earlier reply: the creation of the node, and
	 * the list of the nodes if it will be needed. That list may miss the node: the folder
	 * is created first if it does not exist.
	 */
	private CompletableFuture<AttemptResult> attempt(Ticket name, boolean queue, ZooKeeperSession session) {
		ZooKeeperTicket ticket = obtain(name);
		if (ticket.isAbandoned()) {
			// An earlier attempt did not queue, and the deletion of its node has failed.
			return ticket.delete().thenCompose((deleted) -> attempt(name, queue, session));
		}
		if (queue) {
			ticket.queue();
		}
		KeyFolder folder = ticket.folder();
		boolean isNew = !ticket.hasNodeOf(session);
		FolderWatch watch = folder.watch();
		CompletableFuture<TicketNode> creation = ticket.obtainNode(session);
		folder.watchIfUseful(session, this);
		CompletableFuture<List<String>> list = (isNew && folder.isPredictable())
				? CompletableFuture.completedFuture(List.of()) : session.children(folder.path());
		return creation.thenCompose((node) -> {
			if (isNew && folder.isFirst(node, watch)) {
				return result(ticket, new Place(node, true, null), isNew, queue);
			}
			return list
				.thenCompose((names) -> names.contains(node.name()) ? place(ticket, node, names) : place(ticket, node))
				.thenCompose((place) -> result(ticket, place, isNew, queue));
		});
	}

	private CompletableFuture<AttemptResult> result(ZooKeeperTicket ticket, Place place, boolean isNew, boolean queue) {
		TicketNode node = place.node;
		if (place.isFirst && ticket.hold(node)) {
			return CompletableFuture.completedFuture(grant(ticket, node));
		}
		Duration timeout = node.session().timeout();
		if (queue) {
			double share = RETRY_SHARE + this.random.nextDouble(RETRY_JITTER);
			return CompletableFuture.completedFuture(new AttemptResult.Queued(
					Duration.ofMillis((long) (timeout.toMillis() * share)), isNew, place.holder));
		}
		// The session of the holder is not known: its timeout is the best estimate.
		AttemptResult busy = new AttemptResult.Busy(timeout, place.holder);
		return ticket.isQueued() ? CompletableFuture.completedFuture(busy)
				: ticket.delete().thenApply((existed) -> busy);
	}

	/**
	 * Whether a node is one of this JVM, which calls {@link #predecessorGone} when it
	 * deletes it. A ticket that waits for it notes that before it asks, so it is found.
	 */
	private boolean isOwn(String path, ZooKeeperSession session) {
		ZooKeeperTicket owner = this.tickets.get(NodeQueue.ticket(path.substring(path.lastIndexOf('/') + 1)));
		return owner != null && owner.willDelete(path, session);
	}

	/** Find the place of a node with a new list of the server. */
	private CompletableFuture<Place> place(ZooKeeperTicket ticket, TicketNode node) {
		return node.session().children(ticket.folder().path()).thenCompose((names) -> place(ticket, node, names));
	}

	/**
	 * Find the place of a node in a list of the server. If the ticket waits, and the node
	 * is not the first, its predecessor is watched. Fails if the node does not exist.
	 */
	private CompletableFuture<Place> place(ZooKeeperTicket ticket, TicketNode node, List<String> names) {
		if (!names.contains(node.name())) {
			ticket.removed(node);
			return CompletableFuture.failedFuture(new KeeperException.NoNodeException(node.path()));
		}
		NodeQueue queue = NodeQueue.of(names);
		List<String> duplicates = queue.nodesOf(ticket.ticket());
		String folder = ticket.folder().path();
		if (duplicates.size() > 1) {
			// Left by creations whose replies were lost.
			return node.session()
				.deleteAll(folder, duplicates.stream().filter((name) -> !name.equals(node.name())).toList())
				.thenCompose((deleted) -> place(ticket, node));
		}
		String predecessor = queue.predecessor(node.name());
		Place place = new Place(node, predecessor == null, queue.firstHolder());
		if (predecessor == null || !ticket.isQueued()) {
			return CompletableFuture.completedFuture(place);
		}
		String path = folder + "/" + predecessor;
		ticket.watching(path);
		if (isOwn(path, node.session())) {
			return CompletableFuture.completedFuture(place);
		}
		return node.session()
			.watch(path, this)
			.thenCompose((exists) -> exists ? CompletableFuture.completedFuture(place) : place(ticket, node));
	}

	/** A reader's grant has one token, since it is never handed on in this JVM. */
	private Grant grant(ZooKeeperTicket ticket, TicketNode node) {
		long first = node.firstToken();
		return new Grant(first, ticket.ticket().isReader() ? first : first + this.settings.tokensPerGrant() - 1,
				Validity.session(node.session()));
	}

	/**
	 * Works after the store has been closed too, as long as the client is open: a lock
	 * that is released late does not have to wait for the end of the session. If there is
	 * no connection in time, the deletion is repeated later.
	 */
	@Override
	public CompletionStage<ReleaseResult> release(Ticket ticket, long lastToken, @Nullable Successor next) {
		ZooKeeperTicket current = obtain(ticket);
		boolean held = current.isHeld();
		current.abandon();
		return this.connection.send("release of lock '" + ticket.key() + "'", (session) -> {
			// First, so that it is answered before it is known whether the next is first.
			CompletableFuture<Boolean> deletion = current.delete();
			if (next == null) {
				return deletion.thenApply((existed) -> new ReleaseResult(existed && held, null));
			}
			return deletion.thenCombine(attempt(next.ticket(), true, session),
					(existed, answer) -> new ReleaseResult(existed && held, answer));
		});
	}

	@Override
	public CompletionStage<?> cancel(Ticket ticket) {
		ZooKeeperTicket current = obtain(ticket);
		current.abandon();
		return this.connection.send("cancellation of lock '" + ticket.key() + "'", (session) -> current.delete());
	}

	/** The ticket of this name, which may have no node. */
	private ZooKeeperTicket obtain(Ticket ticket) {
		return this.tickets.computeIfAbsent(ticket.token(), (token) -> {
			String path = this.paths.folder(ticket.key());
			KeyFolder folder = this.folders.compute(path,
					(key, known) -> ((known != null) ? known : new KeyFolder(path)).with(ticket));
			return new ZooKeeperTicket(ticket, folder, this.connection, (node) -> predecessorGone(folder, node.path()),
					this::gone);
		});
	}

	/** No node of a ticket is left. The folder knows it as long as it can be obtained. */
	private void gone(ZooKeeperTicket ticket) {
		ticket.folder().tickets().remove(ticket.ticket());
		this.tickets.remove(ticket.ticket().token(), ticket);
		endIfUnused();
	}

	/**
	 * Find out whether held nodes still exist. Their locks need no renewal: this is
	 * called when the session was in doubt.
	 */
	@Override
	public CompletionStage<List<RenewalResult>> renew(List<Renewal> renewals) {
		return ZooKeeperSession.all(renewals.stream().map(this::renew).toList());
	}

	private CompletableFuture<RenewalResult> renew(Renewal renewal) {
		ZooKeeperTicket ticket = this.tickets.get(renewal.ticket().token());
		TicketNode node = (ticket != null && ticket.isHeld()) ? ticket.node() : null;
		if (ticket == null || node == null || renewal.lastToken() != grant(ticket, node).lastToken()
				|| node.session().hasEnded()) {
			return CompletableFuture.completedFuture(GONE);
		}
		ZooKeeperSession session = node.session();
		return this.connection.limit(session.stat(node.path()), "renewal of lock '" + renewal.ticket().key() + "'")
			.<RenewalResult>thenApply(
					(stat) -> stat.isPresent() ? new RenewalResult.Extended(Validity.session(session)) : GONE)
			.exceptionally((failure) -> session.hasEnded() ? GONE
					: new RenewalResult.Unknown((LockBackendException) StoreCalls.unwrap(failure)));
	}

	/**
	 * A folder or a node that a ticket waits for was removed, or changed by hand. Called
	 * on the event thread.
	 */
	@Override
	public void process(WatchedEvent event) {
		@Nullable String fullPath = event.getPath();
		if (fullPath == null) {
			return;
		}
		String path = this.connection.withoutNamespace(fullPath);
		KeyFolder folder = this.folders.get(path);
		KeyFolder parent = this.folders.get(path.substring(0, path.lastIndexOf('/')));
		if (folder != null) {
			folder.forgetWatch();
		}
		else if (parent != null) {
			predecessorGone(parent, path);
		}
	}

	/**
	 * A node is gone, or its deletion has been sent: a list that is sent now does not
	 * have it.
	 */
	private void predecessorGone(KeyFolder folder, String path) {
		folder.tickets().forEach((ticket) -> predecessorGone(ticket, path));
	}

	private void predecessorGone(Ticket name, String path) {
		ZooKeeperTicket ticket = this.tickets.get(name.token());
		TicketNode node = (ticket != null && ticket.isWatching(path)) ? ticket.node() : null;
		if (ticket == null || node == null) {
			return;
		}
		place(ticket, node).whenComplete((place, failure) -> {
			if (this.connection.isClosed()) {
				return;
			}
			if (failure != null) {
				this.signals.retry(name);
			}
			else if (place.isFirst && ticket.hold(node)) {
				this.signals.granted(name, grant(ticket, node));
			}
		});
	}

	@Override
	public void connected() {
		cleanUp();
		sessionInDoubt();
		if (!this.connection.isClosed()) {
			this.signals.retryAll();
		}
	}

	/**
	 * Delete the nodes whose deletion has failed, and the folders that no ticket of this
	 * JVM has used since the last call. A folder that is used meanwhile is not empty, or
	 * is created again.
	 */
	@Override
	public void cleanUp() {
		this.tickets.values().stream().filter(ZooKeeperTicket::isAbandoned).forEach(ZooKeeperTicket::delete);
		ZooKeeperSession session = this.connection.connectedSession();
		for (String path : this.folders.keySet()) {
			boolean used = this.folders.computeIfPresent(path, (key, known) -> known.isIdle() ? null : known) != null;
			if (!used && session != null) {
				session.delete(path);
			}
		}
	}

	@Override
	public void disconnected() {
		this.folders.values().forEach(KeyFolder::forgetWatch);
	}

	@Override
	public void sessionInDoubt() {
		List<Ticket> held = this.tickets.values()
			.stream()
			.filter(ZooKeeperTicket::isHeld)
			.map(ZooKeeperTicket::ticket)
			.toList();
		if (!held.isEmpty() && !this.connection.isClosed()) {
			this.signals.renewNow(held);
		}
	}

	/**
	 * The place of a node in the queue.
	 *
	 * @param node the node
	 * @param isFirst whether no node is before it that excludes it
	 * @param holder what holds the lock, for messages only
	 */
	private record Place(TicketNode node, boolean isFirst, @Nullable StoredHolder holder) {
	}

}
