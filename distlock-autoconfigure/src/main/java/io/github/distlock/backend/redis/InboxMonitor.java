package io.github.distlock.backend.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockSignals;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;
import io.github.distlock.backend.redis.RedisServer.FailureKind;
import io.github.distlock.thread.LockLog;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

import org.springframework.core.NestedExceptionUtils;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * The inbox of a store. It turns messages into signals, and checks that this JVM receives
 * its grants: lets a script publish to it, reads the number of receivers where that can
 * be trusted, and waits for the message. The number shows only that the server knows the
 * subscription: its messages may still be lost. An inbox that receives nothing is
 * subscribed again.
 * <p>
 * Each client with the right to publish can send messages, so a message must not do more
 * than what the scripts of this library could have meant.
 */
final class InboxMonitor implements RedisInbox.Listener {

	private static final Log logger = LockLog.of(InboxMonitor.class);

	/** Interval of checks while tickets wait. */
	private static final long CHECK_INTERVAL_NANOS = Duration.ofSeconds(10).toNanos();

	/** Time until the next check if a check could not be made. */
	private static final long RETRY_NANOS = Duration.ofSeconds(1).toNanos();

	/** A grant has no prefix: no ticket begins with one, since a colon is in its name. */
	private static final String ENDED = "ended|";

	/** Maximum lease of a grant by message: until it is confirmed, as in the scripts. */
	private static final long MAX_TTL_MILLIS = 5000;

	/**
	 * How far tokens may be ahead of the server's clock. They are further ahead only
	 * after that clock was set back; then the ticket asks.
	 */
	private static final long MAX_AHEAD_MICROS = TimeUnit.SECONDS.toMicros(1);

	private static final String WITHOUT_MESSAGES = "locks work: callers that wait for a lock of another JVM ask for it"
			+ " at intervals, and have a place in its queue only after a second.";

	private final RedisConnections connections;

	private final RedisInbox inbox;

	private final RedisKeys keys;

	private final String instance;

	private final LockSignals signals;

	private final TimeSource time;

	private final Duration patience;

	private final Refusals refusals = new Refusals();

	private final AtomicBoolean evictionChecked = new AtomicBoolean();

	private int probes;

	/** The probe whose message has not arrived yet. */
	private volatile @Nullable Probe awaited;

	private volatile long nextCheckNanos;

	/** Whether a ticket has relied on the inbox since the last check. */
	private volatile boolean used;

	/** Whether commands may reach another server than the one that has the inbox. */
	private volatile boolean doubtful;

	/**
	 * Create an inbox that is checked.
	 * @param factory makes the connection of the inbox
	 * @param connections send the probes
	 * @param keys the names of keys and channels
	 * @param context the instance, which names the inbox, and what receives the signals
	 * @param time the time
	 * @param patience how long a message may be on its way
	 */
	InboxMonitor(RedisConnectionFactory factory, RedisConnections connections, RedisKeys keys, StoreContext context,
			TimeSource time, Duration patience) {
		this.connections = connections;
		this.keys = keys;
		this.instance = context.instance();
		this.signals = context.signals();
		this.time = time;
		this.patience = patience;
		this.inbox = new RedisInbox(factory, keys.inboxPrefix() + context.instance(), this);
		// Tickets that were queued before must not wait for messages then.
		this.inbox.settled().whenComplete((confirmed, failure) -> {
			if (failure != null) {
				this.signals.retryAll();
			}
		});
	}

	RedisInbox inbox() {
		return this.inbox;
	}

	boolean isSubscribed() {
		return this.inbox.isSubscribed();
	}

	/** Return what a ticket that attempts, and is to be queued, can rely on. */
	InboxState state(Ticket ticket) {
		return this.inbox.isSubscribed() ? state() : stateWithoutSubscription(ticket);
	}

	private InboxState stateWithoutSubscription(Ticket ticket) {
		InboxState state = state();
		return (state == InboxState.UNSUBSCRIBED) ? this.refusals.state(ticket, this.time.nanoTime()) : state;
	}

	/** Another ticket has the lock first. */
	void refused(Ticket ticket, @Nullable StoredHolder holder) {
		if (!this.inbox.isSubscribed()) {
			this.refusals.refused(ticket, holder, this.time.nanoTime());
		}
	}

	/** A ticket was granted the lock, or leaves. */
	void ended(Ticket ticket) {
		if (!this.inbox.isSubscribed()) {
			this.refusals.ended(ticket);
		}
	}

