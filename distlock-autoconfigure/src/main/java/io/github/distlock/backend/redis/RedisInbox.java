package io.github.distlock.backend.redis;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import io.github.distlock.thread.LockLog;
import io.github.distlock.thread.LockThreads;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.ConnectionUtils;
import org.springframework.data.redis.connection.Message;
import org.springframework.data.redis.connection.MessageListener;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.SubscriptionListener;

/**
 * The one channel on which this JVM receives its grants, for all locks. One thread owns
 * it: it subscribes, again whenever the subscription was lost, and checks it meanwhile.
 * Lettuce subscribes again by itself after a reconnect. Messages and confirmations come
 * on threads of the driver.
 */
final class RedisInbox implements MessageListener, SubscriptionListener {

	/** Prefix of a message that only shows whether messages arrive. */
	static final String PROBE = "probe:";

	private static final Log logger = LockLog.of(RedisInbox.class);

	private static final long MIN_BACK_OFF_MILLIS = 100;

	private static final long MAX_BACK_OFF_MILLIS = 2000;

	/** Interval of checks whether the subscription still exists. */
	private static final long CHECK_MILLIS = 500;

	/** A thread that connects to an unreachable server ends later, by itself. */
	private static final long STOP_MILLIS = 2000;

	private final RedisConnectionFactory connections;

	private final String channel;

	private final Listener listener;

	private final Thread thread;

	/** Each permit lets the thread go on at once. */
	private final Semaphore wakeUps = new Semaphore(0);

	/**
	 * What the server has confirmed last, as an object of its own for each confirmation;
	 * {@code null} if, as far as is known, no message arrives.
	 */
	private volatile @Nullable Subscription subscription;

	/**
	 * Completes when the first subscription has been confirmed or has failed, or when the
	 * inbox is stopped.
	 */
	private final CompletableFuture<Boolean> settled = new CompletableFuture<>();

	/** Since the last confirmation. */
	private volatile int failedAttempts;

	/** The next pause at most. Used by the thread of the inbox. */
	private long backOffMillis = MIN_BACK_OFF_MILLIS;

	private volatile boolean stopped;

	/** Written before it is stopped. */
	private Runnable last = () -> {
	};

	/**
	 * Create an inbox; it subscribes after its start.
	 * @param connections makes its connection
	 * @param channel its name
	 */
	RedisInbox(RedisConnectionFactory connections, String channel, Listener listener) {
		this.connections = connections;
		this.channel = channel;
		this.listener = listener;
		this.thread = LockThreads.named("distlock-inbox").newThread(this::run);
	}

	/** No message arrives until the server confirms again: the connection broke. */
	void broken() {
		this.subscription = null;
	}

	String channel() {
		return this.channel;
	}

	void start() {
		this.thread.start();
	}

	/**
	 * Stop, and wait two seconds at most for the thread to end.
	 * @param last the last call of the thread, which has closed its connection then, so
	 * the client can be shut down. The driver would warn of a connection that is closed
	 * twice.
	 */
	void stop(Runnable last) {
		this.last = last;
		this.stopped = true;
		this.subscription = null;
		this.settled.complete(false);
		wake();
		try {
			this.thread.join(STOP_MILLIS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	@Nullable Subscription subscription() {
		return this.subscription;
	}

	boolean isSubscribed() {
		return this.subscription != null;
	}

	CompletableFuture<Boolean> settled() {
		return this.settled;
	}

	/** Let the thread check soon. */
	void wake() {
		this.wakeUps.release();
	}

	private void run() {
		LockThreads.repeatWhile(() -> !this.stopped, this::trySubscribe);
		this.last.run();
	}

	private void trySubscribe() {
		try {
			subscribe();
			this.backOffMillis = MIN_BACK_OFF_MILLIS;
		}
		catch (Throwable ex) {
			failed(ex);
		}
		finally {
			if (!this.stopped) {
				pause(ThreadLocalRandom.current().nextLong(this.backOffMillis / 2, this.backOffMillis));
				this.backOffMillis = Math.min(this.backOffMillis * 2, MAX_BACK_OFF_MILLIS);
			}
		}
	}

	private void failed(Throwable ex) {
		this.settled.completeExceptionally(ex);
		// On a busy processor one attempt may take too long.
		if (++this.failedAttempts == 2 && !this.stopped) {
			logger.warn(this.listener.explain(ex) + " Cannot subscribe to the inbox " + this.channel
					+ " yet, trying again");
		}
	}

	/** Subscribe, and stay until the subscription has ended. */
	private void subscribe() {
		try (RedisConnection connection = this.connections.getConnection()) {
			byte[] name = this.channel.getBytes(StandardCharsets.UTF_8);
			if (!ConnectionUtils.isJedis(ApplicationConnections.of(this.connections).factory())) {
				connection.subscribe(this, name);
				stayWhile(connection::isSubscribed);
				return;
			}
			try (JedisSubscription jedis = new JedisSubscription(connection, name, this)) {
				stayWhile(jedis::isAlive);
			}
		}
		finally {
			if (!this.stopped) {
				broken();
			}
		}
	}

	private void stayWhile(BooleanSupplier alive) {
		while (!this.stopped && alive.getAsBoolean() && this.listener.check()) {
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
			String text = new String(message.getBody(), StandardCharsets.UTF_8);
			// The thread that is to end may wait for a probe.
			if (!this.stopped || text.startsWith(PROBE)) {
				this.listener.received(text);
			}
		}
		catch (Throwable ex) {
			// This is the driver's thread, which serves all connections. The waiting
			// ticket asks again by itself.
			logger.warn("Ignored a message in the inbox that could not be handled", ex);
		}
	}

	@Override
	public void onChannelSubscribed(byte[] name, long count) {
		if (this.stopped) {
			return;
		}
		this.subscription = new Subscription();
		this.settled.complete(true);
		if (this.failedAttempts > 1) {
			logger.info("The inbox " + this.channel + " is subscribed now");
		}
		this.failedAttempts = 0;
		this.listener.subscribed();
		wake();
	}

	/** What uses an inbox. */
	interface Listener {

		/** The server has confirmed a subscription. The next check is soon. */
		default void subscribed() {
		}

		/** A message has arrived. */
		void received(String text);

		/**
		 * Check the subscription. Called at intervals on the thread of the inbox, which
		 * may wait.
		 * @return {@code false} to subscribe on a new connection
		 */
		boolean check();

		/**
		 * Explain why a subscription failed: the cause, the remedy, and what does not
		 * work until then.
		 */
		String explain(Throwable failure);

	}

	/**
	 * What is known of one confirmed subscription. An answer that is late says nothing of
	 * a later one.
	 */
	static final class Subscription {

		/** Whether a check of it has begun. Used by the thread of the inbox. */
		boolean checked;

		/** Whether the server counts it as a receiver. */
		volatile boolean counted;

	}

}
