package io.github.distlock.backend.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

import io.github.distlock.LockBackendException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.Message;
import org.springframework.data.redis.connection.MessageListener;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.SubscriptionListener;

/**
 * The one channel on which this JVM receives its grants, for all locks. A thread of its
 * own subscribes it, and again whenever the subscription was lost. Lettuce subscribes
 * again by itself after a reconnect.
 */
final class RedisInbox implements MessageListener, SubscriptionListener {

	/** Prefix of a message that only shows whether messages arrive. */
	static final String PROBE = "probe:";

	private static final Log logger = LogFactory.getLog(RedisInbox.class);

	private static final long MIN_BACK_OFF_MILLIS = 100;

	private static final long MAX_BACK_OFF_MILLIS = 2000;

	/** Interval of checks whether the subscription still exists. */
	private static final long CHECK_MILLIS = 500;

	private final RedisConnectionFactory connectionFactory;

	private final String channel;

	private final Events events;

	private final Function<Throwable, String> failures;

	private final CountDownLatch stopped = new CountDownLatch(1);

	private final AtomicBoolean renewing = new AtomicBoolean();

	/** Whether the server has confirmed the subscription, as far as is known. */
	private volatile boolean confirmed;

	/** Open until the first subscription has been confirmed or has failed. */
	private final CountDownLatch settled = new CountDownLatch(1);

	/** Why the last subscription failed. */
	private volatile @Nullable RuntimeException failure;

	/** Since the last confirmation. */
	private final AtomicInteger failedAttempts = new AtomicInteger();

	private volatile @Nullable Thread thread;

	/** Whether the client closes the connection, set before {@link #stopped}. */
	private volatile boolean clientEnds;

	private final boolean blocking;

	/** The subscription of Jedis, which another thread can end. */
	private volatile @Nullable JedisSubscriber subscriber;

	/** Whether the present connection was subscribed. */
	private volatile boolean established;

	/** The thread that takes it out must close it. */
	private final AtomicReference<@Nullable RedisConnection> connection = new AtomicReference<>();

	/**
	 * Create an inbox; it subscribes after its start.
	 * @param connectionFactory makes its connection
	 * @param channel its name
	 * @param events receives the messages
	 * @param failures explains a failure: the cause, the remedy, and what does not work
	 * until then
	 */
	RedisInbox(RedisConnectionFactory connectionFactory, String channel, Events events,
			Function<Throwable, String> failures) {
		this.connectionFactory = connectionFactory;
		this.blocking = BlockingSubscription.isUsedBy(connectionFactory);
		this.channel = channel;
		this.events = events;
		this.failures = failures;
	}

	String channel() {
		return this.channel;
	}

	void start(ThreadFactory threads) {
		Thread subscriber = threads.newThread(this::run);
		this.thread = subscriber;
		subscriber.start();
	}

	/**
	 * Stop, and wait a second at most for the thread to end: it must not use a connection
	 * of a client that has been shut down.
	 * @param clientEnds whether the client, of Lettuce, is shut down next, which closes
	 * the connection. The driver warns of a connection that is closed twice. Then this
	 * ends all waits for its connections.
	 */
	void stop(boolean clientEnds) {
		this.clientEnds = clientEnds;
		this.stopped.countDown();
		this.confirmed = false;
		if (clientEnds) {
			LettuceConnections.end(this.connectionFactory);
		}
		else if (!this.blocking) {
			close(this.connection.getAndSet(null));
		}
		else if (!disconnect()) {
			BlockingSubscription.wake(this.connectionFactory, this.channel);
		}
		LockClientShutdown.join(this.thread);
	}

	/** On the thread that reads from the connection. */
	private void endIfStopped() {
		RedisConnection current = this.connection.get();
		if (this.blocking && isStopped() && current != null && !disconnect()) {
			BlockingSubscription.end(current);
		}
	}