	/** Return what a ticket that is queued now can rely on. */
	InboxState state() {
		RedisInbox.Subscription current = this.inbox.subscription();
		if (current == null) {
			// A ticket that is queued before the first subscription keeps its place, and
			// attempts again as soon as that is confirmed or has failed.
			return this.inbox.settled().isDone() ? InboxState.UNSUBSCRIBED : InboxState.SUBSCRIBED;
		}
		this.used = true;
		return current.counted ? InboxState.VERIFIED : InboxState.SUBSCRIBED;
	}

	@Override
	public void subscribed() {
		this.refusals.clear();
		this.connections.clock().forget();
	}

	/** Commands may reach another server now, where the inbox is not subscribed. */
	void serverChanged() {
		this.doubtful = true;
		this.nextCheckNanos = this.time.nanoTime();
		RedisInbox.Subscription current = this.inbox.subscription();
		if (current != null) {
			current.counted = false;
		}
	}

	@Override
	public void received(String text) {
		if (text.startsWith(RedisInbox.PROBE)) {
			Probe probe = this.awaited;
			if (probe != null && probe.text.equals(text)) {
				probe.echo.countDown();
			}
			return;
		}
		boolean ended = text.startsWith(ENDED);
		int length = ended ? 4 : 6;
		// The name of the lock in Redis comes last, and may contain the separator.
		String[] parts = text.split("\\|", length);
		if (parts.length < length) {
			throw new IllegalArgumentException("Not a message of a script");
		}
		Ticket ticket = Ticket.of(this.keys.keyOf(parts[length - 1]), parts[ended ? 1 : 0]);
		// A JVM gives back a grant that it does not know, so it could otherwise be made
		// to release the locks of other JVMs.
		if (!ticket.instance().equals(this.instance)) {
			return;
		}
		if (ended) {
			this.signals.ended(ticket, Long.parseLong(parts[2]));
		}
		else {
			granted(ticket, Long.parseLong(parts[1]), Long.parseLong(parts[2]), Long.parseLong(parts[3]),
					Long.parseLong(parts[4]));
		}
	}

	/**
	 * No caller may enter because of this message alone if it is not credible, or if its
	 * validity is not known: an expired grant makes the ticket ask the server. A token
	 * that is far ahead of the clock would make the protected resource refuse all later
	 * holders.
	 */
	private void granted(Ticket ticket, long first, long last, long ttlMillis, long grantedMicros) {
		// Each master of a cluster has its own clock: one baseline is not sufficient. And
		// a master at which no inbox of a JVM is subscribed takes that JVM for dead and
		// withdraws its grant at once, although the inbox may be subscribed to a replica
		// and receive the message there.
		boolean sameClock = !this.connections.isCluster() && !this.doubtful;
		TimeSource.Instant now = this.time.now();
		boolean credible = sameClock && ttlMillis <= MAX_TTL_MILLIS && first <= last
				&& last - grantedMicros <= MAX_AHEAD_MICROS;
		Validity validity = credible ? this.connections.clock().judge(grantedMicros, Duration.ofMillis(ttlMillis), now)
				: null;
		this.signals.granted(ticket,
				new Grant(first, last, (validity != null) ? validity : Validity.until(now, Duration.ZERO)));
	}

	/**
	 * A half-open connection receives nothing and shows no error: only a check detects
	 * that.
	 */
	@Override
	public boolean check() {
		this.connections.compare();
		RedisInbox.Subscription current = this.inbox.subscription();
		long now = this.time.nanoTime();
		if (current == null || current.checked && !(this.used && now - this.nextCheckNanos > 0)) {
			return true;
		}
		boolean fresh = !current.checked;
		current.checked = true;
		this.nextCheckNanos = now + CHECK_INTERVAL_NANOS;
		this.used = false;
		// One message may be late because of this process, as in a long pause.
		if (receives(current, fresh) || current != this.inbox.subscription() || receives(current, false)
				|| current != this.inbox.subscription()) {
			return true;
		}
		this.inbox.broken();
		receivedNothing();
		return false;
	}

