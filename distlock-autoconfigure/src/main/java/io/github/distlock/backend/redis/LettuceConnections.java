package io.github.distlock.backend.redis;

import java.lang.reflect.Field;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.github.distlock.LockInstance;
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
 * Dedicated connections for locks, made from the configuration of the application's
 * connection factory: lock commands do not queue behind slow commands of the application,
 * fail after a short time, fail at once while there is no connection, and are not sent a
 * second time by the driver after a reconnect.
 */
final class LettuceConnections {

	private static final Log logger = LogFactory.getLog(LettuceConnections.class);

	private LettuceConnections() {
	}

	/** Connect as the application does; {@code null} if it is not known how. */
	static @Nullable RedisConnectionFactory dedicated(RedisConnectionFactory application, Duration commandTimeout,
			LockInstance self) {
		LettuceConnectionFactory source = (LettuceConnectionFactory) application;
		RedisConfiguration configuration = configuration(source);
		if (configuration == null) {
			logger.warn("Lock commands share the application's Redis connections, since their configuration could not"
					+ " be found: slow commands of the application delay renewals");
			return null;
		}
		return dedicated(configuration, source.getClientConfiguration(), source.isClusterAware(), commandTimeout, self);
	}

	/** Connect to a server that is given by its configuration. */
	static RedisConnectionFactory dedicated(RedisConfiguration server, LettuceClientConfiguration client,
			boolean cluster, Duration commandTimeout, LockInstance self) {
		LockConnectionFactory factory = new LockConnectionFactory(server,
				new LockClientConfiguration(client, commandTimeout, cluster, clientName(self)));
		factory.setShareNativeConnection(true);
		factory.setEagerInitialization(false);
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

	/**
	 * The name of our connections in CLIENT LIST: Redis takes only printable ASCII
	 * without spaces. A user that may not set it can connect: the driver then goes on
	 * without the name.
	 */
	private static @Nullable String clientName(LockInstance self) {
		return self.isResolved()
				? ("distlock:" + self.application() + "@" + self.host() + ":" + self.pid()).replaceAll("[^!-~]", "_")
				: null;
	}

	/**
	 * Fail all commands that wait for an answer or for a connection, and all later ones.
	 */
	static void end(RedisConnectionFactory dedicated) {
		((LockConnectionFactory) dedicated).end();
		reset(dedicated);
	}

	/** Close a factory that {@link #dedicated} has made. */
	static void close(RedisConnectionFactory dedicated) {
		LockConnectionFactory factory = (LockConnectionFactory) dedicated;
		factory.destroy();
		// This ends no thread that the copied resources share with the application.
		factory.getClientConfiguration()
			.getClientResources()
			.ifPresent((resources) -> resources.shutdown(0, 0, TimeUnit.SECONDS));
	}

	/** Let the next command open a new connection. */
	static void reset(RedisConnectionFactory dedicated) {
		((LettuceConnectionFactory) dedicated).resetConnection();
	}

	/** Call a listener when a connection breaks, with whether it was one for messages. */
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
	 * Read the configuration itself instead of the public getters, which do not return a
	 * static master with replicas, but a server on this host instead.
	 */
	private static @Nullable RedisConfiguration configuration(LettuceConnectionFactory source) {
		Field field = ReflectionUtils.findField(LettuceConnectionFactory.class, "configuration");
		if (field == null) {
			return null;
		}
		ReflectionUtils.makeAccessible(field);
		return (ReflectionUtils.getField(field, source) instanceof RedisConfiguration configuration) ? configuration
				: source.getStandaloneConfiguration();
	}

}
