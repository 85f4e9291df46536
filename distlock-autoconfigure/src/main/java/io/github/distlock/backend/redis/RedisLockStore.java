package io.github.distlock.backend.redis;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;

import io.github.distlock.backend.AttemptOptions;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.BackendDescription;
import io.github.distlock.backend.BlockingLockStore;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.StoreInspection;
import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;
import io.github.distlock.backend.redis.InboxMessage.RefusedMessage;
import io.github.distlock.backend.redis.InboxMonitor.InboxState;
import io.github.distlock.backend.redis.ScriptExecutor.Answer;
import io.github.distlock.backend.redis.ScriptExecutor.Reply;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.core.script.RedisScript;

/**
 * The open store of a {@link RedisLockBackend}. Thread-safe.
 */
final class RedisLockStore extends BlockingLockStore {

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

	/** How many leases one script renews. */
	static final int BATCH_SIZE = 100;

	private static final Log logger = LogFactory.getLog(RedisLockStore.class);

	private final RedisKeys keys;

	private final RedisConnections connections;

	private final ClusterRenewals clusterRenewals;

	private final BackendDescription description;

	private final RedisInspection inspection;

	private final NativeCommands nativeCommands;

	private final QueueArguments arguments;

	/** {@code null} if the connections keep no order. */
	private final @Nullable RedisReleases releases;

	private final RandomGenerator random;

	RedisLockStore(RedisConnections connections, RedisKeys keys, BackendDescription description,
			Duration commandTimeout, TimeSource clock, StoreContext context) {
		this.keys = keys;
		this.connections = connections;
		this.clusterRenewals = new ClusterRenewals(connections, clock, commandTimeout);
		this.description = description;
		this.random = context.random();
		this.arguments = new QueueArguments(description.tokensPerGrant());
		this.nativeCommands = new NativeCommands(connections, keys, clock, this.arguments);
		this.releases = connections.releases();
		this.inspection = new RedisInspection(this, connections, keys, context.instance());
	}

	@Override
	public BackendDescription description() {
		return this.description;
	}

	@Override
	public String location() {
		return this.connections.server().name() + ", prefix '" + this.keys.prefix() + "'";
	}

	@Override
	public String channel() {
		return this.connections.isSubscribed() ? "subscribed" : "polling";
	}

	@Override
	public void ping() {
		this.connections.inspect("ping", null, this.keys.lockQueueAndReaders("ping"));
	}

	@Override
	public StoreInspection inspection() {
		return this.inspection;
	}

	@Override
	public void close() {
		this.connections.close();
	}

	@Override
	public void verify() {
		this.connections.verify();
		this.nativeCommands.detect();
	}

	@Override
	public boolean keepsOrder() {
		return this.releases != null;
	}

	/**
	 * A value is marked only if requests reach this JVM. If they stop to reach it later,
	 * {@link InboxMonitor} says so after the inbox has become unverified for attempts.
	 */
	@Override
	protected AttemptResult attemptNow(Ticket ticket, Duration lease, AttemptOptions options) {
		boolean marks = options.keepable() && !ticket.isReader() && inboxState() == InboxState.VERIFIED;
		Answer<Reply> taken = this.nativeCommands.attempt(ticket, millis(lease), marks);
		if (taken != null) {
			return granted(ticket, taken, lease, marks);
		}
		if (this.releases != null) {
			this.releases.beforeAttempt(ticket.key());
		}
		InboxState state = options.queue() ? inboxState() : InboxState.UNSUBSCRIBED;
		Answer<Reply> answer = ask(Scripts.ATTEMPT, "attempt", ticket, ticket.token(), millis(lease),
				this.arguments.attempt(ticket, options, state, marks));
		this.nativeCommands.attempted(ticket, answer.value(), marks);
		return switch (answer.value().kind()) {
			case Reply.GRANTED -> granted(ticket, answer, lease, marks);
			case Reply.WAITING -> waiting(ticket, answer, lease);
			case Reply.BUSY -> busy(ticket, answer.value(), options.queue());
			default -> throw new IllegalStateException("Not an answer to an attempt: " + answer.value());
		};
	}

