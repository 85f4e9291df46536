package io.github.distlock.backend.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;

import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.BackendDescription;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockSignals;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.StoreCalls;
import io.github.distlock.backend.Ticket;
import org.jspecify.annotations.Nullable;

/**
 * The open store of a {@link ZooKeeperLockBackend}. Thread-safe.
 */
final class ZooKeeperLockStore implements LockStore {

	/**
	 * Watches are kept over reconnects; looking again is only for what nobody foresaw.
	 */
	private static final double SAFETY_SHARE = 0.8;

	private static final double SAFETY_JITTER = 0.2;

	private final ZooKeeperConnection link;

	private final LockPaths paths;

	private final ZooKeeperTickets places;

	private final PredecessorWatch standing;

	private final HeldNodes heldNodes;

	private final BackendDescription description;

	private final ZooKeeperSignals signals;

	ZooKeeperLockStore(ZooKeeperConnection link, LockPaths paths, BackendDescription description, LockSignals signals) {
		this.link = link;
		this.paths = paths;
		this.places = new ZooKeeperTickets(this.link, this.paths);
		this.description = description;
		this.signals = new ZooKeeperSignals(this.places, this::grant);
		this.standing = this.signals.standing();
		this.heldNodes = new HeldNodes(this.link, this.places, description.tokensPerGrant());
		this.signals.to(signals);
		this.link.open(this.signals);
	}

	@Override
	public BackendDescription description() {
		return this.description;
	}

	@Override
	public void close() {
		this.link.close();
		this.signals.to(null);
		// The client belongs to the application and may live on: what is still to be
		// deleted would keep every JVM out.
		this.link.onConnection(this.places::departAfterStop);
	}

	@Override
	public void verify() {
		String what = "trial of the lock store";
		ZooKeeperSession session = this.link.session(what);
		String probe = this.paths.probe(Long.toHexString(ThreadLocalRandom.current().nextLong()));
		TicketNode node = this.link.await(NodeCreation.create(this.link.client(), probe, session), what);
		this.link.await(session.handle().delete(node.path()), what);
	}

	@Override
	public AttemptResult attempt(Ticket ticket, Duration lease, boolean queue) {
		String what = "attempt of lock '" + ticket.key() + "'";
		if (!this.link.isOpen()) {
			throw StoreCalls.closed("ZooKeeper");
		}
		ZooKeeperTicket place = this.places.obtain(ticket);
		if (place.isGivenUp()) {
			// It did not want to wait, asks again, and was not yet withdrawn for certain.
			this.link.await(this.places.depart(place), what);
			place = this.places.obtain(ticket);
		}
		place.queued |= queue;
		return this.link.await(attempt(place, this.link.session(what), queue, null), what);
	}

	/**
	 * Everything that needs no answer of what comes before is sent at once: the creation,
	 * what is to follow it, and the question who is there.
	 */
	private CompletableFuture<AttemptResult> attempt(ZooKeeperTicket place, ZooKeeperSession session, boolean queue,
			@Nullable Runnable afterCreation) {
		boolean arrives = place.nodeIn(session) == null;
		CompletableFuture<TicketNode> arrival = this.places.arrive(place, session);
		if (afterCreation != null) {
			afterCreation.run();
		}
		// Not to be relied on: folders may have to be made before the node.
		CompletableFuture<List<String>> early = session.handle()
			.children(place.folder)
			.exceptionally((failure) -> List.of());
		return arrival
			.thenCompose((node) -> early.thenCompose(
					(names) -> names.contains(node.name()) ? this.standing.isFirst(place, node, names, place.queued)
							: this.standing.isFirst(place, node, place.queued)))
			.thenCompose((first) -> answer(place, session, first, queue, arrives));
	}

