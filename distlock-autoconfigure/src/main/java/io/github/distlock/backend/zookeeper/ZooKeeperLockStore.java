package io.github.distlock.backend.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ThreadLocalRandom;

import io.github.distlock.backend.AttemptOptions;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.BackendDescription;
import io.github.distlock.backend.LockSignals;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.StoreCalls;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.StoreInspection;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.zookeeper.ZooKeeperTicket.TicketNode;
import org.apache.curator.framework.CuratorFramework;
import org.jspecify.annotations.Nullable;

/**
 * The open store of a {@link ZooKeeperLockBackend}: the verbs, and the signals that
 * follow from events of ZooKeeper. Thread-safe.
 */
final class ZooKeeperLockStore implements LockStore, ZooKeeperConnection.SessionListener {

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

	private final NodeAttempts attempts;

	private final NodeRenewals renewals;

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
		this.attempts = new NodeAttempts(this.connection, this.tickets, this.predecessors, description.tokensPerGrant(),
				context.random());
		this.renewals = new NodeRenewals(this.connection, this.tickets, description.tokensPerGrant());
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
		return this.attempts.attempt(current, session, queue, null);
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
			CompletableFuture<AttemptResult> attempt = this.attempts.attempt(successor, session, true, () -> {
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

	@Override
	public CompletionStage<List<RenewalResult>> renew(List<Renewal> renewals) {
		return this.renewals.renew(renewals);
	}

	/** Called on the event thread: must not block. */
	private void predecessorGone(ZooKeeperTicket ticket) {
		TicketNode node = ticket.node();
		if (node == null || ticket.isAbandoned()) {
			return;
		}
		this.attempts.isFirst(ticket, node).whenComplete((first, failure) -> {
			if (this.connection.isClosed()) {
				return;
			}
			if (failure != null) {
				this.signals.retry(ticket.ticket());
			}
			else if (first && this.attempts.hold(ticket, node)) {
				this.signals.granted(ticket.ticket(), this.attempts.grant(ticket, node));
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
