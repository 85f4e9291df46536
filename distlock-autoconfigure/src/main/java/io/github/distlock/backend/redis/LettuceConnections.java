package io.github.distlock.backend.redis;

import java.lang.reflect.Field;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.ReadFrom;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.RedisCommand;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.Delay;
import io.lettuce.core.resource.NettyCustomizer;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;
import org.springframework.util.ReflectionUtils;

/**
 * Connections of our own, made from the configuration of the application's: lock commands
 * do not queue behind its slow ones, fail after a short time, fail at once while there is
 * no connection, and are not sent a second time by the driver after a reconnect.
 */
final class LettuceConnections {

	private static final Duration LONGEST_RECONNECT_DELAY = Duration.ofMillis(500);

	/** For how many command time-outs a connection may be silent. */
	private static final int SILENT_COMMANDS = 2;

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
		LettuceConnectionFactory ours = new LettuceConnectionFactory(configuration,
				new LockClientConfiguration(source.getClientConfiguration(), commandTimeout, source.isClusterAware()));
		ours.setShareNativeConnection(true);
		ours.setEagerInitialization(false);
		ours.afterPropertiesSet();
		ours.start();
		return ours;
	}

	/** The driver asks for absent commands too. */
	private static boolean isScript(@Nullable RedisCommand<?, ?, ?> command) {
		return command != null && (command.getType() == CommandType.EVALSHA || command.getType() == CommandType.EVAL);
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

	private static final class LockClientConfiguration implements LettuceClientConfiguration {

		private final LettuceClientConfiguration application;

		private final Duration commandTimeout;

		private final ClientOptions options;

		private final Optional<ClientResources> resources;

		LockClientConfiguration(LettuceClientConfiguration application, Duration commandTimeout, boolean cluster) {
			this.application = application;
			this.commandTimeout = commandTimeout;
			this.options = options(application, commandTimeout, cluster);
			this.resources = Optional.of(resources(application.getClientResources(), commandTimeout));
		}

		/**
		 * Share the application's threads, if it has named any; but do not wait half a
		 * minute to reconnect, and do not trust a connection that is silent.
		 */
		private static ClientResources resources(Optional<ClientResources> application, Duration commandTimeout) {
			ClientResources.Builder builder = application
				.map((shared) -> shared.mutate()
					.timer(shared.timer())
					.eventExecutorGroup(shared.eventExecutorGroup())
					.eventLoopGroupProvider(shared.eventLoopGroupProvider())
					.commandLatencyRecorder(shared.commandLatencyRecorder()))
				.orElseGet(ClientResources::builder);
			NettyCustomizer customizer = application.map(ClientResources::nettyCustomizer)
				.orElse(DefaultClientResources.DEFAULT_NETTY_CUSTOMIZER);
			return builder
				.nettyCustomizer(SilenceWatch.customizer(commandTimeout.multipliedBy(SILENT_COMMANDS), customizer))
				.reconnectDelay(
						Delay.fullJitter(Duration.ofMillis(10), LONGEST_RECONNECT_DELAY, 10, TimeUnit.MILLISECONDS))
				.build();
		}

		private static ClientOptions options(LettuceClientConfiguration application, Duration commandTimeout,
				boolean cluster) {
			ClientOptions base = application.getClientOptions()
				.orElseGet(() -> cluster ? ClusterClientOptions.create() : ClientOptions.create());
			Duration connectTimeout = base.getSocketOptions().getConnectTimeout();
			return base.mutate()
				.autoReconnect(true)
				.disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
				.replayFilter(LettuceConnections::isScript)
				.timeoutOptions(TimeoutOptions.enabled())
				.socketOptions(base.getSocketOptions()
					.mutate()
					.connectTimeout((connectTimeout.compareTo(commandTimeout) < 0) ? connectTimeout : commandTimeout)
					.build())
				.build();
		}

		@Override
		public boolean isUseSsl() {
			return this.application.isUseSsl();
		}

		@Override
		@SuppressWarnings("deprecation")
		public boolean isVerifyPeer() {
			return this.application.isVerifyPeer();
		}

		@Override
		public SslVerifyMode getVerifyMode() {
			return this.application.getVerifyMode();
		}

		@Override
		public boolean isStartTls() {
			return this.application.isStartTls();
		}

		@Override
		public Optional<ClientResources> getClientResources() {
			return this.resources;
		}

		@Override
		public Optional<ClientOptions> getClientOptions() {
			return Optional.of(this.options);
		}

		@Override
		public Optional<String> getClientName() {
			return this.application.getClientName();
		}

		/** Locks are asked of masters only. */
		@Override
		public Optional<ReadFrom> getReadFrom() {
			return Optional.empty();
		}

		@Override
		public Optional<RedisCredentialsProviderFactory> getRedisCredentialsProviderFactory() {
			return this.application.getRedisCredentialsProviderFactory();
		}

		@Override
		public Duration getCommandTimeout() {
			return this.commandTimeout;
		}

		@Override
		public Duration getShutdownTimeout() {
			return this.application.getShutdownTimeout();
		}

		@Override
		public Duration getShutdownQuietPeriod() {
			return this.application.getShutdownQuietPeriod();
		}

	}

}
