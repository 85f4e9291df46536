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
 * Finds out whether this JVM receives its grants: lets a script publish to its own inbox,
 * reads the number of receivers where that can be trusted, and waits for the message. The
 * number shows only that the server knows the subscription: its messages may still be
 * lost on the way. An inbox that receives nothing is subscribed again.
 */
final class InboxMonitor {

	private static final Log logger = LogFactory.getLog(InboxMonitor.class);

	/** How long an inbox is believed to hear, while anybody waits. */
	private static final long EXAMINATION_NANOS = Duration.ofSeconds(10).toNanos();

	/** How soon to examine again when that could not be done. */
	private static final long REPETITION_NANOS = Duration.ofSeconds(1).toNanos();

	private final RedisInbox inbox;

	private final Surroundings surroundings;

	private final TimeSource time;

	private final Duration patience;

	private final ThreadFactory threads;

	/** Counts subscriptions: what a probe found holds for its own only. */
	private final AtomicInteger subscription = new AtomicInteger();

	private final AtomicInteger probes = new AtomicInteger();

	/** Messages that are to come. */
	private final Map<String, CountDownLatch> echoes = new ConcurrentHashMap<>();

	/** Threads that examine the inbox now. */
	private final Set<Thread> examining = ConcurrentHashMap.newKeySet();

	/** When the inbox was examined last. */
	private final AtomicLong examinedNanos = new AtomicLong();

	/** Whether a script's publish to our inbox was counted on this subscription. */
	private volatile boolean counted;

	/** Whether commands may reach another server than the one that has the inbox. */
	private volatile boolean doubtful;

	private volatile boolean stopped;

	/**
	 * Create a watch; it begins with the first subscription.
	 * @param inbox the inbox to watch
	 * @param surroundings the server, and the receiver of what is found
	 * @param time the time
	 * @param patience how long a message may be on its way
	 * @param threads makes the threads that examine
	 */
	InboxMonitor(RedisInbox inbox, Surroundings surroundings, TimeSource time, Duration patience,
			ThreadFactory threads) {
		this.inbox = inbox;
		this.surroundings = surroundings;
		this.time = time;
		this.patience = patience;
		this.threads = threads;
	}

	/** What a ticket that is queued now may rely on. */
	InboxState state() {
		if (!this.inbox.isConfirmed()) {
			return InboxState.UNSUBSCRIBED;
		}
		long now = this.time.nanoTime();
		long examined = this.examinedNanos.get();
		if (now - examined > EXAMINATION_NANOS && this.examinedNanos.compareAndSet(examined, now)) {
			// A half-open connection receives nothing and shows no error: without asking
			// the server now and then, no grant would arrive.
			examineLater(this.subscription.get(), false);
		}
		return this.counted ? InboxState.VERIFIED : InboxState.SUBSCRIBED;
	}

	void subscribed() {
		this.counted = false;
		this.examinedNanos.set(this.time.nanoTime());
		examineLater(this.subscription.incrementAndGet(), true);
	}

	/** The inbox's connection broke; the driver subscribes again. */
	void interrupted() {
		this.counted = false;
		this.inbox.interrupted();
	}

	/** Commands may reach another server now, which the inbox is not subscribed to. */
	void serverChanged() {
		this.doubtful = true;
		this.counted = false;
		this.examinedNanos.set(this.time.nanoTime() - EXAMINATION_NANOS - 1);
	}

	/**
	 * Whether a message may tell of a grant that was taken back at once. A master that
	 * finds none of its own subscribers to the inbox takes its owner for dead; but the
	 * message still goes to the master's replicas, of which one may have the inbox.
	 */
	boolean isDoubtful() {
		return this.doubtful;
	}

	/** A probe has come back. */
	void heard(String text) {
		CountDownLatch echo = this.echoes.get(text);
		if (echo != null) {
			echo.countDown();
		}
	}

	void stop() {
		this.stopped = true;
		// A cluster driver that is closed during a command never answers it.
		this.examining.forEach(Thread::interrupt);
	}

	/**
	 * Not on the driver's thread, which would wait for itself, nor on a caller's. If no
	 * thread can be started the caller goes on, and a later one tries again.
	 */
	private void examineLater(int number, boolean fresh) {
		try {
			this.threads.newThread(() -> examine(number, fresh)).start();
		}
		catch (Throwable ex) {
			examineSoon();
			if (fresh && !this.stopped) {
				this.surroundings.subscribedAnew();
			}
			logger.warn("The inbox of this JVM could not be examined and is examined again later", ex);
		}
	}

	private void examineSoon() {
		this.examinedNanos.set(this.time.nanoTime() - EXAMINATION_NANOS + REPETITION_NANOS);
	}

	private void examine(int number, boolean fresh) {
		this.examining.add(Thread.currentThread());
		try {
			if (this.stopped) {
				return;
			}
			boolean received = receives(number, fresh);
			// One message may be late for a reason of this process, such as a long pause.
			if (!received && isCurrent(number) && !receives(number, false) && isCurrent(number)) {
				this.inbox.renew();
				this.surroundings.receivedNothing();
			}
		}
		catch (InterruptedException ex) {
			// This thread is only ours.
			Thread.currentThread().interrupt();
		}
		catch (Throwable ex) {
			examineSoon();
			logger.warn("The inbox of this JVM could not be examined and is examined again later", ex);
		}
		finally {
			this.examining.remove(Thread.currentThread());
		}
	}

	private boolean isCurrent(int number) {
		return number == this.subscription.get() && !this.stopped;
	}

	/** Publish to the inbox; answers false if that succeeds and nothing arrives. */
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
					this.surroundings.subscribedAnew();
				}
			}
			return !sent || echo.await(this.patience.toNanos(), TimeUnit.NANOSECONDS);
		}
		finally {
			this.echoes.remove(text);
		}
	}

	/** Publish, and believe the number of receivers if it can be trusted. */
	private boolean count(String text, int number, boolean fresh) {
		try {
			boolean trusted = this.surroundings.isCountable();
			long receivers = this.surroundings.publish(text);
			if (number == this.subscription.get()) {
				this.counted = receivers == 1 && trusted;
				this.doubtful = this.doubtful && !this.counted;
			}
			return true;
		}
		catch (RuntimeException ex) {
			examineSoon();
			if (fresh && !this.stopped && ScriptExecutor.says(ex, "NOPERM")) {
				logger.warn("Cannot publish to the inbox of this JVM. Locks work; callers that wait for a lock of"
						+ " another JVM ask for it at intervals, which takes longer. " + ex.getMessage());
			}
			return false;
		}
	}

	/**
	 * The server that has the inbox, and the receiver of what is found.
	 */
	interface Surroundings {

		/** Publish a text to the inbox; answers how many connections received it. */
		long publish(String text);

		/** Whether that number can be trusted, which may ask the server. */
		boolean isCountable();

		/** A new subscription is known to the server. */
		void subscribedAnew();

		/** The inbox received nothing and is subscribed again. */
		void receivedNothing();

	}

	/**
	 * What is known of the inbox of this JVM.
	 */
	enum InboxState {

		/** There is no subscription. */
		UNSUBSCRIBED,

		/** Subscribed, but the number of receivers cannot be trusted. */
		SUBSCRIBED,

		/** Subscribed, and a publish with no receiver means that this JVM is dead. */
		VERIFIED

	}

}
