package io.github.distlock.backend.redis;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockSignals;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.Validity;
import io.github.distlock.backend.redis.RedisServer.FailureKind;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
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
final class InboxMonitor extends RedisInbox {

	private static final Log logger = LogFactory.getLog(InboxMonitor.class);

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
			+ " at intervals, which takes longer.";

	private final RedisConnections connections;

	private final RedisKeys keys;

	private final String instance;

	private final LockSignals signals;

	private final TimeSource time;

	private final Duration patience;

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
		super(factory, keys.inboxPrefix() + context.instance());
		this.connections = connections;
		this.keys = keys;
		this.instance = context.instance();
		this.signals = context.signals();
		this.time = time;
		this.patience = patience;
		// Tickets that were queued before must not wait for messages then.
		settled().whenComplete((confirmed, failure) -> {
			if (failure != null) {
				this.signals.retryAll();
			}
		});
	}

	/** Return what a ticket that is queued now can rely on. */
	InboxState state() {
		Subscription current = subscription();
		if (current == null) {
			// A ticket that is queued before the first subscription keeps its place, and
			// attempts again as soon as that is confirmed or has failed.
			return settled().isDone() ? InboxState.UNSUBSCRIBED : InboxState.SUBSCRIBED;
		}
		this.used = true;
		return current.counted ? InboxState.VERIFIED : InboxState.SUBSCRIBED;
	}

	@Override
	void subscribed() {
		this.connections.clock().forget();
		wake();
	}

	@Override
	void stopped() {
		this.connections.inboxStopped();
	}

	/** Commands may reach another server now, where the inbox is not subscribed. */
	void serverChanged() {
		this.doubtful = true;
		this.nextCheckNanos = this.time.nanoTime();
		Subscription current = subscription();
		if (current != null) {
			current.counted = false;
		}
	}

	@Override
	void received(String text) {
		if (text.startsWith(PROBE)) {
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
	boolean check() {
		this.connections.compare();
		Subscription current = subscription();
		long now = this.time.nanoTime();
		if (current == null || current.checked && !(this.used && now - this.nextCheckNanos > 0)) {
			return true;
		}
		boolean fresh = !current.checked;
		current.checked = true;
		this.nextCheckNanos = now + CHECK_INTERVAL_NANOS;
		this.used = false;
		// One message may be late because of this process, as in a long pause.
		if (receives(current, fresh) || current != subscription() || receives(current, false)
				|| current != subscription()) {
			return true;
		}
		broken();
		receivedNothing();
		return false;
	}

	/** Publish to the inbox; returns false if that succeeds and nothing arrives. */
	private boolean receives(Subscription current, boolean fresh) {
		Probe probe = new Probe(PROBE + ++this.probes, new CountDownLatch(1));
		this.awaited = probe;
		boolean sent = count(probe.text, current, fresh);
		if (fresh && isSubscribed()) {
			this.signals.retryAll();
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
	private boolean count(String text, Subscription current, boolean fresh) {
		try {
			boolean isCounted = this.connections.probe(text) == 1 && !this.connections.isCluster();
			current.counted = isCounted;
			if (isCounted && current == subscription()) {
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

	private void receivedNothing() {
		String server = this.connections.server().name();
		logger.warn("The inbox " + channel() + " received nothing from " + server
				+ ", although the server accepted messages for it, and is subscribed again on a new connection. Until"
				+ " then callers of this JVM that wait for a lock ask for it at intervals, which"
				+ " takes longer. If this is repeated, check whether a firewall, NAT gateway or load balancer drops idle"
				+ " connections");
		this.signals.resubscribed(channel(), server);
	}

	@Override
	String explain(Throwable failure) {
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

		/**
		 * Subscribed, but the number of receivers cannot be trusted; or being subscribed
		 * for the first time.
		 */
		SUBSCRIBED("S"),

		/** Subscribed, and a publish with no receiver means that this JVM is dead. */
		VERIFIED("T");

		/**
		 * How {@code attempt.lua} and {@code release.lua} queue a ticket then: not at
		 * all, since no message would reach it, uncounted, or counted.
		 */
		final String letter;

		InboxState(String letter) {
			this.letter = letter;
		}

	}

}
