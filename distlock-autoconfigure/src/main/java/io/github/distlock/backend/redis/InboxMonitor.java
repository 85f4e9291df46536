package io.github.distlock.backend.redis;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.distlock.backend.LockSignals;
import io.github.distlock.backend.TimeSource;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.core.NestedExceptionUtils;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Checks that this JVM receives its grants: lets a script publish to its own inbox, reads
 * the number of receivers where that can be trusted, and waits for the message. The
 * number shows only that the server knows the subscription: its messages may still be
 * lost. An inbox that receives nothing is subscribed again.
 */
final class InboxMonitor implements RedisInbox.Listener {

	private static final Log logger = LogFactory.getLog(InboxMonitor.class);

	/** Interval of checks while tickets wait. */
	private static final long CHECK_INTERVAL_NANOS = Duration.ofSeconds(10).toNanos();

	/** Time until the next check if a check could not be made. */
	private static final long RETRY_NANOS = Duration.ofSeconds(1).toNanos();

	private static final String LOCKS_WORK = "Locks work; callers that wait for a lock of another JVM ask for it at"
			+ " intervals, which takes longer.";

	private final RedisInbox inbox;

	private final RedisConnections connections;

	private final InboxSignals messages;

	private final LockSignals signals;

	private final TimeSource time;

	private final Duration patience;

	/** Counts subscriptions: the result of a probe is valid for its own only. */
	private final AtomicInteger subscription = new AtomicInteger();

	/** The last subscription that was checked. Used by the thread of the inbox. */
	private int checkedSubscription;

	private int probes;

	/** The probe whose message has not arrived yet. */
	private volatile @Nullable Probe awaited;

	private volatile long checkedNanos;

	/** Whether a ticket has relied on the inbox since the last check. */
	private volatile boolean used;

	/** Whether a publish to this inbox was counted since it was subscribed. */
	private volatile boolean counted;

	/** Whether commands may reach another server than the one that has the inbox. */
	private volatile boolean doubtful;

	/** Until the first subscription is confirmed or has failed. */
	private volatile boolean starting = true;

	private volatile boolean stopped;

	/**
	 * Create a monitor with its inbox.
	 * @param factory makes the connection of the inbox
	 * @param channel the name of the inbox
	 * @param connections send the probes
	 * @param messages receives all other messages
	 * @param signals receives what is found out
	 * @param time the time
	 * @param patience how long a message may be on its way
	 */
	InboxMonitor(RedisConnectionFactory factory, String channel, RedisConnections connections, InboxSignals messages,
			LockSignals signals, TimeSource time, Duration patience) {
		this.inbox = new RedisInbox(factory, channel, this, this::explain);
		this.connections = connections;
		this.messages = messages;
		this.signals = signals;
		this.time = time;
		this.patience = patience;
	}

	void start() {
		this.inbox.start();
	}

	void stop() {
		this.stopped = true;
		Probe probe = this.awaited;
		if (probe != null) {
			// Its thread waits no longer for a message.
			probe.echo.countDown();
		}
		this.inbox.stop();
	}

	boolean isSubscribed() {
		return this.inbox.isConfirmed();
	}

	void awaitConfirmation(Duration patience) {
		this.inbox.awaitConfirmation(patience);
	}

	/** Return what a ticket that is queued now can rely on. */
	InboxState state() {
		if (!this.inbox.isConfirmed()) {
			// A ticket that is queued before the first subscription keeps its place, and
			// attempts again as soon as that is confirmed or has failed.
			return this.starting ? InboxState.SUBSCRIBED : InboxState.UNSUBSCRIBED;
		}
		this.used = true;
		return this.counted ? InboxState.VERIFIED : InboxState.SUBSCRIBED;
	}

	@Override
	public void subscribed() {
		if (this.stopped) {
			return;
		}
		this.connections.clock().forget();
		this.starting = false;
		lose();
		this.subscription.incrementAndGet();
		this.inbox.wake();
	}

	/** The connection of the inbox broke, and is made again. */
	@Override
	public void interrupted() {
		if (this.stopped) {
			return;
		}
		this.inbox.broken();
		lose();
		if (this.starting) {
			this.starting = false;
			// Queued tickets must not wait for messages any longer.
			this.signals.retryAll();
		}
	}

	/** Commands may reach another server now, where the inbox is not subscribed. */
	void serverChanged() {
		this.doubtful = true;
		this.checkedNanos = this.time.nanoTime() - CHECK_INTERVAL_NANOS - 1;
		lose();
	}

