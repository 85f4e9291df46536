package io.github.distlock.backend.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;
import java.util.random.RandomGenerator;

import io.github.distlock.LockBackendException;
import io.github.distlock.LockMode;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.BackendDescription;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.StoreInspection;
import io.github.distlock.backend.StoredLock;
import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.backend.StoredLock.StoredWaiter;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;
import io.github.distlock.backend.redis.InboxMonitor.InboxState;
import io.github.distlock.backend.redis.RedisServer.FailureKind;
import io.github.distlock.thread.LockLog;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * The open store of a {@link RedisLockBackend}. Thread-safe.
 */
final class RedisLockStore implements LockStore, StoreInspection {

	private static final Log logger = LockLog.of(RedisLockStore.class);

	/**
	 * Maximum time within which a grant by message must be confirmed, as in the scripts.
	 */
	private static final long MAX_GRACE_MILLIS = 5000;

	/**
	 * A ticket that is not signalled attempts again after two fifths to a half of the
	 * grace.
	 */
	private static final double SAFETY_SHARE = 0.4;

	private static final double SAFETY_JITTER = 0.1;

	/** Minimum time until the head of the queue checks the end of the holder's lease. */
	private static final long MIN_RETRY_MILLIS = 20;

	/**
	 * Retry interval of a ticket that could not be queued since the inbox is not ready.
	 */
	private static final long UNQUEUED_RETRY_MILLIS = 200;

	/** Retry interval of a ticket that polls and is the first in the queue. */
	private static final long POLL_MILLIS = 50;

	/** A holder has a first token and a lease; a waiting ticket only its name. */
	private static final int PARTS_OF_HOLDER = 3;

	/** How many leases one script renews. */
	static final int BATCH_SIZE = 100;

	private final RedisKeys keys;

	private final RedisConnections connections;

	private final BackendDescription description;

	private final String instance;

	private final String tokensPerGrant;

	private final NativeCommands nativeCommands;

	private final TimeSource clock;

	private final RandomGenerator random;

	/** Whether the server has refused to queue a ticket, for lack of memory, since. */
	private volatile boolean full;

	/**
	 * The releases of a key that were sent without waiting and are not answered. Each of
	 * them may need a second command: its script, if a native command has found another
	 * value, or the text of the script, if the server has forgotten it.
	 * <p>
	 * <b>Invariant.</b> No attempt by a script is executed between these commands: it
	 * would be refused by the ticket that is released. So it is sent when the releases of
	 * its key that began before it have been answered, and fails if they fail. An attempt
	 * by a native command does not wait: if it is executed too early, it finds the value
	 * of the grant that is released, so it changes nothing, and is no refusal. The model
	 * of the protocol has this rule, and finds what happens without it
	 * ({@code SCRIPT_BEHIND_NATIVE_RELEASE}).
	 */
	private final ConcurrentMap<String, CompletableFuture<?>> unanswered = new ConcurrentHashMap<>();

	RedisLockStore(RedisConnections connections, RedisKeys keys, BackendDescription description, TimeSource clock,
			StoreContext context) {
		this.keys = keys;
		this.connections = connections;
		this.description = description;
		this.clock = clock;
		this.random = context.random();
		this.nativeCommands = new NativeCommands(connections, keys, clock, description.tokensPerGrant());
		this.instance = context.instance();
		this.tokensPerGrant = Integer.toString(description.tokensPerGrant());
	}

	@Override
	public String location() {
		return this.connections.server().name() + ", prefix '" + this.keys.prefix() + "'";
	}

	@Override
	public String channel() {
		return this.connections.inbox().isSubscribed() ? "subscribed" : "polling";
	}

	@Override
	public void ping() {
		look("ping", null, "ping");
	}

	/** Look at a lock, and change nothing. */
	private String look(String action, @Nullable String lock, String key) {
		return this.connections.call(action, lock,
				(commands) -> commands.run(Scripts.INSPECT, this.keys.lockQueueAndReaders(key)));
	}

	@Override
	public StoreInspection inspection() {
		return this;
	}

	@Override
	public StoredLock inspect(String key) {
		List<StoredHolder> holders = new ArrayList<>();
		List<StoredWaiter> waiting = new ArrayList<>();
		for (String line : look("inspection", key, key).lines().toList()) {
			String[] parts = line.split(",");
			if (parts.length == PARTS_OF_HOLDER) {
				holders.add(Reply.stored(key, parts[0], Long.parseLong(parts[1]),
						Duration.ofMillis(Math.max(0, Long.parseLong(parts[2])))));
			}
			else {
				Ticket ticket = Ticket.of(key, parts[0]);
				waiting.add(new StoredWaiter(ticket.instance(), ticket.mode(), ticket.permits()));
			}
		}
		return new StoredLock(key, holders, waiting);
	}

