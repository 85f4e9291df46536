package io.github.distlock.backend.redlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

import io.github.distlock.LockInstance;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockSignals;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.StoreCalls;
import io.github.distlock.backend.StoreInspection;
import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.redlock.QuorumNode.Vote;
import io.github.distlock.backend.redlock.Quorum.NodeAnswers;
import io.github.distlock.backend.redlock.QuorumNode.NodeEvents;
import org.jspecify.annotations.Nullable;

/**
 * The open store of a {@link RedlockBackend}. It remembers the tickets of this JVM that
 * wait or hold: each until it is released or cancelled, or its claim has expired on all
 * nodes. Thread-safe.
 */
final class RedlockStore implements LockStore, NodeEvents {

	/** Minimum time for which the first command waits for connections. */
	private static final long MIN_CONNECT_MILLIS = 1000;

	private static final Duration PAUSE = Duration.ofMillis(20);

	/** How long a completed release is remembered for a retry. */
	private static final Duration RELEASE_MEMORY = Duration.ofSeconds(10);

	private final ConcurrentMap<Ticket, RedlockTicket> tickets = new ConcurrentHashMap<>();

	private final AtomicLong claims = new AtomicLong();

	private final CompletableFuture<Boolean> connected = new CompletableFuture<>();

	private final RedlockBackend backend;

	private final Quorum quorum;

	private final LockSignals signals;

	/**
	 * The keys of locks that this JVM does not request for a moment, since it has
	 * released them while tickets of other JVMs were waiting. Otherwise it could take
	 * such a lock again and again, since it knows of the release before the signals
	 * arrive. Until when, by the monotonic clock: a timer may run too early or too late.
	 */
	private final Map<String, Long> pausedUntil = new ConcurrentHashMap<>();

	private volatile boolean closed;

	RedlockStore(RedlockBackend backend, Quorum quorum, LockSignals signals) {
		this.backend = backend;
		this.quorum = quorum;
		this.signals = signals;
	}

	/**
	 * Connect in the background, and learn the clocks of the nodes. The first command
	 * waits for a majority.
	 */
	void start(LockInstance self) {
		AtomicInteger awaited = new AtomicInteger(this.quorum.majority());
		for (QuorumNode node : this.quorum.nodes()) {
			node.start(self, this)
				.thenCompose((done) -> node.probe(this.quorum.settings))
				.whenComplete((now, failure) -> {
					if (now != null) {
						this.quorum.observe(now, this.quorum.clock.nanoTime());
					}
					if (awaited.decrementAndGet() == 0) {
						this.connected.complete(true);
					}
				});
		}
		long patience = Math.max(MIN_CONNECT_MILLIS, this.quorum.settings.nodeTimeout().toMillis() * 4);
		this.quorum.timers.schedule(() -> this.connected.complete(true), TimeUnit.MILLISECONDS.toNanos(patience));
	}

	@Override
	public String location() {
		return "Redlock over " + this.quorum.size() + " Redis nodes at "
				+ this.quorum.nodes().stream().map((each) -> each.name()).collect(Collectors.joining(", "))
				+ ", prefix '" + this.quorum.settings.keyPrefix() + "'";
	}

	@Override
	public String channel() {
		long subscribed = this.quorum.nodes().stream().filter((each) -> each.isListening()).count();
		return (subscribed >= this.quorum.majority()) ? "subscribed" : "polling";
	}

	@Override
	public StoreInspection inspection() {
		return new RedlockInspection(this, this.quorum);
	}

	@Override
	public void close() {
		if (this.closed) {
			// The nodes may serve a store that was opened later.
			return;
		}
		this.closed = true;
		this.connected.complete(true);
		this.quorum.timers.stop();
		this.tickets.clear();
		this.quorum.nodes().forEach((each) -> each.stop());
	}

	/** Completes when commands can be sent: after the first connections. */
	CompletableFuture<Boolean> opened() {
		if (this.closed) {
			throw StoreCalls.closed("Redlock");
		}
		return this.connected;
	}

	@Override
	public void verify() {
		opened().join();
		Quorum.await(this.quorum.decide("test of the store", null,
				this.quorum.ask((node) -> node.probe(this.quorum.settings)),
				(answers) -> (answers.given().size() >= this.quorum.majority()) ? true : null));
	}

