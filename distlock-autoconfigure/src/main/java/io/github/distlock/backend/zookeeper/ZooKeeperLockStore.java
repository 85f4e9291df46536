package io.github.distlock.backend.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.AttemptOptions;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.BackendDescription;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockSignals;
import io.github.distlock.backend.LockStore.Renewal;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.StoreCalls;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.StoreInspection;
import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;
import io.github.distlock.backend.zookeeper.KeyFolder.Place;
import io.github.distlock.backend.zookeeper.ZooKeeperTicket.TicketNode;
import org.apache.curator.framework.CuratorFramework;
import org.jspecify.annotations.Nullable;

/**
 * The open store of a {@link ZooKeeperLockBackend}: the verbs, and the signals that
 * follow from events of ZooKeeper. An attempt creates the node of its ticket, finds out
 * whether it is the first, and if not, lets it wait for its predecessor. The folder is
 * listed only if this JVM does not know the place of the node. Thread-safe.
 */
final class ZooKeeperLockStore implements LockStore, ZooKeeperConnection.SessionListener {

	/**
	 * Share of the session timeout after which a waiting ticket is attempted again, plus
	 * a random part. Only a safety net: watches survive reconnects.
	 */
	private static final double RETRY_SHARE = 0.8;

	private static final double RETRY_JITTER = 0.2;

	private static final RenewalResult GONE = new RenewalResult.Gone();

	private static final CompletableFuture<?> NOT_AWAITED = CompletableFuture.completedFuture(true);

	private final BackendDescription description;

	private final LockSignals signals;

	private final LockPaths paths;

	private final ZooKeeperConnection connection;

	private final ZooKeeperTickets tickets;

	private final PredecessorWatch predecessors = new PredecessorWatch(this::predecessorGone);

	/**
	 * The tickets of closed stores of the same backend. Their locks may be released late,
	 * and a deletion that fails then is repeated by this store.
	 */
	private final List<ZooKeeperTickets> earlierTickets;

	private final RandomGenerator random;

	private final ZooKeeperInspection inspection;

	/**
	 * The releases that are not one command of the connected session, by key. Attempts of
	 * the key are sent after their end, so that the order is kept.
	 */
	private final ConcurrentMap<String, CompletableFuture<?>> unordered = new ConcurrentHashMap<>();

	ZooKeeperLockStore(CuratorFramework client, ClientSession session, ZooKeeperBackendSettings settings,
			BackendDescription description, TimeSource clock, StoreContext context,
			List<ZooKeeperTickets> earlierTickets) {
		this.description = description;
		this.signals = context.signals();
		this.paths = new LockPaths(settings.root());
		this.connection = new ZooKeeperConnection(client, session, settings.commandTimeout(), clock, this);
		this.tickets = new ZooKeeperTickets(this.connection, this.paths, this::predecessorGone);
		this.random = context.random();
		this.inspection = new ZooKeeperInspection(this.paths, this.connection);
		this.earlierTickets = earlierTickets;
		this.connection.start();
	}

	@Override
	public BackendDescription description() {
		return this.description;
	}

	@Override
	public String location() {
		return this.connection.location(this.paths.root());
	}

	@Override
	public void ping() {
		this.connection.await(this.connection.send("check of the lock store",
				(session) -> session.commands().stat(this.paths.root())));
	}

	@Override
	public StoreInspection inspection() {
		return this.inspection;
	}

	@Override
	public void close() {
		this.connection.close();
		// The client belongs to the application and may live on. Until the remaining
		// nodes are deleted they block other JVMs.
		this.connection.runUntilDone(this.tickets::retryDeletions);
	}

	@Override
	public void verify() {
		String probe = this.paths.probe(Long.toHexString(ThreadLocalRandom.current().nextLong()));
		this.connection
			.await(this.connection.send("check of the lock store", (session) -> this.tickets.createNode(probe, session)
				.thenCompose((node) -> session.commands().delete(node.path()))));
	}

	/** A session carries all commands, and the server keeps their order. */
	@Override
	public boolean keepsOrder() {
		return true;
	}

