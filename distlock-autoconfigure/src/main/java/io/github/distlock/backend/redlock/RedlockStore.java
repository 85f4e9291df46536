package io.github.distlock.backend.redlock;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.AttemptOptions;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.BackendDescription;
import io.github.distlock.backend.BlockingLockStore;
import io.github.distlock.backend.LockSignals;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.StoreCalls;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.StoreInspection;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;
import io.github.distlock.backend.redlock.LockRound.Result;
import io.github.distlock.backend.redlock.QuorumNode.Claim;
import io.github.distlock.backend.redlock.QuorumNode.Proposal;
import io.github.distlock.backend.redlock.QuorumNode.Vote;
import io.github.distlock.backend.redlock.RedlockTicket.WonRound;
import io.github.distlock.thread.LockThreads;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The open store of a {@link RedlockBackend}. It remembers the tickets of this JVM that
 * wait or hold: each until it is released or cancelled, or its claim has expired on all
 * nodes. Thread-safe.
 */
final class RedlockStore extends BlockingLockStore {

	private static final Log logger = LogFactory.getLog(RedlockStore.class);

	private static final Duration PAUSE = Duration.ofMillis(20);

	/** How long a completed release is remembered for a retry. */
	private static final Duration RELEASE_MEMORY = Duration.ofSeconds(10);

	private final ConcurrentMap<Ticket, RedlockTicket> tickets = new ConcurrentHashMap<>();

	private final AtomicLong claims = new AtomicLong();

	private final CompletableFuture<Boolean> connected = new CompletableFuture<>();

	private final ScheduledExecutorService timers = Executors
		.newSingleThreadScheduledExecutor(LockThreads.named("distlock-redlock"));

	private final RedlockBackend backend;

	private final Quorum quorum;

	private final RedlockSettings settings;

	private final TimeSource clock;

	private final RandomGenerator random;

	private final LockSignals signals;

	/**
	 * By key: until when this JVM does not request a lock that it has released while
	 * tickets of other JVMs were waiting. Otherwise it could take such a lock again and
	 * again, since it knows of the release before the signals arrive.
	 */
	private final ConcurrentMap<String, Long> pausedUntilNanos = new ConcurrentHashMap<>();

	private final RedlockRenewals renewals;

	private final TokenClock tokens;

	private final RedlockInspection inspection;

	private volatile boolean closed;

	RedlockStore(RedlockBackend backend, Quorum quorum, RedlockSettings settings, TimeSource clock,
			StoreContext context) {
		this.backend = backend;
		this.quorum = quorum;
		this.settings = settings;
		this.clock = clock;
		this.random = context.random();
		this.signals = context.signals();
		this.renewals = new RedlockRenewals(quorum, settings.longestLease(), clock);
		this.tokens = new TokenClock(quorum.size(), clock);
		this.inspection = new RedlockInspection(this, quorum, settings);
	}

	TokenClock tokens() {
		return this.tokens;
	}

	@Override
	public String location() {
		return "Redlock over " + this.quorum.size() + " Redis nodes at "
				+ this.quorum.nodes().stream().map(QuorumNode::name).collect(Collectors.joining(", ")) + ", prefix '"
				+ this.quorum.node(0).prefix() + "'";
	}

	@Override
	public String channel() {
		long subscribed = this.quorum.nodes().stream().filter(QuorumNode::isListening).count();
		return (subscribed >= this.quorum.majority()) ? "subscribed" : "polling";
	}

	@Override
	public StoreInspection inspection() {
		return this.inspection;
	}

	/** Let commands through: a majority is connected, or it has taken too long. */
	void connected() {
		this.connected.complete(true);
	}

	@Override
	public BackendDescription description() {
		return this.backend.description();
	}

	@Override
	public void close() {
		if (this.closed) {
			// The nodes may serve a store that was opened later.
			return;
		}
		this.closed = true;
		this.connected.complete(true);
		this.timers.shutdownNow();
		this.tickets.clear();
		this.quorum.nodes().forEach(QuorumNode::stop);
	}

