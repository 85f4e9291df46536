package io.github.distlock.backend.redis;

import java.lang.reflect.Field;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.ReflectionUtils;

/**
 * Connections of our own, made from the configuration of the application's: lock commands
 * do not queue behind its slow ones, fail after a short time, fail at once while there is
 * no connection, and are not sent a second time by the driver after a reconnect.
 */
final class LettuceConnections {

	private static final Log logger = LogFactory.getLog(LettuceConnections.class);

	private LettuceConnections() {
	}

	static @Nullable RedisConnectionFactory dedicated(RedisConnectionFactory application, Duration commandTimeout) {
		LettuceConnectionFactory source = (LettuceConnectionFactory) application;
		RedisConfiguration configuration = configuration(source);
		if (configuration == null) {
			logger.warn("Lock commands share the application's Redis connections, since their configuration could not"
					+ " be found: slow commands of the application delay renewals");
			return null;
		}
		return dedicated(configuration, source.getClientConfiguration(), source.isClusterAware(), commandTimeout);
	}

	/** The same for a server that is known, without asking a connection factory. */
	static RedisConnectionFactory dedicated(RedisConfiguration server, LettuceClientConfiguration client,
			boolean cluster, Duration commandTimeout) {
		LettuceConnectionFactory ours = new LettuceConnectionFactory(server,
				new LockClientConfiguration(client, commandTimeout, cluster));
		ours.setShareNativeConnection(true);
		ours.setEagerInitialization(false);
		ours.afterPropertiesSet();
		ours.start();
		return ours;
	}

	/** Give back what {@link #dedicated} made. */
	static void close(RedisConnectionFactory dedicated) {
		LettuceConnectionFactory ours = (LettuceConnectionFactory) dedicated;
		ours.destroy();
		// Where ours is a copy that shares the application's threads this ends none of
		// them.
		ours.getClientConfiguration()
			.getClientResources()
			.ifPresent((resources) -> resources.shutdown(0, 0, TimeUnit.SECONDS));
	}

	/** Make the connection for commands anew with the next command. */
	static void reset(RedisConnectionFactory dedicated) {
		((LettuceConnectionFactory) dedicated).resetConnection();
	}

	/** Tell when a connection breaks, and whether it was one for messages. */
	static void listen(RedisConnectionFactory connectionFactory, Consumer<Boolean> listener) {
		((LettuceConnectionFactory) connectionFactory).getRequiredNativeClient()
			.addListener(new RedisConnectionStateListener() {

				@Override
				public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
					listener.accept(connection instanceof StatefulRedisPubSubConnection);
				}

			});
	}

	/**
	 * The configuration itself, and not what the public getters tell: those know nothing
	 * of a static master and replicas, and would name a server on this host instead.
	 */
	private static @Nullable RedisConfiguration configuration(LettuceConnectionFactory source) {
		Field field = ReflectionUtils.findField(LettuceConnectionFactory.class, "configuration");
		if (field == null) {
			return null;
		}
		ReflectionUtils.makeAccessible(field);
		return (ReflectionUtils.getField(field, source) instanceof RedisConfiguration found) ? found
				: source.getStandaloneConfiguration();
	}

}