	/**
	 * An answer that was lost and a command that is repeated are harmless: the token
	 * names the grant.
	 */
	@Override
	public EndResult end(String key, long grantToken) {
		// The ticket of a reader has all keys of the lock.
		Ticket keys = new Ticket(key, LockMode.READ, this.instance, 0, true);
		Reply reply = this.connections.call("end of a grant", key,
				(commands) -> ask(commands, Scripts.END, keys, Function.identity(), Long.toString(grantToken)));
		return switch (reply.kind()) {
			case Reply.ENDED -> EndResult.ENDED;
			case Reply.CHANGED -> EndResult.CHANGED;
			case Reply.NOT_HELD -> EndResult.NOT_HELD;
			default -> throw new IllegalStateException("Not an answer to an end: " + reply);
		};
	}

	@Override
	public void close() {
		this.connections.close();
	}

	@Override
	public void verify() {
		new RedisCheck(this.connections, this.keys, this.instance).verify();
	}

	@Override
	public boolean blocks() {
		return this.connections.blocks();
	}

	@Override
	public boolean keepsOrder() {
		return this.connections.keepsOrder();
	}

	@Override
	public CompletionStage<AttemptResult> attempt(Ticket ticket, Duration lease, boolean queue) {
		return this.connections.send("attempt", ticket.key(), (commands) -> {
			TimeSource.Instant sent = this.clock.now();
			CompletionStage<Long> taken = this.nativeCommands.attempt(commands, ticket, millis(lease));
			return (taken == null)
					? attemptByScript(commands, ticket, lease, queue, this.unanswered.get(ticket.key()), sent, false)
					: taken.thenCompose((first) -> (first > 0)
							? CompletableFuture.completedFuture(
									granted(ticket, new Reply(Reply.GRANTED, false, null, first), sent, lease, false))
							: attemptByScript(commands, ticket, lease, queue, this.unanswered.get(ticket.key()),
									this.clock.now(), false));
		});
	}

	/**
	 * Attempt by the script. Releases that begin during the wait are not waited for: an
	 * attempt waits once.
	 * @param releases those that began before and are not answered, if there are any
	 * @param refused whether the server had no memory for the ticket's place in the queue
	 */
	private CompletionStage<AttemptResult> attemptByScript(RedisCommands commands, Ticket ticket, Duration lease,
			boolean queue, @Nullable CompletableFuture<?> releases, TimeSource.Instant sent, boolean refused) {
		if (releases != null) {
			// An error of the driver may prevent their answers for all time.
			return this.connections.limit(releases.copy())
				.whenComplete((answered, failure) -> this.unanswered.remove(ticket.key(), releases))
				.thenCompose(
						(answered) -> attemptByScript(commands, ticket, lease, queue, null, this.clock.now(), false));
		}
		boolean queues = queue && !refused;
		InboxState state = queues ? this.connections.inbox().state(ticket) : InboxState.UNSUBSCRIBED;
		CompletionStage<AttemptResult> attempted = ask(commands, Scripts.ATTEMPT, ticket, (reply) -> {
			this.nativeCommands.attempted(ticket, reply);
			return switch (reply.kind()) {
				case Reply.GRANTED -> granted(ticket, reply, sent, lease, reply.numbers().length == 1);
				case Reply.WAITING -> waiting(ticket, reply, sent, lease, state.polls());
				case Reply.BUSY -> busy(ticket, reply, queue);
				default -> throw new IllegalStateException("Not an answer to an attempt: " + reply);
			};
		}, ticket.token(), millis(lease), ticket.isReader() ? state.letter : state.letter.concat(this.tokensPerGrant));
		return !queues ? attempted : attempted.exceptionallyCompose((failure) -> {
			if (!FailureKind.MEMORY.isIn(failure)) {
				return CompletableFuture.failedFuture(failure);
			}
			if (!this.full) {
				this.full = true;
				logger.warn(this.connections.server().explain(failure)
						+ ". Until then callers that wait have no place in a queue, and ask again and again");
			}
			return attemptByScript(commands, ticket, lease, true, null, sent, true);
		});
	}