	/** Also wait for the first connections. */
	void requireOpen() {
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

	/** A node signals that the lock is free there. */
	void woken(QuorumNode node, Ticket ticket) {
		RedlockTicket redlockTicket = this.tickets.get(ticket);
		if (redlockTicket != null && redlockTicket.wonRound() == null) {
			redlockTicket.woken();
			this.signals.retry(ticket);
		}
		else {
			// It no longer waits: signal the next ticket.
			leaveQueue(node, ticket);
		}
	}

	/** The round that a ticket has won, or {@code null}. */
	@Nullable WonRound wonRound(Ticket ticket) {
		RedlockTicket redlockTicket = this.tickets.get(ticket);
		return (redlockTicket != null) ? redlockTicket.wonRound() : null;
	}

	@Override
	protected AttemptResult attemptNow(Ticket ticket, Duration lease, AttemptOptions options) {
		this.backend.validateLease(ticket.key(), lease);
		requireOpen();
		return tryRound(ticket, lease, options.queue());
	}

	private AttemptResult tryRound(Ticket ticket, Duration lease, boolean queue) {
		RedlockTicket redlockTicket = this.tickets.get(ticket);
		WonRound held = (redlockTicket != null) ? redlockTicket.wonRound() : null;
		if (redlockTicket != null && held != null) {
			if (!held.grant().validity().hasPassed(this.clock)) {
				return new AttemptResult.Granted(held.grant());
			}
			beginRelease(ticket, held, 0);
			redlockTicket.holds(null);
		}
		Duration remainingPause = queue ? remainingPause(ticket.key()) : null;
		if (remainingPause != null) {
			return new AttemptResult.Queued(remainingPause.plus(RedlockTicket.retryDelay(0, this.random)), false);
		}
		// Before the round: a node may signal the ticket before all have answered.
		RedlockTicket waiting = queue ? this.tickets.computeIfAbsent(ticket, (key) -> new RedlockTicket())
				: redlockTicket;
		int queueAt = queue ? queueAt(ticket.key(), waiting) : -1;
		Proposal proposal = new Proposal(this.tokens.propose(lease), this.settings.tokensPerGrant());
		LockRound round = LockRound.begin(this.quorum, new Claim(ticket, this.claims.incrementAndGet()), proposal,
				lease, this.settings.longestLease(), queueAt, this.clock);
		Result result = resultOf(round);
		if (result instanceof Result.Won won) {
			WonRound wonRound = secure(round, won);
			if (wonRound != null) {
				granted(this.tickets.computeIfAbsent(ticket, (key) -> new RedlockTicket()), wonRound, queueAt);
				return new AttemptResult.Granted(wonRound.grant());
			}
			result = new Result.NotWon(Duration.ZERO, false, queueAt, null);
		}
		RoundRelease undone = undo(round);
		if (waiting != null) {
			waiting.undoes(undone);
		}
		if (result instanceof Result.Failed failed) {
			if (waiting != null && redlockTicket == null) {
				this.tickets.remove(ticket, waiting);
			}
			throw failed.cause();
		}
		Result.NotWon lost = (Result.NotWon) result;
		return (queue && waiting != null) ? waiting(waiting, lost, queueAt, lease)
				: new AttemptResult.Busy(lost.remaining(), lost.holder());
	}

	/** A ticket that holds leaves the queue: another one must get the next signal. */
	private void granted(RedlockTicket redlockTicket, WonRound wonRound, int queueAt) {
		redlockTicket.holds(wonRound);
		Ticket ticket = wonRound.round().claim().ticket();
		int queuedAt = redlockTicket.queuedAt();
		if (queuedAt >= 0) {
			redlockTicket.woken();
			leaveQueue(this.quorum.node(queuedAt), ticket);
		}
		else if (queueAt >= 0) {
			wonRound.round().votes().get(queueAt).thenAccept((vote) -> {
				if (vote instanceof Vote.Held held && held.queued()) {
					leaveQueue(this.quorum.node(queueAt), ticket);
				}
			});
		}
	}

	private Result resultOf(LockRound round) {
		try {
			return round.result();
		}
		catch (LockBackendException ex) {
			return new Result.Failed(ex);
		}
	}

	private AttemptResult waiting(RedlockTicket redlockTicket, Result.NotWon lost, int queueAt, Duration lease) {
		Duration delay = lost.queued() ? redlockTicket.queued(queueAt, lease, lost.remaining(), this.random)
				: redlockTicket.notQueued(lost.heldAt(), this.random);
		return new AttemptResult.Queued(delay, redlockTicket.reportWaiting(), lost.holder());
	}

	private int queueAt(String key, @Nullable RedlockTicket redlockTicket) {
		int before = (redlockTicket != null) ? redlockTicket.queueAt() : -1;
		return (before >= 0 && this.quorum.node(before).isListening()) ? before : this.quorum.listener(key);
	}

	/** The lock is held if the round took less time than the lease. */
	private @Nullable WonRound secure(LockRound round, Result.Won won) {
		this.tokens.observe(round, won);
		long last = won.token() + this.settings.tokensPerGrant() - 1;
		Validity validity = Validity.until(round.sent(), Quorum.withoutDrift(round.lease()));
		boolean secured;
		try {
			secured = round.secure(won, last);
		}
		catch (LockBackendException ex) {
			secured = false;
		}
		return (secured && !validity.hasPassed(this.clock)) ? new WonRound(round, won.token(), last, validity) : null;
	}

	private RoundRelease undo(LockRound round) {
		return roundRelease(round, 0, null, round.lease()).begin();
	}

	private RoundRelease beginRelease(Ticket ticket, WonRound wonRound, long lastToken) {
		return wonRound.release(() -> roundRelease(wonRound.round(), wonRound.usedToken(lastToken),
				() -> pause(ticket.key()), wonRound.lease()));
	}

	private RoundRelease roundRelease(LockRound round, long usedToken, @Nullable Runnable onWoken, Duration longest) {
		return new RoundRelease(this.quorum, round, usedToken, onWoken, longest, this.settings.nodeTimeout(),
				this.timers, this.clock, this.random);
	}

	/** A waiting ticket was signalled that the lock is free. */
	private void pause(String key) {
		Long until = this.clock.nanoTime() + PAUSE.toNanos();
		this.pausedUntilNanos.put(key, until);
		later(() -> this.pausedUntilNanos.remove(key, until), PAUSE);
	}

	private @Nullable Duration remainingPause(String key) {
		Long until = this.pausedUntilNanos.get(key);
		long nanos = (until != null) ? until - this.clock.nanoTime() : 0;
		return (nanos > 0) ? Duration.ofNanos(nanos) : null;
	}

	/**
	 * Run a task later, or at once if the store is closed or there is no thread for the
	 * timer.
	 */
	private void later(Runnable task, Duration delay) {
		try {
			this.timers.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (Throwable ex) {
			task.run();
		}
	}

	/** If that fails, the ticket leaves the queue when the queue expires. */
	private static CompletableFuture<Boolean> leaveQueue(QuorumNode node, Ticket ticket) {
		return node.forget(ticket).toCompletableFuture().exceptionally((failure) -> {
			logger.debug("A ticket was not removed from the queue of a node: it leaves it when the queue expires",
					failure);
			return false;
		});
	}

	private void forget(Ticket ticket, WonRound wonRound) {
		this.tickets.computeIfPresent(ticket, (key, current) -> (current.wonRound() == wonRound) ? null : current);
	}

	@Override
	protected ReleaseResult releaseNow(Ticket ticket, long lastToken, @Nullable Successor next) {
		requireOpen();
		boolean released = release(ticket, lastToken);
		return new ReleaseResult(released, (released && next != null) ? successor(next) : null);
	}

	/** The release is done, and must not fail because of the next ticket. */
	private @Nullable AttemptResult successor(Successor next) {
		try {
			return tryRound(next.ticket(), next.lease(), true);
		}
		catch (LockBackendException ex) {
			return new AttemptResult.Queued(RedlockTicket.retryDelay(0, this.random), false);
		}
	}

	/**
	 * Release the lock.
	 * @return whether it was held
	 */
	private boolean release(Ticket ticket, long lastToken) {
		WonRound wonRound = wonRound(ticket);
		if (wonRound == null) {
			return false;
		}
		RoundRelease roundRelease = beginRelease(ticket, wonRound, lastToken);
		try {
			boolean released = roundRelease.released(ticket.key());
			forget(ticket, wonRound);
			return released;
		}
		catch (LockBackendException ex) {
			// Remembered for a retry, for a limited time.
			roundRelease.end().whenComplete((done, failure) -> later(() -> forget(ticket, wonRound), RELEASE_MEMORY));
			throw ex;
		}
	}

	@Override
	protected void cancelNow(Ticket ticket) {
		requireOpen();
		RedlockTicket redlockTicket = this.tickets.get(ticket);
		if (redlockTicket == null) {
			return;
		}
		RoundRelease undone = redlockTicket.undone();
		if (undone != null) {
			// A node whose vote is late may hold a claim of the last round.
			undone.awaitTries();
		}
		int queueAt = (redlockTicket.queuedAt() >= 0) ? redlockTicket.queuedAt() : redlockTicket.queueAt();
		if (redlockTicket.wonRound() != null) {
			release(ticket, 0);
		}
		this.tickets.remove(ticket);
		if (queueAt >= 0) {
			this.quorum.await(leaveQueue(this.quorum.node(queueAt), ticket));
		}
	}

	@Override
	protected List<RenewalResult> renewNow(List<Renewal> batch) {
		requireOpen();
		return this.renewals.renew(batch, this::wonRound);
	}

}