	@Override
	public CompletionStage<AttemptResult> attempt(Ticket ticket, Duration lease, boolean queue) {
		this.backend.validateLease(ticket.key(), lease);
		return opened().thenCompose((open) -> claim(ticket, lease, queue));
	}

	private static @Nullable LockRound won(@Nullable RedlockTicket state) {
		return (state != null) ? state.won : null;
	}

	private CompletableFuture<AttemptResult> claim(Ticket ticket, Duration lease, boolean queue) {
		RedlockTicket known = this.tickets.get(ticket);
		LockRound before = won(known);
		Grant held = (before != null) ? before.grant() : null;
		if (before != null && held != null) {
			if (!held.validity().hasPassed(this.quorum.clock)) {
				return CompletableFuture.completedFuture(held);
			}
			before.leave(0, () -> pause(ticket.key()));
		}
		Long end = this.pausedUntil.get(ticket.key());
		if (queue && end != null && end - this.quorum.clock.nanoTime() > 0) {
			return CompletableFuture.completedFuture(
					new AttemptResult.Queued(PAUSE.plus(RedlockTicket.retryDelay(0, this.quorum.random)), false));
		}
		// Before the round: a node may signal the ticket before all have answered.
		RedlockTicket state = this.tickets.computeIfAbsent(ticket, (key) -> new RedlockTicket());
		state.won = null;
		if (queue && (state.queueAt < 0 || !this.quorum.isListening(state.queueAt))) {
			state.queueAt = this.quorum.listener(ticket.key());
		}
		String name = ticket.token() + "#" + Long.toString(this.claims.incrementAndGet(), Character.MAX_RADIX);
		LockRound round = new LockRound(this.quorum, ticket, name, lease, queue ? state.queueAt : -1);
		return round.decided()
			.thenCompose((votes) -> round.win(votes)
				.thenApply((grant) -> (grant != null) ? won(ticket, round, state, grant)
						: refused(votes, state, lease, queue)))
			.whenComplete((result, failure) -> {
				if (!(result instanceof Grant)) {
					round.leave(0, null);
				}
				if (known == null && (result == null || result instanceof AttemptResult.Busy)) {
					this.tickets.remove(ticket, state);
				}
			});
	}

	private AttemptResult won(Ticket ticket, LockRound round, RedlockTicket state, Grant grant) {
		state.won = round;
		leaveQueue(ticket, state);
		return grant;
	}

	private AttemptResult refused(NodeAnswers<Vote> votes, RedlockTicket state, Duration lease, boolean queue) {
		Duration remaining = Duration.ZERO;
		int heldAt = -1;
		for (int i = 0; i < this.quorum.size(); i++) {
			if (votes.of(i) instanceof Vote.Held other) {
				remaining = (other.ttl().compareTo(remaining) > 0) ? other.ttl() : remaining;
				heldAt = (heldAt < 0 && this.quorum.isListening(i)) ? i : heldAt;
			}
		}
		StoredHolder holder = RedlockInspection.refusing(votes, this.quorum);
		if (!queue) {
			return new AttemptResult.Busy(remaining, holder);
		}
		boolean queued = state.queueAt >= 0 && votes.of(state.queueAt) instanceof Vote.Held other && other.queued();
		Duration delay = queued ? state.queued(lease, remaining, this.quorum.random)
				: state.notQueued(heldAt, this.quorum.random);
		boolean first = !state.reported;
		state.reported = true;
		return new AttemptResult.Queued(delay, first, holder);
	}

	/** A ticket that holds leaves the queue: another one must get the next signal. */
	private void leaveQueue(Ticket ticket, RedlockTicket state) {
		int queuedAt = state.queuedAt;
		if (queuedAt >= 0) {
			state.queuedAt = -1;
			this.quorum.node(queuedAt).forget(ticket);
		}
	}

	/** A waiting ticket was signalled that the lock is free. */
	private void pause(String key) {
		long end = this.quorum.clock.nanoTime() + PAUSE.toNanos();
		if (this.pausedUntil.put(key, end) == null) {
			this.quorum.timers.schedule(() -> this.pausedUntil.remove(key), PAUSE.toNanos());
		}
	}