	@Override
	public CompletionStage<AttemptResult> attempt(Ticket ticket, Duration lease, AttemptOptions options) {
		if (this.connection.isClosed()) {
			throw StoreCalls.closed("ZooKeeper");
		}
		CompletableFuture<?> release = this.unordered.getOrDefault(ticket.key(), NOT_AWAITED);
		return release.handle((end, failure) -> end)
			.thenCompose((end) -> this.connection.send("attempt of lock '" + ticket.key() + "'",
					(session) -> attempt(ticket, options.queue(), session)));
	}

	private CompletableFuture<AttemptResult> attempt(Ticket ticket, boolean queue, ZooKeeperSession session) {
		ZooKeeperTicket current = this.tickets.obtain(ticket);
		if (current.isAbandoned()) {
			// An earlier attempt did not queue, and the deletion of its node has failed.
			return this.tickets.delete(current).thenCompose((deleted) -> attempt(ticket, queue, session));
		}
		if (queue) {
			current.queue();
		}
		return attempt(current, session, queue, null);
	}

	/**
	 * Send at once all commands that need no earlier reply: the creation of the node, the
	 * release that is to follow it, and the list of the nodes if it will be needed.
	 * @param release sends the release of the ticket before, or {@code null}
	 */
	private CompletableFuture<AttemptResult> attempt(ZooKeeperTicket ticket, ZooKeeperSession session, boolean queue,
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
	private CompletableFuture<Boolean> isFirst(ZooKeeperTicket ticket, TicketNode node) {
		return ticket.keyFolder().isFirst(ticket, node, this.connection.disconnects())
				? CompletableFuture.completedFuture(true) : this.predecessors.isFirst(ticket, node, true);
	}

	/**
	 * The node of a ticket is the first in the queue.
	 * @return whether the ticket holds the lock now: not if it was abandoned, or if its
	 * node does not exist any more
	 */
	private boolean hold(ZooKeeperTicket ticket, TicketNode node) {
		if (!ticket.hold(node)) {
			return false;
		}
		ticket.keyFolder().holds(ticket, node, this.connection.disconnects());
		return true;
	}

	private Grant grant(ZooKeeperTicket ticket, TicketNode node) {
		return ticket.grant(node, this.description.tokensPerGrant());
	}

	/**
	 * Works after the store has been closed too, as long as the client is open: a lock
	 * that is released late does not have to wait for the end of the session.
	 */
	@Override
	public CompletionStage<ReleaseResult> release(Ticket ticket, long lastToken, @Nullable Successor next) {
		String command = "release of lock '" + ticket.key() + "'";
		ZooKeeperTicket current = this.tickets.find(ticket);
		ZooKeeperSession connected = this.connection.connectedSession();
		boolean held = current != null && current.isHeld();
		boolean ordered = current == null || (connected != null && current.isHeldByOneNode(connected));
		CompletableFuture<ReleaseResult> released = (next == null)
				? remove(current, command).thenApply((existed) -> new ReleaseResult(existed && held, null))
				: replace(current, held, next, command);
		if (!ordered) {
			CompletableFuture<?> all = this.unordered.merge(ticket.key(), released,
					(one, other) -> CompletableFuture.allOf(one, other));
			all.whenComplete((end, failure) -> this.unordered.remove(ticket.key(), all));
		}
		return released;
	}

	private CompletableFuture<ReleaseResult> replace(@Nullable ZooKeeperTicket current, boolean held, Successor next,
			String command) {
		if (current != null) {
			current.abandon();
		}
		return this.connection.send(command, (session) -> {
			ZooKeeperTicket successor = this.tickets.obtain(next.ticket());
			successor.queue();
			List<CompletableFuture<Boolean>> deletion = new ArrayList<>(1);
			CompletableFuture<AttemptResult> attempt = attempt(successor, session, true, () -> {
				deletion.add(remove(current));
				return deletion.get(0);
			});
			return deletion.get(0)
				.thenCombine(attempt, (existed, answer) -> new ReleaseResult(existed && held, answer));
		});
	}

	@Override
	public CompletionStage<?> cancel(Ticket ticket) {
		return remove(this.tickets.find(ticket), "cancellation of lock '" + ticket.key() + "'");
	}

	/** If there is no connection in time, the deletion is repeated later. */
	private CompletableFuture<Boolean> remove(@Nullable ZooKeeperTicket ticket, String command) {
		if (ticket == null) {
			return remove(null);
		}
		ticket.abandon();
		return this.connection.send(command, (session) -> remove(ticket));
	}

	private CompletableFuture<Boolean> remove(@Nullable ZooKeeperTicket ticket) {
		if (ticket == null) {
			return CompletableFuture.completedFuture(false);
		}
		this.predecessors.unwatch(ticket);
		return this.tickets.delete(ticket);
	}

	/**
	 * Find out whether held nodes still exist. Their locks need no renewal: this is
	 * called when the session was in doubt.
	 */
	@Override
	public CompletionStage<List<RenewalResult>> renew(List<Renewal> renewals) {
		List<CompletableFuture<RenewalResult>> replies = new ArrayList<>(renewals.size());
		for (Renewal renewal : renewals) {
			replies.add(renew(renewal));
		}
		return this.connection
			.limit(CompletableFuture.allOf(replies.toArray(CompletableFuture[]::new)),
					"renewal of " + renewals.size() + " locks")
			.handle((all, failure) -> replies.stream()
				.map((reply) -> (failure == null || reply.isDone()) ? reply.join()
						: new RenewalResult.Unknown((LockBackendException) StoreCalls.unwrap(failure)))
				.toList());
	}

	private CompletableFuture<RenewalResult> renew(Renewal renewal) {
		ZooKeeperTicket ticket = this.tickets.find(renewal.ticket());
		TicketNode node = (ticket != null && ticket.isHeld()) ? ticket.node() : null;
		if (ticket == null || node == null
				|| renewal.lastToken() != ticket.grant(node, this.description.tokensPerGrant()).lastToken()
				|| node.session().hasEnded()) {
			return CompletableFuture.completedFuture(GONE);
		}
		ZooKeeperSession session = node.session();
		return session.commands()
			.stat(node.path())
			.<RenewalResult>thenApply(
					(stat) -> stat.isPresent() ? new RenewalResult.Extended(Validity.session(session)) : GONE)
			.exceptionally((failure) -> session.hasEnded() ? GONE : new RenewalResult.Unknown(this.connection
				.failed("renewal of lock '" + renewal.ticket().key() + "'", StoreCalls.unwrap(failure))));
	}

	/** Called on the event thread: must not block. */
	private void predecessorGone(ZooKeeperTicket ticket) {
		TicketNode node = ticket.node();
		if (node == null || ticket.isAbandoned()) {
			return;
		}
		isFirst(ticket, node).whenComplete((first, failure) -> {
			if (this.connection.isClosed()) {
				return;
			}
			if (failure != null) {
				this.signals.retry(ticket.ticket());
			}
			else if (first && hold(ticket, node)) {
				this.signals.granted(ticket.ticket(), grant(ticket, node));
			}
		});
	}

	@Override
	public void sessionInDoubt() {
		List<Ticket> held = this.tickets.all().filter(ZooKeeperTicket::isHeld).map(ZooKeeperTicket::ticket).toList();
		if (!held.isEmpty()) {
			this.signals.renewNow(held);
		}
	}

	ZooKeeperTickets tickets() {
		return this.tickets;
	}

	@Override
	public void stillConnected() {
		retryDeletions();
	}

	private void retryDeletions() {
		this.tickets.retryDeletions();
		this.earlierTickets.forEach(ZooKeeperTickets::retryDeletions);
	}

	@Override
	public void connected(boolean newSession) {
		if (newSession) {
			this.predecessors.clear();
		}
		retryDeletions();
		sessionInDoubt();
		this.signals.retryAll();
	}

}