	/**
	 * Messages may have been lost. In this order: what is sent on the strength of the old
	 * state is known by the time of the call, or is sent before it.
	 */
	private void lose() {
		this.counted = false;
		this.signals.requestsMayBeLost();
	}

	@Override
	public void received(String text) {
		Probe probe = this.awaited;
		if (this.stopped || text.startsWith(RedisInbox.PROBE)) {
			if (probe != null && probe.text.equals(text)) {
				probe.echo.countDown();
			}
			return;
		}
		// Each master of a cluster has its own clock: one baseline is not sufficient. And
		// a master at which no inbox of a JVM is subscribed takes that JVM for dead and
		// withdraws its grant at once, although the inbox may be subscribed to a replica
		// and receive the message there.
		this.messages.received(text, !this.connections.isCluster() && !this.doubtful);
	}

	/**
	 * A half-open connection receives nothing and shows no error: only a check detects
	 * that.
	 */
	@Override
	public void check() {
		int number = this.subscription.get();
		boolean fresh = number != this.checkedSubscription;
		long now = this.time.nanoTime();
		if (!this.inbox.isConfirmed() || !fresh && !(this.used && now - this.checkedNanos > CHECK_INTERVAL_NANOS)) {
			return;
		}
		this.checkedSubscription = number;
		this.checkedNanos = now;
		this.used = false;
		boolean received = receives(number, fresh);
		// One message may be late because of this process, as in a long pause.
		if (!received && isCurrent(number) && !receives(number, false) && isCurrent(number)) {
			this.inbox.renew();
			lose();
			receivedNothing();
		}
	}

	private boolean isCurrent(int number) {
		return number == this.subscription.get() && !this.stopped;
	}

	/** Publish to the inbox; returns false if that succeeds and nothing arrives. */
	private boolean receives(int number, boolean fresh) {
		Probe probe = new Probe(RedisInbox.PROBE + ++this.probes, new CountDownLatch(1));
		this.awaited = probe;
		boolean sent = count(probe.text, number, fresh);
		if (fresh && !this.stopped) {
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
	private boolean count(String text, int number, boolean fresh) {
		try {
			long receivers = this.connections.probe(text);
			if (number == this.subscription.get()) {
				boolean before = this.counted;
				this.counted = receivers == 1 && !this.connections.isCluster();
				this.doubtful = this.doubtful && !this.counted;
				if (before && !this.counted) {
					lose();
				}
			}
			return true;
		}
		catch (RuntimeException ex) {
			this.checkedNanos = this.time.nanoTime() - CHECK_INTERVAL_NANOS + RETRY_NANOS;
			this.used = true;
			if (fresh && !this.stopped && RedisServer.isRefusal(ex)) {
				logger.warn("Cannot publish to the inbox of this JVM. " + LOCKS_WORK + " " + ex.getMessage());
			}
			return false;
		}
	}

	private void receivedNothing() {
		String server = this.connections.server().name();
		logger.warn("The inbox " + this.inbox.channel() + " received nothing from " + server
				+ ", although the server accepted messages for it, and is subscribed again on a new connection. Until"
				+ " then no lock is kept, and callers of this JVM that wait for a lock ask for it at intervals, which"
				+ " takes longer. If this is repeated, check whether a firewall, NAT gateway or load balancer drops idle"
				+ " connections");
		this.signals.resubscribed(this.inbox.channel(), server);
	}

	/**
	 * Explain why a subscription failed: the cause, the remedy, and what does not work
	 * until then.
	 */
	private String explain(Throwable failure) {
		RedisServer server = this.connections.server();
		if (NestedExceptionUtils.getMostSpecificCause(failure) instanceof UnsupportedOperationException) {
			return server.name() + ": the driver cannot subscribe there. " + LOCKS_WORK;
		}
		return server.explain(failure) + ". "
				+ (RedisServer.isRefusal(failure) ? LOCKS_WORK : "Until then no lock can be acquired.");
	}

	/** A message to this inbox that only shows whether messages arrive. */
	private record Probe(String text, CountDownLatch echo) {
	}

	/**
	 * What is known of the inbox of this JVM.
	 */
	enum InboxState {

		/** There is no subscription. */
		UNSUBSCRIBED,

		/**
		 * Subscribed, but the number of receivers cannot be trusted; or being subscribed
		 * for the first time.
		 */
		SUBSCRIBED,

		/** Subscribed, and a publish with no receiver means that this JVM is dead. */
		VERIFIED

	}

}
