package io.github.distlock.backend.redlock;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.BackendDescription;
import io.github.distlock.backend.LockSignals;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.QuorumNode;
import io.github.distlock.backend.QuorumNode.Claim;
import io.github.distlock.backend.QuorumNode.Vote;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.StoreCalls;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;
import io.github.distlock.backend.redlock.LockRound.Result;
import io.github.distlock.thread.LockThreads;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The store between its start and its stop: what is known of the tickets of this JVM that
 * wait or hold. A ticket is here from when it waits or holds until it is released or
 * cancelled, or its claim has expired on all nodes.
 */
final class RedlockStore implements LockStore {

	private static final Log logger = LogFactory.getLog(RedlockStore.class);

	private static final Duration FIXED_DRIFT = Duration.ofMillis(2);

	/** How long an answer is kept that nobody has heard yet. */
	private static final Duration UNTOLD = Duration.ofSeconds(10);

	private final ConcurrentMap<Ticket, RedlockTicket> candidates = new ConcurrentHashMap<>();

	private final AtomicLong claims = new AtomicLong();

	private final CompletableFuture<Boolean> connected = new CompletableFuture<>();

	private final ScheduledExecutorService timers = Executors
		.newSingleThreadScheduledExecutor(LockThreads.named("distlock-redlock"));

	private final RedlockBackend backend;

	private final Quorum quorum;

	private final RedlockSettings settings;

	private final TimeSource clock;

	private final LockSignals signals;

	private final RoundPause courtesy;

	private final RedlockRenewals renewals;

	private volatile boolean closed;

	RedlockStore(RedlockBackend backend, Quorum quorum, RedlockSettings settings, TimeSource clock,
			LockSignals signals) {
		this.backend = backend;
		this.quorum = quorum;
		this.settings = settings;
		this.clock = clock;
		this.signals = signals;
		this.courtesy = new RoundPause(this.timers, clock);
		this.renewals = new RedlockRenewals(quorum, settings.longestLease(), clock);
	}

	/**
	 * A majority is connected, or enough time has passed: nobody waits for it any more.
	 */
	void connected() {
		this.connected.complete(true);
	}

	@Override
	public BackendDescription description() {
		return this.backend.description();
	}

	@Override
	public void close() {
		this.closed = true;
		this.connected.complete(true);
		this.timers.shutdownNow();
		this.candidates.clear();
		this.quorum.nodes().forEach(QuorumNode::stop);
	}

	/** Also waits for the first connections. */
	private void requireOpen() {
		if (this.closed) {
			throw StoreCalls.closed("Redlock");
		}
		if (!this.connected.isDone()) {
			this.connected.join();
		}
	}

	@Override
	public void verify() {
		requireOpen();
		this.quorum.verify(this.settings.longestLease());
	}

	/** A node says that the lock is free there. */
	void woken(QuorumNode node, Ticket ticket) {
		RedlockTicket candidate = this.candidates.get(ticket);
		if (candidate != null && candidate.tenure() == null) {
			candidate.woken();
			this.signals.lookAgain(ticket);
		}
		else {
			// It has left, or has the lock: let the next one know.
			dequeue(node, ticket);
		}
	}

	@Override
	public AttemptResult attempt(Ticket ticket, Duration lease, boolean queue) {
		this.backend.validateLease(ticket.key(), lease);
		requireOpen();
		RedlockTicket candidate = this.candidates.get(ticket);
		WonRound held = (candidate != null) ? candidate.tenure() : null;
		if (candidate != null && held != null) {
			if (!held.grant().validity().hasPassed(this.clock)) {
				return new AttemptResult.Granted(held.grant());
			}
			depart(ticket, held, 0);
			candidate.holds(null);
		}
		Duration pause = queue ? this.courtesy.remaining(ticket.key()) : null;
		if (pause != null) {
			return new AttemptResult.Waiting(pause.plus(RedlockTicket.retry(0)), false);
		}
		// Before it is sent: a node may wake the ticket sooner than all have answered.
		RedlockTicket waiting = queue ? this.candidates.computeIfAbsent(ticket, (key) -> new RedlockTicket())
				: candidate;
		int queueAt = queue ? queueAt(ticket.key(), waiting) : -1;
		LockRound election = LockRound.hold(this.quorum, new Claim(ticket, this.claims.incrementAndGet()), lease,
				this.settings.longestLease(), queueAt, this.clock);
		Result result = resultOf(election);
		if (result instanceof Result.Won won) {
			WonRound tenure = tenure(election, won);
			if (tenure != null) {
				entered(this.candidates.computeIfAbsent(ticket, (key) -> new RedlockTicket()), tenure, queueAt);
				return new AttemptResult.Granted(tenure.grant());
			}
			result = new Result.Lost(Duration.ZERO, false, queueAt);
		}
		undo(election);
		if (result instanceof Result.Failed failed) {
			if (waiting != null && candidate == null) {
				this.candidates.remove(ticket, waiting);
			}
			throw failed.cause();
		}
		Result.Lost lost = (Result.Lost) result;
		return (queue && waiting != null) ? waiting(waiting, lost, queueAt, lease)
				: new AttemptResult.Busy(lost.remaining());
	}

	/** Who has the lock waits no more, and must not be told instead of somebody else. */
	private void entered(RedlockTicket candidate, WonRound tenure, int queueAt) {
		candidate.holds(tenure);
		Ticket ticket = tenure.election().claim().ticket();
		int queuedAt = candidate.queuedAt();
		if (queuedAt >= 0) {
			candidate.woken();
			dequeue(this.quorum.node(queuedAt), ticket);
		}
		else if (queueAt >= 0) {
			tenure.election().votes().get(queueAt).thenAccept((vote) -> {
				if (vote instanceof Vote.Held held && held.queued()) {
					dequeue(this.quorum.node(queueAt), ticket);
				}
			});
		}
	}