	@Override
	public CompletionStage<ReleaseResult> release(Ticket ticket, long lastToken, @Nullable Successor next) {
		CompletionStage<ReleaseResult> sent = send(ticket, lastToken, next);
		if (!keepsOrder()) {
			return sent;
		}
		CompletableFuture<ReleaseResult> answered = new CompletableFuture<>();
		this.unanswered.merge(ticket.key(), answered, CompletableFuture::allOf);
		return sent.whenComplete((result, failure) -> {
			if (failure != null) {
				answered.completeExceptionally(failure);
			}
			answered.complete(result);
			this.unanswered.computeIfPresent(ticket.key(), (key, releases) -> releases.isDone() ? null : releases);
		});
	}

	private CompletionStage<ReleaseResult> send(Ticket ticket, long lastToken, @Nullable Successor next) {
		return this.connections.send("release", ticket.key(), (commands) -> {
			// Before a native command, which older drivers may send twice, too.
			int breaks = this.connections.breaks();
			CompletionStage<Boolean> replaced = (next == null)
					? this.nativeCommands.release(commands, ticket, lastToken) : null;
			return (replaced == null) ? releaseByScript(commands, ticket, lastToken, next, breaks)
					: replaced
						.thenCompose((done) -> done ? CompletableFuture.completedFuture(new ReleaseResult(true, null))
								: releaseByScript(commands, ticket, lastToken, null, breaks));
		});
	}

	private CompletionStage<ReleaseResult> releaseByScript(RedisCommands commands, Ticket ticket, long lastToken,
			@Nullable Successor next, int breaks) {
		String used = Long.toString(lastToken);
		String[] args = (next == null) ? new String[] { ticket.token(), used }
				: new String[] { ticket.token(), used, next.ticket().token(), millis(next.lease()),
						this.connections.inbox().state().letter.concat(this.tokensPerGrant) };
		TimeSource.Instant sent = this.clock.now();
		return ask(commands, Scripts.RELEASE, ticket, (reply) -> {
			boolean released = !reply.kind().equals(Reply.GONE);
			if (!released && this.connections.breaks() != breaks) {
				// Older drivers send again after a reconnect what was not answered.
				throw new LockBackendException("The connection to Redis broke before the release of lock '"
						+ ticket.key() + "' was answered, so it may have been executed before");
			}
			return new ReleaseResult(released, (next == null) ? null : switch (reply.kind()) {
				case Reply.GRANTED -> granted(next.ticket(), reply, sent, next.lease(), false);
				case Reply.WAITING -> waiting(next.ticket(), reply, sent, next.lease(), false);
				case Reply.UNQUEUED -> unqueued(null);
				default -> null;
			});
		}, args);
	}

	@Override
	public CompletionStage<?> cancel(Ticket ticket) {
		this.connections.inbox().ended(ticket);
		return this.connections.send("cancel", ticket.key(),
				(commands) -> ask(commands, Scripts.CANCEL, ticket, Function.identity(), ticket.token()));
	}

	/**
	 * Run the script of a verb. A script lets in a limited number of readers, so that it
	 * does not keep the server busy for long: the others are let in here.
	 */
	private <T> CompletionStage<T> ask(RedisCommands commands, RedisScript<String> script, Ticket ticket,
			Function<Reply, T> answer, String... args) {
		return commands.run(script, this.keys.of(ticket), args).thenApply((text) -> {
			Reply reply = Reply.parse(text);
			if (reply.admitsMore()) {
				admitReaders(commands, ticket, Scripts.MAX_PORTIONS);
			}
			return answer.apply(reply);
		});
	}

	/**
	 * Let in the readers at the head of the queue. If this fails, they are let in when
	 * the first of them attempts again, after half a grace at most.
	 */
	private CompletionStage<Boolean> admitReaders(RedisCommands commands, Ticket ticket, int portions) {
		return commands.run(Scripts.ADMIT, this.keys.of(ticket)).thenCompose((answer) -> {
			boolean more = portions > 1 && Reply.parse(answer).admitsMore();
			return more ? admitReaders(commands, ticket, portions - 1) : CompletableFuture.completedFuture(true);
		});
	}

