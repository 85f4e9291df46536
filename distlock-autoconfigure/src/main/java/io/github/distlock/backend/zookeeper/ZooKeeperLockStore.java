package io.github.distlock.backend.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;

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
		String command = "check of the lock store";
		this.connection.await(this.connection.session(command).commands().stat(this.paths.root()), command);
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
		String command = "check of the lock store";
		ZooKeeperSession session = this.connection.session(command);
		String probe = this.paths.probe(Long.toHexString(ThreadLocalRandom.current().nextLong()));
		TicketNode node = this.connection.await(this.tickets.createNode(probe, session), command);
		this.connection.await(session.commands().delete(node.path()), command);
	}

	@Override
	public AttemptResult attempt(Ticket ticket, Duration lease, boolean queue) {
		String command = "attempt of lock '" + ticket.key() + "'";
		if (this.connection.isClosed()) {
			throw StoreCalls.closed("ZooKeeper");
		}
		ZooKeeperTicket current = this.tickets.obtain(ticket);
		if (current.isAbandoned()) {
			// An earlier attempt did not queue, and the deletion of its node has failed.
			this.connection.await(this.tickets.delete(current), command);
			current = this.tickets.obtain(ticket);
		}
		if (queue) {
			current.queue();
		}
		return this.connection.await(this.attempts.attempt(current, this.connection.session(command), queue, null),
				command);
	}

	/**
	 * Works after the store has been closed too, as long as the client is open: a lock
	 * that is released late does not have to wait for the end of the session.
	 */
	@Override
	public ReleaseResult release(Ticket ticket, long lastToken, @Nullable Successor next) {
		String command = "release of lock '" + ticket.key() + "'";
		return release(this.tickets.find(ticket), next, command);
	}

	/** A session carries all commands, and the server keeps their order. */
	@Override
	public @Nullable CompletionStage<ReleaseResult> releaseInOrder(Ticket ticket, long lastToken,
			@Nullable Successor next) {
		ZooKeeperTicket current = this.tickets.find(ticket);
		ZooKeeperSession session = this.connection.connectedSession();
		if (next != null || current == null || session == null || !current.isHeldByOneNode(session)) {
			return null;
		}
		return this.connection.limit(remove(current), () -> "release of lock '" + ticket.key() + "'")
			.thenApply((existed) -> new ReleaseResult(existed, null));
	}

	private ReleaseResult release(@Nullable ZooKeeperTicket current, @Nullable Successor next, String command) {
		boolean held = current != null && current.isHeld();
		if (next == null) {
			return new ReleaseResult(remove(current, command) && held, null);
		}
		ZooKeeperTicket successor = this.tickets.obtain(next.ticket());
		successor.queue();
		if (current != null) {
			current.abandon();
		}
		ZooKeeperSession session = this.connection.session(command);
		List<CompletableFuture<Boolean>> deletion = new ArrayList<>(1);
		CompletableFuture<AttemptResult> attempt = this.attempts.attempt(successor, session, true, () -> {
			deletion.add(remove(current));
			return deletion.get(0);
		});
		boolean existed = this.connection.await(deletion.get(0), command);
		return new ReleaseResult(existed && held, this.connection.await(attempt, command));
	}

	@Override
	public void cancel(Ticket ticket) {
		remove(this.tickets.find(ticket), "cancellation of lock '" + ticket.key() + "'");
	}

	private boolean remove(@Nullable ZooKeeperTicket ticket, String command) {
		if (ticket != null) {
			ticket.abandon();
			// Waits for a connection. If there is none, the deletion is repeated later.
			this.connection.session(command);
		}
		return this.connection.await(remove(ticket), command);
	}

	private CompletableFuture<Boolean> remove(@Nullable ZooKeeperTicket ticket) {
		if (ticket == null) {
			return CompletableFuture.completedFuture(false);
		}
		this.predecessors.unwatch(ticket);
		return this.tickets.delete(ticket);
	}

	@Override
	public List<RenewalResult> renew(List<Renewal> renewals) {
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