	private static void dequeue(QuorumNode node, Ticket ticket) {
		node.forget(ticket).whenComplete((done, failure) -> ignore(failure));
	}

	private Result resultOf(LockRound election) {
		try {
			return election.result();
		}
		catch (LockBackendException ex) {
			return new Result.Failed(ex);
		}
	}

	private AttemptResult waiting(RedlockTicket candidate, Result.Lost lost, int queueAt, Duration lease) {
		Duration look = lost.queued() ? candidate.queued(queueAt, lease, lost.remaining())
				: candidate.notQueued(lost.heldAt());
		return new AttemptResult.Waiting(look, candidate.isNew());
	}

	private int queueAt(String key, @Nullable RedlockTicket candidate) {
		int before = (candidate != null) ? candidate.queueAt() : -1;
		return (before >= 0 && this.quorum.node(before).isListening()) ? before : this.quorum.listener(key);
	}

	/** The lock is held if that took less time than the lease. */
	private @Nullable WonRound tenure(LockRound election, Result.Won won) {
		long last = won.token() + this.settings.tokensPerGrant() - 1;
		Validity validity = Validity.until(election.sent(), withoutDrift(election.lease()));
		boolean secured;
		try {
			secured = election.secure(won, last);
		}
		catch (LockBackendException ex) {
			secured = false;
		}
		return (secured && !validity.hasPassed(this.clock)) ? new WonRound(election, won.token(), last, validity)
				: null;
	}

	/** The nodes' clocks may run a little faster than ours. */
	static Duration withoutDrift(Duration lease) {
		return lease.minus(lease.dividedBy(100)).minus(FIXED_DRIFT);
	}

	private void undo(LockRound election) {
		new RoundRelease(this.quorum, election, 0, null, election.lease(), this.settings.nodeTimeout(), this.timers,
				this.clock)
			.begin();
	}

	private RoundRelease depart(Ticket ticket, WonRound tenure, long lastToken) {
		return tenure.leave(() -> new RoundRelease(this.quorum, tenure.election(), tenure.used(lastToken),
				() -> this.courtesy.begin(ticket.key()), tenure.lease(), this.settings.nodeTimeout(), this.timers,
				this.clock));
	}

	private void forget(Ticket ticket, WonRound tenure) {
		this.candidates.computeIfPresent(ticket, (key, known) -> (known.tenure() == tenure) ? null : known);
	}

	@Override
	public ReleaseResult release(Ticket ticket, long lastToken, @Nullable Successor next) {
		requireOpen();
		if (!release(ticket, lastToken)) {
			return new ReleaseResult(false, null);
		}
		return new ReleaseResult(true, (next != null) ? successor(next) : null);
	}

	/** The release is done, and must not fail because of what comes next. */
	private @Nullable AttemptResult successor(Successor next) {
		try {
			return attempt(next.ticket(), next.lease(), true);
		}
		catch (LockBackendException ex) {
			return new AttemptResult.Waiting(RedlockTicket.retry(0), false);
		}
	}

	/**
	 * Give the lock back.
	 * @return whether it was held
	 */
	private boolean release(Ticket ticket, long lastToken) {
		RedlockTicket candidate = this.candidates.get(ticket);
		WonRound tenure = (candidate != null) ? candidate.tenure() : null;
		if (tenure == null) {
			return false;
		}
		RoundRelease departure = depart(ticket, tenure, lastToken);
		try {
			boolean released = departure.released(ticket.key());
			forget(ticket, tenure);
			return released;
		}
		catch (LockBackendException ex) {
			// Kept for who asks again, and not for ever.
			departure.end().whenComplete((done, failure) -> later(() -> forget(ticket, tenure)));
			throw ex;
		}
	}

	private void later(Runnable task) {
		try {
			this.timers.schedule(task, UNTOLD.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (RejectedExecutionException ex) {
			logger.debug("The store has been stopped", ex);
		}
		catch (Throwable ex) {
			// No thread to wait with: forgotten at once instead of later.
			task.run();
		}
	}

	@Override
	public void cancel(Ticket ticket) {
		requireOpen();
		RedlockTicket candidate = this.candidates.get(ticket);
		if (candidate == null) {
			return;
		}
		int queueAt = (candidate.queuedAt() >= 0) ? candidate.queuedAt() : candidate.queueAt();
		if (candidate.tenure() != null) {
			release(ticket, 0);
		}
		this.candidates.remove(ticket);
		if (queueAt >= 0) {
			// Where it fails, the place ends with the queue's own time to live.
			this.quorum
				.await(this.quorum.node(queueAt).forget(ticket).toCompletableFuture().exceptionally((failure) -> {
					ignore(failure);
					return false;
				}));
		}
	}

	@Override
	public List<RenewalResult> renew(List<Renewal> batch) {
		requireOpen();
		return this.renewals.renew(batch, (ticket) -> {
			RedlockTicket candidate = this.candidates.get(ticket);
			return (candidate != null) ? candidate.tenure() : null;
		});
	}

	private static void ignore(@Nullable Throwable failure) {
		if (failure != null) {
			logger.debug("A ticket was not removed from a node's queue: it ends with the queue's time to live",
					failure);
		}
	}

}