	private CompletableFuture<AttemptResult> answer(ZooKeeperTicket place, ZooKeeperSession session, boolean first,
			boolean queue, boolean arrives) {
		TicketNode node = place.node();
		if (first && node != null && place.hold()) {
			return CompletableFuture.completedFuture(new AttemptResult.Granted(grant(place, node)));
		}
		Duration timeout = session.timeout();
		if (queue) {
			double share = SAFETY_SHARE + ThreadLocalRandom.current().nextDouble(SAFETY_JITTER);
			return CompletableFuture.completedFuture(
					new AttemptResult.Waiting(Duration.ofMillis((long) (timeout.toMillis() * share)), arrives));
		}
		// Nobody knows how long the session of the holder will last.
		AttemptResult busy = new AttemptResult.Busy(timeout);
		return place.queued ? CompletableFuture.completedFuture(busy)
				: this.places.depart(place).thenApply((existed) -> busy);
	}

	private Grant grant(ZooKeeperTicket place, TicketNode node) {
		return place.grant(node, this.description.tokensPerGrant());
	}

	/**
	 * Works as long as the client is open, after the store has been stopped, too: a lock
	 * that is given back late need not wait for the end of the session.
	 */
	@Override
	public ReleaseResult release(Ticket ticket, long lastToken, @Nullable Successor next) {
		String what = "release of lock '" + ticket.key() + "'";
		ZooKeeperTicket place = this.places.find(ticket);
		boolean held = place != null && place.isHeld();
		if (next == null) {
			return new ReleaseResult(leave(place, what) && held, null);
		}
		if (next.ticket().isReader() && !ticket.isReader()) {
			return downgrade(place, this.places.obtain(next.ticket()), lastToken, what);
		}
		ZooKeeperTicket following = this.places.obtain(next.ticket());
		following.queued = true;
		if (place != null) {
			place.giveUp();
		}
		ZooKeeperSession session = this.link.session(what);
		List<CompletableFuture<Boolean>> departure = new ArrayList<>(1);
		CompletableFuture<AttemptResult> answer = attempt(following, session, true, () -> departure.add(depart(place)));
		boolean existed = this.link.await(departure.get(0), what);
		return new ReleaseResult(existed && held, this.link.await(answer, what));
	}

	/**
	 * The writer's node becomes the reader's in one transaction. Until that is answered
	 * the writer is not given up, or its node might be deleted first.
	 */
	private ReleaseResult downgrade(@Nullable ZooKeeperTicket writer, ZooKeeperTicket reader, long lastToken,
			String what) {
		TicketNode known = reader.node();
		if (known != null && reader.isHeld()) {
			// A copy of the command.
			return new ReleaseResult(false, new AttemptResult.Granted(grant(reader, known)));
		}
		boolean done = false;
		try {
			ZooKeeperSession session = this.link.session(what);
			TicketNode node = (writer != null && writer.isHeld()) ? writer.nodeIn(session) : null;
			done = writer != null && node != null
					&& this.link.await(this.places.replace(writer, node, reader, lastToken), what);
		}
		finally {
			if (!done) {
				depart(reader);
			}
		}
		depart(writer);
		TicketNode node = reader.node();
		if (node != null && reader.hold()) {
			return new ReleaseResult(true, new AttemptResult.Granted(grant(reader, node)));
		}
		return new ReleaseResult(false, null);
	}

	@Override
	public void cancel(Ticket ticket) {
		leave(this.places.find(ticket), "cancellation of lock '" + ticket.key() + "'");
	}

	private boolean leave(@Nullable ZooKeeperTicket place, String what) {
		if (place != null) {
			place.giveUp();
			// Waits for a connection; without one the deletion is made up for later.
			this.link.session(what);
		}
		return this.link.await(depart(place), what);
	}

	private CompletableFuture<Boolean> depart(@Nullable ZooKeeperTicket place) {
		if (place == null) {
			return CompletableFuture.completedFuture(false);
		}
		this.standing.forget(place);
		return this.places.depart(place);
	}

	@Override
	public List<RenewalResult> renew(List<Renewal> renewals) {
		return this.heldNodes.renew(renewals);
	}

}