	@Override
	public CompletionStage<ReleaseResult> release(Ticket ticket, long lastToken, @Nullable Successor next) {
		return opened().thenCompose((open) -> release(ticket, lastToken))
			.thenCompose((released) -> (released && next != null)
					? successor(next).thenApply((answer) -> new ReleaseResult(true, answer))
					: CompletableFuture.completedFuture(new ReleaseResult(released, null)));
	}

	/** The release is done, and must not fail because of the next ticket. */
	private CompletableFuture<AttemptResult> successor(Successor next) {
		return claim(next.ticket(), next.lease(), true).exceptionally(
				(failure) -> new AttemptResult.Queued(RedlockTicket.retryDelay(0, this.quorum.random), false));
	}

	/** Release the lock; completes with whether it was held. */
	private CompletableFuture<Boolean> release(Ticket ticket, long lastToken) {
		RedlockTicket state = this.tickets.get(ticket);
		LockRound round = won(state);
		if (state == null || round == null) {
			return CompletableFuture.completedFuture(false);
		}
		if (round.grant() != null) {
			round.leave(lastToken, () -> pause(ticket.key()));
		}
		return round.released().whenComplete((released, failure) -> {
			if (failure == null) {
				this.tickets.remove(ticket, state);
			}
			else {
				// Remembered for a repeated release, as long as the claim may last.
				this.quorum.timers.schedule(() -> this.tickets.remove(ticket, state),
						this.quorum.settings.longestLease().plus(RELEASE_MEMORY).toNanos());
			}
		});
	}

	@Override
	public CompletionStage<?> cancel(Ticket ticket) {
		return opened().thenCompose((open) -> {
			RedlockTicket state = this.tickets.get(ticket);
			return release(ticket, 0).thenCompose((released) -> {
				this.tickets.remove(ticket);
				int queueAt = (state == null) ? -1 : (state.queuedAt >= 0) ? state.queuedAt : state.queueAt;
				return (queueAt >= 0) ? this.quorum.node(queueAt).forget(ticket)
						: CompletableFuture.completedFuture(false);
			});
		});
	}

	@Override
	public CompletionStage<List<RenewalResult>> renew(List<Renewal> batch) {
		return opened().thenCompose((open) -> renewNow(batch));
	}

	private CompletableFuture<List<RenewalResult>> renewNow(List<Renewal> batch) {
		Map<Ticket, LockRound> held = new HashMap<>();
		List<String> keys = new ArrayList<>();
		List<String> args = new ArrayList<>();
		for (Renewal renewal : batch) {
			LockRound round = won(this.tickets.get(renewal.ticket()));
			Grant grant = (round != null) ? round.grant() : null;
			if (round != null && grant != null && grant.lastToken() == renewal.lastToken()) {
				held.put(renewal.ticket(), round);
				keys.add(renewal.ticket().key());
				args.addAll(List.of(round.claim(), QuorumNode.millis(allowed(renewal))));
			}
		}
		TimeSource.Instant sent = this.quorum.clock.now();
		List<CompletableFuture<Set<String>>> renewed = keys.isEmpty() ? List.of()
				: this.quorum.ask((node) -> node.renew(keys, args));
		List<CompletableFuture<RenewalResult>> results = batch.stream().map((renewal) -> {
			LockRound round = held.get(renewal.ticket());
			return (round != null) ? round.renewed(renewed, allowed(renewal), sent)
					: CompletableFuture.<RenewalResult>completedFuture(new RenewalResult.Gone(false));
		}).toList();
		return CompletableFuture.allOf(results.toArray(CompletableFuture[]::new))
			.thenApply((all) -> results.stream().map(CompletableFuture::join).toList());
	}

	/**
	 * No claim may last longer than the time after which a restarted node counts again.
	 */
	private Duration allowed(Renewal renewal) {
		Duration longest = this.quorum.settings.longestLease();
		return (renewal.lease().compareTo(longest) < 0) ? renewal.lease() : longest;
	}

	@Override
	public void woken(QuorumNode node, Ticket ticket) {
		RedlockTicket state = this.tickets.get(ticket);
		if (state != null && state.won == null) {
			state.queuedAt = -1;
			this.signals.retry(ticket);
		}
		else {
			// It no longer waits: signal the next ticket.
			node.forget(ticket);
		}
	}

	@Override
	public void doubted() {
		this.signals.retryAll();
	}

	/** One node decides nothing: all of them are asked whether locks are held. */
	@Override
	public void reconnected() {
		this.signals.renewAll();
	}

}