	@Override
	public void refuse(Ticket requester) {
		this.connections.publish("refusal", requester,
				new RefusedMessage(requester.token(), this.keys.lock(requester.key())));
	}

	@Override
	public CompletionStage<ReleaseResult> release(Ticket ticket, long lastToken, @Nullable Successor next) {
		if (this.releases == null) {
			return super.release(ticket, lastToken, next);
		}
		this.connections.requireOpen();
		return this.releases
			.send(ticket, () -> (next == null) ? this.nativeCommands.beginRelease(ticket, lastToken) : null,
					this.keys.of(ticket), releaseArguments(ticket, lastToken, next))
			.thenApply((answer) -> released(answer, next));
	}

	@Override
	protected ReleaseResult releaseNow(Ticket ticket, long lastToken, @Nullable Successor next) {
		Answer<Boolean> replaced = (next == null) ? this.nativeCommands.release(ticket, lastToken) : null;
		if (replaced != null && replaced.value()) {
			return new ReleaseResult(true, null);
		}
		Answer<Reply> answer = ask(Scripts.RELEASE, "release", ticket, releaseArguments(ticket, lastToken, next));
		ReleaseResult result = released(answer, next);
		// If the command was sent twice, the first one may have released the lock.
		return (replaced != null && replaced.repeated()) ? new ReleaseResult(true, result.next()) : result;
	}

	private String[] releaseArguments(Ticket ticket, long lastToken, @Nullable Successor next) {
		String used = Long.toString(lastToken);
		return (next == null) ? new String[] { ticket.token(), used } : new String[] { ticket.token(), used,
				next.ticket().token(), millis(next.lease()), this.arguments.successor(inboxState()) };
	}

	private ReleaseResult released(Answer<Reply> answer, @Nullable Successor next) {
		if (next == null) {
			return new ReleaseResult(isReleased(answer), null);
		}
		return new ReleaseResult(isReleased(answer), switch (answer.value().kind()) {
			case Reply.GRANTED -> granted(next.ticket(), answer, next.lease());
			case Reply.WAITING -> waiting(next.ticket(), answer, next.lease());
			case Reply.UNQUEUED -> unqueued(null);
			default -> null;
		});
	}

	/** If it was sent twice, the first one released the lock and its answer was lost. */
	private static boolean isReleased(Answer<Reply> answer) {
		return !answer.value().kind().equals(Reply.GONE) || answer.repeated();
	}

	@Override
	protected void cancelNow(Ticket ticket) {
		ask(Scripts.CANCEL, "cancel", ticket, ticket.token());
	}

	/**
	 * Run the script of a verb. A script lets in a limited number of readers, so that it
	 * does not keep the server busy for long: the others are let in here.
	 */
	Answer<Reply> ask(RedisScript<String> script, String action, Ticket ticket, String... args) {
		Answer<Reply> answer = this.connections.ask(script, action, ticket, args);
		if (answer.value().admitsMore()) {
			admitReaders(ticket);
		}
		return answer;
	}

	/**
	 * Let in the readers at the head of the queue. If this fails, they are let in when
	 * the first of them attempts again, after half a grace at most.
	 */
	private void admitReaders(Ticket ticket) {
		try {
			for (int i = 0; i < Scripts.MAX_PORTIONS; i++) {
				if (!this.connections.ask(Scripts.ADMIT, "admission of readers", ticket).value().admitsMore()) {
					return;
				}
			}
		}
		catch (RuntimeException ex) {
			// The caller's own command has succeeded.
			logger.debug("The next readers of lock '" + ticket.key() + "' will enter when they ask again", ex);
		}
	}

	@Override
	protected List<RenewalResult> renewNow(List<Renewal> renewals) {
		if (this.connections.isCluster()) {
			return this.clusterRenewals.renew(renewals, this::script);
		}
		RenewalResult[] results = new RenewalResult[renewals.size()];
		renew(renewals, false, results);
		renew(renewals, true, results);
		return List.of(results);
	}

