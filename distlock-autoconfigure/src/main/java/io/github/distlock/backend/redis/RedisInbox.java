package io.github.distlock.backend.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

import io.github.distlock.LockBackendException;
import io.github.distlock.thread.LockThreads;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.ConnectionUtils;
import org.springframework.data.redis.connection.Message;
import org.springframework.data.redis.connection.MessageListener;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.SubscriptionListener;

/**
 * The one channel on which this JVM receives its grants, for all locks. One thread owns
 * it: it subscribes, again whenever the subscription was lost, and lets the listener
 * check it meanwhile. Lettuce subscribes again by itself after a reconnect.
 */
final class RedisInbox implements MessageListener, SubscriptionListener {

	/** Prefix of a message that only shows whether messages arrive. */
	static final String PROBE = "probe:";

	private static final Log logger = LogFactory.getLog(RedisInbox.class);

	private static final long MIN_BACK_OFF_MILLIS = 100;

	private static final long MAX_BACK_OFF_MILLIS = 2000;

	/** Interval of checks whether the subscription still exists. */
	private static final long CHECK_MILLIS = 500;

	/** A thread that connects to an unreachable server ends later, by itself. */
	private static final long STOP_MILLIS = 1000;

	private final RedisConnectionFactory connections;

	private final String channel;

	private final Listener listener;

	private final Function<Throwable, String> failures;

	private final Thread thread;

	/** Each permit lets the thread go on at once. */
	private final Semaphore wakeUps = new Semaphore(0);

	/** Whether the server has confirmed the subscription, as far as is known. */
	private volatile boolean confirmed;

	/** Open until the first subscription has been confirmed or has failed. */
	private final CountDownLatch settled = new CountDownLatch(1);

	/** Why the last subscription failed. */
	private volatile @Nullable RuntimeException failure;

	/** Since the last confirmation. */
	private volatile int failedAttempts;

	private volatile boolean renewing;

	private volatile boolean stopped;

	/**
	 * Create an inbox; it subscribes after its start.
	 * @param connections makes its connection
	 * @param channel its name
	 * @param listener receives the messages
	 * @param failures explains a failure: the cause, the remedy, and what does not work
	 * until then
	 */
	RedisInbox(RedisConnectionFactory connections, String channel, Listener listener,
			Function<Throwable, String> failures) {
		this.connections = connections;
		this.channel = channel;
		this.listener = listener;
		this.failures = failures;
		this.thread = LockThreads.named("distlock-inbox").newThread(this::run);
	}

	String channel() {
		return this.channel;
	}

	void start() {
		this.thread.start();
	}

	/**
	 * Stop, and wait a second at most for the thread to end: it must not use a connection
	 * of a client that has been shut down.
	 */
	void stop() {
		this.stopped = true;
		this.confirmed = false;
		wake();
		try {
			this.thread.join(STOP_MILLIS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	boolean isConfirmed() {
		return this.confirmed;
	}

	/**
	 * Wait for the first subscription.
	 * @throws RuntimeException the cause if it fails
	 */
	void awaitConfirmation(Duration patience) {
		try {
			if (!this.settled.await(patience.toNanos(), TimeUnit.NANOSECONDS)) {
				throw new LockBackendException("Redis has not confirmed the subscription to the inbox " + this.channel
						+ " within " + patience);
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		RuntimeException reason = this.failure;
		if (!this.confirmed && reason != null) {
			throw reason;
		}
	}

	/** The connection broke: no message arrives until the server confirms again. */
	void broken() {
		this.confirmed = false;
	}

	/** Let the listener check soon. */
	void wake() {
		this.wakeUps.release();
	}

	/** Subscribe on a new connection: the server no longer knows the old one. */
	void renew() {
		this.confirmed = false;
		this.renewing = true;
	}

	private void run() {
		long backOff = MIN_BACK_OFF_MILLIS;
		while (!this.stopped) {
			try {
				subscribe();
				backOff = MIN_BACK_OFF_MILLIS;
			}
			catch (Throwable ex) {
				failed(ex);
			}
			this.confirmed = false;
			if (!this.stopped) {
				this.listener.interrupted();
				pause(ThreadLocalRandom.current().nextLong(backOff / 2, backOff));
				backOff = Math.min(backOff * 2, MAX_BACK_OFF_MILLIS);
			}
		}
	}

	private void failed(Throwable ex) {
		this.failure = (ex instanceof RuntimeException cause) ? cause
				: new IllegalStateException("The inbox " + this.channel + " could not be subscribed", ex);
		this.settled.countDown();
		// On a busy processor one attempt may take too long.
		if (++this.failedAttempts == 2 && !this.stopped) {
			logger.warn(
					"Cannot subscribe to the inbox " + this.channel + " yet, trying again. " + this.failures.apply(ex));
		}
	}

	/** Subscribe, and stay until the subscription has ended. */
	private void subscribe() {
		this.renewing = false;
		try (RedisConnection connection = this.connections.getConnection()) {
			byte[] name = this.channel.getBytes(StandardCharsets.UTF_8);
			if (!ConnectionUtils.isJedis(this.connections)) {
				connection.subscribe(this, name);
				stayWhile(connection::isSubscribed);
				return;
			}
			try (JedisSubscription jedis = new JedisSubscription(connection, name, this)) {
				stayWhile(jedis::isAlive);
			}
		}
	}

	private void stayWhile(BooleanSupplier alive) {
		while (!this.stopped && !this.renewing && alive.getAsBoolean()) {
			this.listener.check();
			pause(CHECK_MILLIS);
		}
	}

	private void pause(long millis) {
		try {
			if (this.wakeUps.tryAcquire(millis, TimeUnit.MILLISECONDS)) {
				this.wakeUps.drainPermits();
			}
		}
		catch (InterruptedException ex) {
			// No other code uses this thread: nothing interrupts it.
		}
	}

	@Override
	public void onMessage(Message message, byte @Nullable [] pattern) {
		try {
			this.listener.received(new String(message.getBody(), StandardCharsets.UTF_8));
		}
		catch (Throwable ex) {
			// This is the driver's thread, which serves all connections. The waiting
			// ticket asks again by itself.
			logger.warn("Ignored a message in the inbox that could not be handled", ex);
		}
	}

	@Override
	public void onChannelSubscribed(byte[] subscribed, long count) {
		this.confirmed = true;
		this.settled.countDown();
		if (this.failedAttempts > 1) {
			logger.info("The inbox " + this.channel + " is subscribed now");
		}
		this.failedAttempts = 0;
		this.listener.subscribed();
	}

	/**
	 * Receives the messages of the inbox, on threads of the driver.
	 */
	interface Listener {

		/** The server has confirmed a subscription. */
		void subscribed();

		/** A message has arrived. */
		void received(String text);

		/** Messages may be lost until the inbox is subscribed again. */
		default void interrupted() {
		}

		/** Called at intervals on the thread of the inbox, which may wait. */
		default void check() {
		}

	}

}
