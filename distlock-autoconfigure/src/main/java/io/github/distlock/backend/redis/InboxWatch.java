package io.github.distlock.backend.redis;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.ToLongFunction;

import io.github.distlock.backend.TimeSource;
import io.github.distlock.thread.LockThreads;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Finds out whether this JVM hears of its grants: lets a script publish to its own inbox,
 * looks at the number of receivers where that can be trusted, and otherwise waits for the
 * message. An inbox that hears nothing is subscribed anew.
 */
final class InboxWatch {

	private static final Log logger = LogFactory.getLog(InboxWatch.class);

	/** How long an inbox is believed to hear, while anybody waits. */
	private static final long EXAMINATION_NANOS = Duration.ofSeconds(10).toNanos();

	/** How soon to examine again when that could not be done. */
	private static final long REPETITION_NANOS = Duration.ofSeconds(1).toNanos();

	private final RedisInbox inbox;

	/** Publishes a text to the inbox and answers how many heard it. */
	private final ToLongFunction<String> probe;

	private final BooleanSupplier countable;

	private final Runnable onFresh;

	private final TimeSource time;

	private final Duration patience;

	private final LockThreads threads = LockThreads.named("distlock-inbox-probe");

	/** Counts subscriptions: what a probe found holds for its own only. */
	private final AtomicInteger subscription = new AtomicInteger();

	private final AtomicInteger probes = new AtomicInteger();

	/** Messages that are to come. */
	private final Map<String, CountDownLatch> echoes = new ConcurrentHashMap<>();

	/** When the inbox was examined last. */
	private final AtomicLong examinedNanos = new AtomicLong();

	/** Whether a script's publish to our inbox was counted on this subscription. */
	private volatile boolean counted;

	/** Whether commands may reach another server than the one that has the inbox. */
	private volatile boolean doubtful;

	private volatile boolean stopped;

	/**
	 * Create a watch; it begins with the first subscription.
	 * @param inbox what is watched
	 * @param probe publishes a text to the inbox and answers how many heard it
	 * @param countable whether that number can be trusted, which may ask the server
	 * @param onFresh told when a new subscription is known to the server
	 * @param time the time
	 * @param patience how long a message may be on its way
	 */
	InboxWatch(RedisInbox inbox, ToLongFunction<String> probe, BooleanSupplier countable, Runnable onFresh,
			TimeSource time, Duration patience) {
		this.inbox = inbox;
		this.probe = probe;
		this.countable = countable;
		this.onFresh = onFresh;
		this.time = time;
		this.patience = patience;
	}

	/** What a ticket that is queued now may rely on. */
	Hearing hearing() {
		if (!this.inbox.isConfirmed()) {
			return Hearing.NOT;
		}
		long now = this.time.nanoTime();
		long examined = this.examinedNanos.get();
		if (now - examined > EXAMINATION_NANOS && this.examinedNanos.compareAndSet(examined, now)) {
			// A half-open connection hears nothing and tells nothing: without asking
			// the server now and then, every grant would take us for dead.
			examineLater(this.subscription.get(), false);
		}
		return this.counted ? Hearing.COUNTED : Hearing.UNCOUNTED;
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
	}

	private void examineLater(int number, boolean fresh) {
		// Not on the driver's thread, which would wait for itself, nor on a caller's.
		this.threads.newThread(() -> examine(number, fresh)).start();
	}

	private void examine(int number, boolean fresh) {
		String text = RedisInbox.PROBE + this.probes.incrementAndGet();
		CountDownLatch echo = new CountDownLatch(1);
		this.echoes.put(text, echo);
		try {
			boolean sent = count(text, number, fresh);
			if (fresh && !this.stopped) {
				this.onFresh.run();
			}
			if (sent && !this.counted && !echo.await(this.patience.toNanos(), TimeUnit.NANOSECONDS)
					&& number == this.subscription.get() && !this.stopped) {
				logger.debug("The inbox does not hear what is published to it, and is subscribed anew");
				this.inbox.renew();
			}
		}
		catch (InterruptedException ex) {
			// Nobody has this thread but us.
			Thread.currentThread().interrupt();
		}
		finally {
			this.echoes.remove(text);
		}
	}

	/** Publish, and believe the number of receivers if it can be trusted. */
	private boolean count(String text, int number, boolean fresh) {
		try {
			boolean trusted = this.countable.getAsBoolean();
			long heard = this.probe.applyAsLong(text);
			if (number == this.subscription.get()) {
				this.counted = heard == 1 && trusted;
				this.doubtful = this.doubtful && !this.counted;
			}
			return true;
		}
		catch (RuntimeException ex) {
			this.examinedNanos.set(this.time.nanoTime() - EXAMINATION_NANOS + REPETITION_NANOS);
			if (fresh && !this.stopped && ScriptRunner.says(ex, "NOPERM")) {
				logger.warn("Cannot publish to the inbox of this JVM: waiting for locks is slower. " + ex.getMessage());
			}
			return false;
		}
	}

	/**
	 * Whether this JVM hears of grants.
	 */
	enum Hearing {

		/** No subscription. */
		NOT,

		/** Subscribed, but nobody can count us. */
		UNCOUNTED,

		/** Subscribed, and a publish that counts 0 means that we are dead. */
		COUNTED

	}

}