	/**
	 * One script renews the locks, another one the readers; in a cluster those of each
	 * slot. On dedicated connections all are sent at once, so a master that does not
	 * answer delays the result by one command time-out, whatever the number of its slots.
	 */
	@Override
	public CompletionStage<List<RenewalResult>> renew(List<Renewal> renewals) {
		Map<Integer, List<Renewal>> groups = new LinkedHashMap<>();
		for (Renewal renewal : renewals) {
			Ticket ticket = renewal.ticket();
			int slot = this.connections.isCluster() ? ClusterSlotHashUtil.calculateSlot(this.keys.lock(ticket.key()))
					: 0;
			groups.computeIfAbsent(ticket.isReader() ? -1 - slot : slot, (group) -> new ArrayList<>()).add(renewal);
		}
		TimeSource.Instant sent = this.clock.now();
		CompletionStage<Map<Renewal, RenewalResult>> results = CompletableFuture
			.completedFuture(new IdentityHashMap<>());
		for (List<Renewal> group : groups.values()) {
			for (int from = 0; from < group.size(); from += BATCH_SIZE) {
				RenewalScript script = new RenewalScript(group.subList(from, Math.min(from + BATCH_SIZE, group.size())),
						this.keys, this.description.tokensPerGrant());
				results = results.thenCombine(script.send(this.connections, sent), (all, some) -> {
					all.putAll(some);
					return all;
				});
			}
		}
		return results.thenApply((all) -> renewals.stream().map(all::get).toList());
	}

	/**
	 * A reply without a TTL is a new grant, whose TTL is the lease.
	 * @param timed whether the script has granted a free lock, see {@code attempt.lua}
	 */
	private AttemptResult granted(Ticket ticket, Reply reply, TimeSource.Instant sent, Duration lease, boolean timed) {
		this.connections.inbox().ended(ticket);
		long[] numbers = reply.numbers();
		Duration ttl = (numbers.length > 1) ? Duration.ofMillis(Math.max(0, numbers[1])) : lease;
		long last = ticket.isReader() ? numbers[0] : numbers[0] + this.description.tokensPerGrant() - 1;
		return new Grant(numbers[0], last, Validity.until(sent, ttl), timed && !this.connections.isCluster());
	}

	/**
	 * Only the head of the queue attempts again when the lease of the holder ends. The
	 * others are signalled then, and attempt after a safety interval. A ticket that polls
	 * has to ask for its turn, and the one behind a holder that polls perhaps, too.
	 */
	private AttemptResult waiting(Ticket ticket, Reply reply, TimeSource.Instant sent, Duration lease, boolean polls) {
		long[] numbers = reply.numbers();
		// The validity of grants by message is computed from this.
		this.connections.clock().observe(sent, numbers[2]);
		double share = SAFETY_SHARE + this.random.nextDouble(SAFETY_JITTER);
		long delay = (long) (graceMillis(lease) * share);
		long holderMillis = numbers[1];
		boolean first = numbers[0] <= 0;
		if (polls || numbers[0] < 0) {
			delay = Math.min(delay, (polls && first) ? POLL_MILLIS : unqueuedDelay());
		}
		if (first && holderMillis >= 0) {
			delay = Math.min(delay, Math.max(MIN_RETRY_MILLIS, holderMillis + 1));
		}
		StoredHolder holder = reply.holder(ticket.key(), Duration.ofMillis(Math.max(0, holderMillis)));
		this.connections.inbox().refused(ticket, holder);
		this.full = false;
		return new AttemptResult.Queued(Duration.ofMillis(delay), numbers[3] == 1, holder);
	}

	/**
	 * The time is that of the longest lease, or for a reader that of the shortest. The
	 * holder may be any of the readers.
	 */
	private AttemptResult busy(Ticket ticket, Reply reply, boolean queue) {
		Duration remaining = Duration.ofMillis(Math.max(0, reply.numbers()[0]));
		StoredHolder holder = reply.holder(ticket.key(), remaining);
		this.connections.inbox().refused(ticket, holder);
		return queue ? unqueued(holder) : new AttemptResult.Busy(remaining, holder);
	}

	private AttemptResult unqueued(@Nullable StoredHolder holder) {
		return new AttemptResult.Queued(Duration.ofMillis(unqueuedDelay()), false, holder);
	}

	private long unqueuedDelay() {
		return this.random.nextLong(UNQUEUED_RETRY_MILLIS / 2, UNQUEUED_RETRY_MILLIS);
	}

	private static long graceMillis(Duration lease) {
		return Math.min(MAX_GRACE_MILLIS, lease.toMillis());
	}

	private static String millis(Duration duration) {
		return Long.toString(duration.toMillis());
	}

}
