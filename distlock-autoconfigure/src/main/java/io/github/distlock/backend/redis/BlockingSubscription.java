package io.github.distlock.backend.redis;

import java.nio.charset.StandardCharsets;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.data.redis.connection.ConnectionUtils;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.Subscription;

/**
 * Ends the subscription of a driver that keeps the subscribing thread for as long as the
 * subscription exists, as Jedis does with a cluster and with sentinels. Only that thread
 * may end it: when the server has confirmed the end, the connection goes back to the
 * application's pool at once. If another thread were still writing to it then, later
 * commands of the application would get the replies of other commands. For the same
 * reason no other thread closes it. Where the connection is known, a
 * {@link JedisSubscriber} needs none of this.
 */
final class BlockingSubscription {

	private static final Log logger = LogFactory.getLog(BlockingSubscription.class);

	private BlockingSubscription() {
	}

	static boolean isUsedBy(RedisConnectionFactory connectionFactory) {
		return !ConnectionUtils.isAsync(connectionFactory);
	}

	/**
	 * Wake the subscribing thread by a message. If the server does not answer, that
	 * thread ends with its connection.
	 */
	static void wake(RedisConnectionFactory connectionFactory, String channel) {
		try (RedisConnection other = connectionFactory.getConnection()) {
			other.publish(channel.getBytes(StandardCharsets.UTF_8), RedisInbox.PROBE.getBytes(StandardCharsets.UTF_8));
		}
		catch (RuntimeException ex) {
			logger.debug("The inbox " + channel + " was not woken", ex);
		}
	}

	/** Close the connection of any driver when its subscription has ended. */
	static void close(RedisConnection connection, RedisConnectionFactory connectionFactory) {
		try {
			if (!JedisSubscriber.isShared(connection, connectionFactory)) {
				connection.close();
			}
		}
		catch (Throwable ex) {
			logger.debug("Closing the inbox connection failed", ex);
		}
	}

	/** End the subscription of this thread. */
	static void end(RedisConnection connection) {
		Subscription subscription = connection.getSubscription();
		if (subscription != null && subscription.isAlive()) {
			subscription.unsubscribe();
		}
	}

}