	/** Publish to the inbox; returns false if that succeeds and nothing arrives. */
	private boolean receives(RedisInbox.Subscription current, boolean fresh) {
		Probe probe = new Probe(RedisInbox.PROBE + ++this.probes, new CountDownLatch(1));
		this.awaited = probe;
		boolean sent = count(probe.text, current, fresh);
		if (fresh && this.inbox.isSubscribed()) {
			this.signals.retryAll();
			if (this.connections.blocks() && this.probes > 1) {
				// Nothing else shows that the connections of the application broke.
				this.signals.renewAll();
			}
		}
		try {
			return !sent || probe.echo.await(this.patience.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (InterruptedException ex) {
			// No other code uses this thread: nothing interrupts it.
			return true;
		}
	}

	/** Publish, and use the number of receivers if it can be trusted. */
	private boolean count(String text, RedisInbox.Subscription current, boolean fresh) {
		try {
			boolean isCounted = probe(text) == 1 && !this.connections.isCluster();
			current.counted = isCounted;
			if (isCounted && current == this.inbox.subscription()) {
				this.doubtful = false;
			}
			return true;
		}
		catch (RuntimeException ex) {
			this.nextCheckNanos = this.time.nanoTime() + RETRY_NANOS;
			this.used = true;
			if (fresh && FailureKind.RIGHT.isIn(ex)) {
				logger
					.warn(ex.getMessage() + ". Cannot publish to the inbox of this JVM. If no other right is missing, "
							+ WITHOUT_MESSAGES);
			}
			return false;
		}
	}

	/**
	 * Let a script publish to the inbox, and observe the server's time.
	 * @return the number of receivers
	 */
	long probe(String text) {
		if (this.evictionChecked.compareAndSet(false, true)) {
			checkEviction();
		}
		TimeSource.Instant sent = this.time.now();
		String[] answer = this.connections
			.call("probe", null, (commands) -> commands.run(Scripts.PROBE, List.of(), this.inbox.channel(), text))
			.split(",");
		this.connections.clock().observe(sent, Long.parseLong(answer[1]));
		return Long.parseLong(answer[0]);
	}

	/** Nothing is logged if the user may not read the policy. */
	private void checkEviction() {
		try {
			RedisServer
				.checkEviction(this.connections.ask("check of the memory", "INFO", RedisCommands.bytes("memory")));
		}
		catch (LockBackendException ex) {
			logger.debug("The eviction policy of Redis could not be read", ex);
		}
	}

	private void receivedNothing() {
		String server = this.connections.server().name();
		logger.warn("The inbox " + this.inbox.channel() + " received nothing from " + server
				+ ", although the server accepted messages for it, and is subscribed again on a new connection. Until"
				+ " then callers of this JVM that wait for a lock ask for it at intervals, which"
				+ " takes longer. If this is repeated, check whether a firewall, NAT gateway or load balancer drops idle"
				+ " connections");
		this.signals.resubscribed(this.inbox.channel(), server);
	}

	@Override
	public String explain(Throwable failure) {
		RedisServer server = this.connections.server();
		if (NestedExceptionUtils.getMostSpecificCause(failure) instanceof UnsupportedOperationException) {
			return server.name() + ": the driver cannot subscribe there. Without messages, " + WITHOUT_MESSAGES;
		}
		return server.explain(failure) + ". " + (FailureKind.RIGHT.isIn(failure)
				? "If no other right is missing, " + WITHOUT_MESSAGES : "Until then no lock can be acquired.");
	}

	/** A message to this inbox that only shows whether messages arrive. */
	private record Probe(String text, CountDownLatch echo) {
	}

	/**
	 * What is known of the inbox of this JVM.
	 */
	enum InboxState {

		/** There is no subscription. */
		UNSUBSCRIBED("N"),

		/** There is none, and the ticket was refused for long: it polls. */
		POLLING("P"),

		/** The same, and each time the same JVM had the lock. */
		POLLING_ONE_HOLDER("Q"),

		/**
		 * Subscribed, but the number of receivers cannot be trusted; or being subscribed
		 * for the first time.
		 */
		SUBSCRIBED("S"),

		/** Subscribed, and a publish with no receiver means that this JVM is dead. */
		VERIFIED("T");

		/**
		 * How {@code attempt.lua} and {@code release.lua} queue a ticket then: not at
		 * all, since no message would reach it, as one that polls, uncounted, or counted.
		 */
		final String letter;

		InboxState(String letter) {
			this.letter = letter;
		}

		/** Whether the ticket is queued, if at all, as one that no message reaches. */
		boolean polls() {
			return this == POLLING || this == POLLING_ONE_HOLDER;
		}

	}

}
