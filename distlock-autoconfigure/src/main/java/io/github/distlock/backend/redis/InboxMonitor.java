package io.github.distlock.backend.redis;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.github.distlock.backend.TimeSource;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Checks that this JVM receives its grants: lets a script publish to its own inbox, reads
 * the number of receivers where that can be trusted, and waits for the message. The
 * number shows only that the server knows the subscription: its messages may still be
 * lost. An inbox that receives nothing is subscribed again.
 */
final class InboxMonitor {

	private static final Log logger = LogFactory.getLog(InboxMonitor.class);

	/** Interval of checks while tickets wait. */
	private static final long CHECK_INTERVAL_NANOS = Duration.ofSeconds(10).toNanos();

	/** Time until the next check if a check could not be made. */
	private static final long RETRY_NANOS = Duration.ofSeconds(1).toNanos();

	private final RedisInbox inbox;

	private final Server server;

	private final TimeSource time;

	private final Duration patience;

	private final ThreadFactory threads;

	/** Counts subscriptions: the result of a probe is valid for its own only. */
	private final AtomicInteger subscription = new AtomicInteger();

	private final AtomicInteger probes = new AtomicInteger();

	/** Probes whose message has not arrived yet. */
	private final Map<String, CountDownLatch> echoes = new ConcurrentHashMap<>();

	/** Threads that check the inbox now. */
	private final Set<Thread> checking = ConcurrentHashMap.newKeySet();

	/** The time of the last check. */
	private final AtomicLong checkedNanos = new AtomicLong();

	/** Whether a publish to this inbox was counted since it was subscribed. */
	private volatile boolean counted;

	/** Whether commands may reach another server than the one that has the inbox. */
	private volatile boolean doubtful;

	/** Until the first subscription is confirmed or has failed. */
	private volatile boolean starting = true;

	private volatile boolean stopped;

	/**
	 * Create a monitor; it begins with the first subscription.
	 * @param inbox the inbox
	 * @param server the server that has the inbox
	 * @param time the time
	 * @param patience how long a message may be on its way
	 * @param threads makes the threads that check
	 */
	InboxMonitor(RedisInbox inbox, Server server, TimeSource time, Duration patience, ThreadFactory threads) {
		this.inbox = inbox;
		this.server = server;
		this.time = time;
		this.patience = patience;
		this.threads = threads;
	}

	/**
	 * Return what a ticket that is queued now can rely on; starts a check if one is due.
	 */
	InboxState state() {
		if (!this.inbox.isConfirmed()) {
			// A ticket that is queued before the first subscription keeps its place, and
			// attempts again as soon as that is confirmed or has failed.
			return this.starting ? InboxState.SUBSCRIBED : InboxState.UNSUBSCRIBED;
		}
		long now = this.time.nanoTime();
		long checked = this.checkedNanos.get();
		if (now - checked > CHECK_INTERVAL_NANOS && this.checkedNanos.compareAndSet(checked, now)) {
			// A half-open connection receives nothing and shows no error: only a check
			// detects that.
			checkAsync(this.subscription.get(), false);
		}
		return this.counted ? InboxState.VERIFIED : InboxState.SUBSCRIBED;
	}

	void subscribed() {
		this.starting = false;
		try {
			lose();
		}
		finally {
			this.checkedNanos.set(this.time.nanoTime());
			checkAsync(this.subscription.incrementAndGet(), true);
		}
	}

	/** The connection of the inbox broke; the driver subscribes again. */
	void interrupted() {
		this.inbox.interrupted();
		lose();
		if (this.starting) {
			this.starting = false;
			// Queued tickets must not wait for messages any longer.
			this.server.subscriptionConfirmed();
		}
	}

	/** Commands may reach another server now, where the inbox is not subscribed. */
	void serverChanged() {
		this.doubtful = true;
		this.checkedNanos.set(this.time.nanoTime() - CHECK_INTERVAL_NANOS - 1);
		lose();
	}

	/**
	 * Messages may have been lost. In this order: what is sent on the strength of the old
	 * state is known by the time of the call, or is sent before it.
	 */
	private void lose() {
		this.counted = false;
		this.server.messagesMayBeLost();
	}