	/** End the wait of a blocking driver, if it supports that. */
	private boolean disconnect() {
		JedisSubscriber ending = this.subscriber;
		if (ending != null) {
			ending.disconnect();
		}
		return ending != null;
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

	/**
	 * Subscribe on a new connection: the server no longer knows the old one. Not every
	 * blocking driver lets another thread end the old one.
	 * @return whether a new connection is made now
	 */
	boolean renew() {
		this.confirmed = false;
		if (this.blocking) {
			return disconnect();
		}
		this.renewing.set(true);
		return true;
	}

	/** The connection broke: no message arrives until the server confirms again. */
	void interrupted() {
		this.confirmed = false;
	}

	/** Run until stop(), whatever is thrown. */
	private void run() {
		while (!isStopped()) {
			try {
				subscribeRepeatedly();
			}
			catch (Throwable ex) {
				// Even the handling of the failure failed, as without memory.
				pause(MAX_BACK_OFF_MILLIS);
			}
		}
	}

	private void subscribeRepeatedly() {
		long backOff = MIN_BACK_OFF_MILLIS;
		while (!isStopped()) {
			try {
				subscribe();
				backOff = MIN_BACK_OFF_MILLIS;
			}
			catch (Throwable ex) {
				this.failure = (ex instanceof RuntimeException cause) ? cause
						: new IllegalStateException("The inbox " + this.channel + " could not be subscribed", ex);
				this.settled.countDown();
				// On a busy processor one attempt may take too long.
				if (this.failedAttempts.incrementAndGet() == 2 && !isStopped()) {
					logger.warn("Cannot subscribe to the inbox " + this.channel + " yet, trying again. "
							+ this.failures.apply(ex));
				}
			}
			finally {
				this.confirmed = false;
				close(this.connection.getAndSet(null));
				this.events.interrupted();
			}
			pause(ThreadLocalRandom.current().nextLong(backOff / 2, backOff));
			backOff = Math.min(backOff * 2, MAX_BACK_OFF_MILLIS);
		}
	}

	private void subscribe() {
		RedisConnection current = this.connectionFactory.getConnection();
		this.connection.set(current);
		if (isStopped()) {
			// stop() may have been called before there was a connection to close.
			return;
		}
		this.established = false;
		try {
			subscribe(current, this.channel.getBytes(StandardCharsets.UTF_8));
		}
		catch (RuntimeException ex) {
			if (!this.established) {
				throw ex;
			}
			// So a blocking driver says that the connection broke.
			logger.debug("The subscription to the inbox " + this.channel + " has ended", ex);
		}
	}

	/** Some drivers block while the subscription exists, some return at once. */
	private void subscribe(RedisConnection current, byte[] channel) {
		JedisSubscriber jedis = JedisSubscriber.on(current, this.connectionFactory);
		if (jedis == null) {
			current.subscribe(this, channel);
			awaitEnd(current);
			return;
		}
		this.subscriber = jedis;
		try {
			jedis.subscribe(channel, this);
		}
		finally {
			this.subscriber = null;
			jedis.release();
		}
	}

	private void awaitEnd(RedisConnection current) {
		while (!isStopped() && !this.renewing.getAndSet(false) && current.isSubscribed()) {
			pause(CHECK_MILLIS);
		}
	}

	private boolean isStopped() {
		return this.stopped.getCount() == 0;
	}

	private void pause(long millis) {
		try {
			this.stopped.await(millis, TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			// No other code uses this thread: only stop() ends it.
			LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
		}
	}

	private void close(@Nullable RedisConnection connection) {
		if (connection != null && !this.clientEnds) {
			BlockingSubscription.close(connection, this.connectionFactory);
		}
	}

	@Override
	public void onMessage(Message message, byte @Nullable [] pattern) {
		try {
			endIfStopped();
			String text = new String(message.getBody(), StandardCharsets.UTF_8);
			if (text.startsWith(PROBE)) {
				this.events.probed(text);
			}
			else {
				this.events.received(InboxMessage.parse(text));
			}
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
		this.established = true;
		this.settled.countDown();
		if (this.failedAttempts.getAndSet(0) > 1) {
			logger.info("The inbox " + this.channel + " is subscribed now");
		}
		this.events.subscribed();
		endIfStopped();
	}

	/**
	 * Receives the messages of the inbox, on threads of the driver.
	 */
	interface Events {

		void subscribed();

		void probed(String text);

		void received(InboxMessage message);

		/** Messages may be lost until the inbox is subscribed again. */
		default void interrupted() {
		}

	}

}
