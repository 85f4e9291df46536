package io.github.distlock.backend.redis;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.BinaryJedisPubSub;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.UnifiedJedis;

import org.springframework.data.redis.connection.ConnectionUtils;
import org.springframework.data.redis.connection.DefaultMessage;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.util.ClassUtils;

/**
 * A connection of Jedis on which the inbox waits for messages. Jedis keeps the thread
 * that subscribes; another thread can only close the socket, which ends the wait. It must
 * not write: the connection would go back to the application's pool with a reply that no
 * command has read, and later commands would get the replies of others. For the same
 * reason this connection is thrown away and not used again, however its subscription
 * ends.
 */
final class JedisSubscriber {

	private static final Log logger = LogFactory.getLog(JedisSubscriber.class);

	/** The client that all connections of Spring Data share, from version 4.1 on. */
	private static final boolean SHARED = ClassUtils.isPresent("redis.clients.jedis.RedisClient",
			JedisSubscriber.class.getClassLoader());

	private final Connection connection;

	/**
	 * Whether the subscription has ended. From then on no other thread disconnects: the
	 * driver may use the object again. Guarded by this.
	 */
	private boolean released;

	private JedisSubscriber(Connection connection) {
		this.connection = connection;
	}

	/**
	 * Return a subscriber on a connection, or {@code null} if the driver is not Jedis or
	 * does not say which connection it subscribes, as with a cluster and with sentinels.
	 */
	static @Nullable JedisSubscriber on(RedisConnection spring, RedisConnectionFactory connectionFactory) {
		if (!ConnectionUtils.isJedis(connectionFactory)) {
			return null;
		}
		Object driver = spring.getNativeConnection();
		if (driver instanceof Jedis jedis) {
			return new JedisSubscriber(jedis.getConnection());
		}
		return (SHARED && driver instanceof RedisClient client) ? new JedisSubscriber(client.getPool().getResource())
				: null;
	}

	/**
	 * Return whether a connection only leads to a client that all connections share: it
	 * gives nothing back. If it is closed after its subscription broke, Spring Data ends
	 * that subscription on a new connection, which stays open.
	 */
	static boolean isShared(RedisConnection spring, RedisConnectionFactory connectionFactory) {
		return ConnectionUtils.isJedis(connectionFactory) && spring.getNativeConnection() instanceof UnifiedJedis;
	}

	/** Subscribe on this thread, for as long as the connection exists. */
	void subscribe(byte[] channel, RedisInbox inbox) {
		new BinaryJedisPubSub() {

			@Override
			public void onSubscribe(byte[] subscribed, int count) {
				inbox.onChannelSubscribed(subscribed, count);
			}

			@Override
			public void onMessage(byte[] source, byte[] message) {
				inbox.onMessage(new DefaultMessage(source, message), null);
			}

		}.proceed(this.connection, channel);
	}

	/** End the subscription, from any thread. */
	synchronized void disconnect() {
		if (!this.released) {
			quietly(this.connection::disconnect);
		}
	}

	/** The subscription has ended: throw its connection away. */
	synchronized void release() {
		this.released = true;
		this.connection.setBroken();
		// That of a Jedis has no pool and is disconnected; the pool has that Jedis.
		quietly(this.connection::close);
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