	/**
	 * Return whether a message may be about a grant that was withdrawn at once. A master
	 * at which no inbox of a JVM is subscribed takes that JVM for dead, although the
	 * inbox may be subscribed to a replica and receive the message there.
	 */
	boolean isDoubtful() {
		return this.doubtful;
	}

	/** The message of a probe has arrived. */
	void heard(String text) {
		CountDownLatch echo = this.echoes.get(text);
		if (echo != null) {
			echo.countDown();
		}
	}

	void stop() {
		this.stopped = true;
		// A cluster driver that is closed during a command never answers it.
		this.checking.forEach(Thread::interrupt);
	}

	/**
	 * Check on a thread of its own: a thread of the driver would wait for itself, and
	 * callers must not be delayed. If no thread can be started, a later call tries again.
	 */
	private void checkAsync(int number, boolean fresh) {
		try {
			this.threads.newThread(() -> check(number, fresh)).start();
		}
		catch (Throwable ex) {
			checkSoon();
			if (fresh && !this.stopped) {
				this.server.subscriptionConfirmed();
			}
			logger.warn("The inbox of this JVM could not be checked and is checked again later", ex);
		}
	}

	private void checkSoon() {
		this.checkedNanos.set(this.time.nanoTime() - CHECK_INTERVAL_NANOS + RETRY_NANOS);
	}

	private void check(int number, boolean fresh) {
		this.checking.add(Thread.currentThread());
		try {
			if (this.stopped) {
				return;
			}
			boolean received = receives(number, fresh);
			// One message may be late because of this process, as in a long pause.
			if (!received && isCurrent(number) && !receives(number, false) && isCurrent(number)) {
				boolean renewed = this.inbox.renew();
				lose();
				this.server.receivedNothing(renewed);
			}
		}
		catch (InterruptedException ex) {
			// No other code uses this thread.
			Thread.currentThread().interrupt();
		}
		catch (Throwable ex) {
			checkSoon();
			logger.warn("The inbox of this JVM could not be checked and is checked again later", ex);
		}
		finally {
			this.checking.remove(Thread.currentThread());
		}
	}

	private boolean isCurrent(int number) {
		return number == this.subscription.get() && !this.stopped;
	}

	/** Publish to the inbox; returns false if that succeeds and nothing arrives. */
	private boolean receives(int number, boolean fresh) throws InterruptedException {
		String text = RedisInbox.PROBE + this.probes.incrementAndGet();
		CountDownLatch echo = new CountDownLatch(1);
		this.echoes.put(text, echo);
		try {
			boolean sent = false;
			try {
				sent = count(text, number, fresh);
			}
			finally {
				if (fresh && !this.stopped) {
					this.server.subscriptionConfirmed();
				}
			}
			return !sent || echo.await(this.patience.toNanos(), TimeUnit.NANOSECONDS);
		}
		finally {
			this.echoes.remove(text);
		}
	}

	/** Publish, and use the number of receivers if it can be trusted. */
	private boolean count(String text, int number, boolean fresh) {
		try {
			boolean trusted = this.server.isCountable();
			long receivers = this.server.publish(text);
			if (number == this.subscription.get()) {
				boolean before = this.counted;
				this.counted = receivers == 1 && trusted;
				this.doubtful = this.doubtful && !this.counted;
				if (before && !this.counted) {
					lose();
				}
			}
			return true;
		}
		catch (RuntimeException ex) {
			checkSoon();
			if (fresh && !this.stopped && ScriptExecutor.says(ex, "NOPERM")) {
				logger.warn("Cannot publish to the inbox of this JVM. Locks work; callers that wait for a lock of"
						+ " another JVM ask for it at intervals, which takes longer. " + ex.getMessage());
			}
			return false;
		}
	}

	/**
	 * The server that has the inbox. It also receives the results of checks.
	 */
	interface Server {

		/** Publish a text to the inbox; returns the number of receivers. */
		long publish(String text);

		/** Whether that number can be trusted; may send a command. */
		boolean isCountable();

		/** The server knows a new subscription, or the first one has failed. */
		void subscriptionConfirmed();

		/**
		 * The inbox received nothing.
		 * @param renewed whether it is subscribed again now, and not only when its
		 * connection has ended
		 */
		void receivedNothing(boolean renewed);

		/** What was counted on no longer holds: messages may be lost, or have been. */
		default void messagesMayBeLost() {
		}

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