	private void renew(List<Renewal> renewals, boolean readers, RenewalResult[] results) {
		int[] all = IntStream.range(0, results.length)
			.filter((i) -> renewals.get(i).ticket().isReader() == readers)
			.toArray();
		for (int from = 0; from < all.length; from += BATCH_SIZE) {
			int[] indexes = Arrays.copyOfRange(all, from, Math.min(from + BATCH_SIZE, all.length));
			List<RenewalResult> answers = this.connections
				.renew(script(Arrays.stream(indexes).mapToObj(renewals::get).toList()));
			for (int i = 0; i < indexes.length; i++) {
				results[indexes[i]] = answers.get(i);
			}
		}
	}

	private RenewalScript script(List<Renewal> renewals) {
		return RenewalScript.of(renewals, this.keys, this.description.tokensPerGrant());
	}

	/** A grant that came with the release of another ticket: its value is not marked. */
	private AttemptResult granted(Ticket ticket, Answer<Reply> answer, Duration lease) {
		return granted(ticket, answer, lease, false);
	}

	/**
	 * A reply without a TTL is a new grant, whose TTL is the lease. Any other reply says
	 * whether the value is marked, by an earlier attempt.
	 */
	private AttemptResult granted(Ticket ticket, Answer<Reply> answer, Duration lease, boolean marks) {
		long[] reply = answer.value().numbers();
		Duration ttl = (reply.length > 1) ? Duration.ofMillis(Math.max(0, reply[1])) : lease;
		long last = ticket.isReader() ? reply[0] : reply[0] + this.description.tokensPerGrant() - 1;
		return new AttemptResult.Granted(new Grant(reply[0], last, Validity.until(answer.sent(), ttl)),
				(reply.length > 1) ? reply.length > 2 : marks);
	}

	/**
	 * Only the head of the queue attempts again when the lease of the holder ends. The
	 * others are signalled then, and attempt after a safety interval.
	 */
	private AttemptResult waiting(Ticket ticket, Answer<Reply> answer, Duration lease) {
		long[] reply = answer.value().numbers();
		// The validity of grants by message is computed from this.
		this.connections.clock().observe(answer.sent(), reply[2]);
		double share = SAFETY_SHARE + this.random.nextDouble(SAFETY_JITTER);
		long delay = (long) (graceMillis(lease) * share);
		long holderMillis = reply[1];
		if (reply[0] <= 0 && holderMillis >= 0) {
			delay = Math.min(delay, Math.max(MIN_RETRY_MILLIS, holderMillis + 1));
		}
		return new AttemptResult.Queued(Duration.ofMillis(delay), reply[3] == 1,
				answer.value().holder(ticket.key(), Duration.ofMillis(Math.max(0, holderMillis))), reply[0] == 0);
	}

	/**
	 * The time is that of the longest lease, and the holder may be any of the readers.
	 */
	private AttemptResult busy(Ticket ticket, Reply reply, boolean queue) {
		Duration remaining = Duration.ofMillis(Math.max(0, reply.numbers()[0]));
		StoredHolder holder = reply.holder(ticket.key(), remaining);
		return queue ? unqueued(holder) : new AttemptResult.Busy(remaining, holder, reply.numbers().length > 1);
	}

	private AttemptResult unqueued(@Nullable StoredHolder holder) {
		long delay = this.random.nextLong(UNQUEUED_RETRY_MILLIS / 2, UNQUEUED_RETRY_MILLIS);
		return new AttemptResult.Queued(Duration.ofMillis(delay), false, holder);
	}

	private InboxState inboxState() {
		return this.connections.inboxState();
	}

	private static long graceMillis(Duration lease) {
		return Math.min(MAX_GRACE_MILLIS, lease.toMillis());
	}

	private static String millis(Duration duration) {
		return Long.toString(duration.toMillis());
	}

}
