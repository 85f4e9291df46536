package io.github.distlock.backend.redis;

import java.lang.reflect.Field;
import java.util.Objects;

import io.github.distlock.thread.LockLog;
import io.github.distlock.thread.LockThreads;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.BinaryJedisPubSub;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.providers.ConnectionProvider;

import org.springframework.data.redis.connection.DefaultMessage;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.util.ReflectionUtils;

/**
 * A subscription of the inbox on a connection of Jedis, which keeps a thread for as long
 * as it exists. Another thread can only close the socket, which ends it. It must not
 * write: the connection would go back to the application's pool with a reply that no
 * command has read, and later commands would get the replies of others. For the same
 * reason this connection is thrown away and not used again, however its subscription
 * ends, and Spring Data does not know of the subscription: it would end it by a command.
 */
final class JedisSubscription implements AutoCloseable {

	private static final Log logger = LockLog.of(JedisSubscription.class);

	private final Connection connection;

	/**
	 * Whether the subscription has ended. From then on no other thread disconnects: the
	 * driver may use the object again. Guarded by this.
	 */
	private boolean released;

	/**
	 * Whether it is to end. The driver connects anew if it is disconnected before it has
	 * subscribed, so that is looked at again afterwards. Guarded by this.
	 */
	private boolean closing;

	private volatile boolean subscribed;

	/** Why the subscription could not be made. */
	private volatile @Nullable RuntimeException failure;

	/** Subscribe on a thread of its own. */
	JedisSubscription(RedisConnection spring, byte[] channel, RedisInbox inbox) {
		this.connection = connection(spring.getNativeConnection());
		BinaryJedisPubSub receiver = new BinaryJedisPubSub() {

			@Override
			public void onSubscribe(byte[] subscribed, int count) {
				JedisSubscription.this.subscribed = true;
				disconnectIfClosing();
				inbox.onChannelSubscribed(subscribed, count);
			}

			@Override
			public void onMessage(byte[] source, byte[] message) {
				inbox.onMessage(new DefaultMessage(source, message), null);
			}

		};
		LockThreads.named("distlock-inbox-reader").newThread(() -> run(receiver, channel)).start();
	}

	/**
	 * Return a connection of the client that all connections of Spring Data share, or of
	 * the one that this connection has. The driver does not offer the former.
	 */
	private static Connection connection(Object driver) {
		if (driver instanceof Jedis jedis) {
			return jedis.getConnection();
		}
		Field provider = ReflectionUtils.findField(UnifiedJedis.class, "provider", ConnectionProvider.class);
		if (provider == null || !(driver instanceof UnifiedJedis)) {
			throw new UnsupportedOperationException(
					"The connection of " + driver.getClass().getName() + " cannot be subscribed");
		}
		ReflectionUtils.makeAccessible(provider);
		Object clients = Objects.requireNonNull(ReflectionUtils.getField(provider, driver));
		return ((ConnectionProvider) clients).getConnection();
	}

	/**
	 * Close a connection that has given the answer of another command. Of a client with a
	 * pool it is the one that was given back last, unless another thread was faster: then
	 * the next wrong answer closes it.
	 */
	static void discard(Object driver) {
		Connection connection = connection(driver);
		connection.setBroken();
		connection.close();
	}

	private void run(BinaryJedisPubSub receiver, byte[] channel) {
		try {
			receiver.proceed(this.connection, channel);
		}
		catch (RuntimeException ex) {
			// So the driver also says that the connection broke.
			this.failure = this.subscribed ? null : ex;
			logger.debug("The subscription to the inbox has ended", ex);
		}
		finally {
			release();
		}
	}

	synchronized boolean isAlive() {
		return !this.released;
	}

	/** The subscription has ended: throw its connection away. */
	private synchronized void release() {
		this.released = true;
		this.connection.setBroken();
		// That of a Jedis has no pool and is disconnected; the pool has that Jedis.
		quietly(this.connection::close);
	}

	/**
	 * End the subscription.
	 * @throws RuntimeException if it could not be made
	 */
	@Override
	public synchronized void close() {
		this.closing = true;
		if (!this.released) {
			quietly(this.connection::disconnect);
		}
		else if (this.failure != null) {
			throw this.failure;
		}
	}

	private synchronized void disconnectIfClosing() {
		if (this.closing) {
			quietly(this.connection::disconnect);
		}
	}

	private static void quietly(Runnable action) {
		try {
			action.run();
		}
		catch (RuntimeException ex) {
			logger.debug("Closing the inbox connection failed", ex);
		}
	}

}
