package io.github.distlock.backend.redis;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

import io.github.distlock.LockInstance;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions.RefreshTrigger;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.event.DefaultEventPublisherOptions;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.RedisCommand;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.Delay;
import io.lettuce.core.resource.NettyCustomizer;
import io.lettuce.core.resource.ThreadFactoryProvider;
import io.netty.util.concurrent.DefaultThreadFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceClientConfigurationBuilder;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceSslClientConfigurationBuilder;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionProvider;

/**
 * The client of Lettuce for dedicated connections, configured like that of the
 * application, but for locks. A factory of Spring Data knows how to connect to each kind
 * of server, and waits for that without limit: {@link #connect()} does not.
 */
final class DedicatedClient extends LettuceConnectionFactory {

	private static final Duration MAX_RECONNECT_DELAY = Duration.ofMillis(500);

	/** Minimum interval between topology updates while a master cannot be reached. */
	private static final Duration TOPOLOGY_INTERVAL = Duration.ofSeconds(2);

	/** One connection is for commands, the other for the inbox. */
	private static final int DRIVER_THREADS = 2;

	private volatile @Nullable LettuceConnectionProvider provider;

	/**
	 * Create and start a client. Sends nothing yet.
	 * @param server the server
	 * @param application the configuration of the application's client
	 * @param shareThreads whether to use the threads of that client, which are this
	 * library's and not the application's
	 */
	DedicatedClient(RedisConfiguration server, LettuceClientConfiguration application, boolean shareThreads,
			Duration commandTimeout, LockInstance self) {
		super(server, configuration(application, shareThreads, commandTimeout, server, self));
		setShareNativeConnection(false);
		afterPropertiesSet();
		start();
	}

	@Override
	protected LettuceConnectionProvider doCreateConnectionProvider(AbstractRedisClient client, RedisCodec<?, ?> codec) {
		LettuceConnectionProvider made = super.doCreateConnectionProvider(client, codec);
		if (this.provider == null) {
			// The second one is for reactive commands.
			this.provider = made;
		}
		return made;
	}

	/** Connect to one server or a cluster, whatever the configuration says. */
	@SuppressWarnings("unchecked")
	CompletionStage<StatefulConnection<byte[], byte[]>> connect() {
		return (CompletionStage<StatefulConnection<byte[], byte[]>>) (CompletionStage<?>) Objects
			.requireNonNull(this.provider)
			.getConnectionAsync(StatefulConnection.class);
	}

	ClientResources resources() {
		return getClientConfiguration().getClientResources().orElseThrow();
	}

	/** The application's configuration, changed for locks. Reads go to masters, too. */
	private static LettuceClientConfiguration configuration(LettuceClientConfiguration application,
			boolean shareThreads, Duration commandTimeout, RedisConfiguration server, LockInstance self) {
		LettuceClientConfigurationBuilder client = LettuceClientConfiguration.builder()
			.clientOptions(options(application, commandTimeout, server))
			.clientResources(resources(application.getClientResources(), shareThreads, commandTimeout))
			.commandTimeout(commandTimeout)
			.shutdownTimeout(application.getShutdownTimeout())
			.shutdownQuietPeriod(application.getShutdownQuietPeriod());
		// In CLIENT LIST: printable ASCII without spaces. A user that may not set it can
		// connect, and has no name.
		Optional<String> name = self.isResolved() ? Optional.of("distlock:" + self.text().replaceFirst(":[^:]*$", ""))
				: application.getClientName();
		name.ifPresent(client::clientName);
		application.getRedisCredentialsProviderFactory().ifPresent(client::redisCredentialsProviderFactory);
		if (application.isUseSsl()) {
			LettuceSslClientConfigurationBuilder ssl = client.useSsl();
			ssl.verifyPeer(application.getVerifyMode());
			if (application.isStartTls()) {
				ssl.startTls();
			}
		}
		return client.build();
	}

	/**
	 * The settings of the application's client, but threads that run none of its code: a
	 * reactive chain of the application that blocks would stop a shared event loop, and
	 * renewals with it. Reconnect within less than half a minute, and close a connection
	 * that is silent.
	 * @param shareThreads whether the threads of the other client are this library's, too
	 */
	private static ClientResources resources(Optional<ClientResources> other, boolean shareThreads,
			Duration commandTimeout) {
		ClientResources.Builder builder = ClientResources.builder()
			.ioThreadPoolSize(DRIVER_THREADS)
			.computationThreadPoolSize(DRIVER_THREADS)
			.threadFactoryProvider(threads(Thread.currentThread().getContextClassLoader()));
		other.ifPresent((client) -> builder.addressResolverGroup(client.addressResolverGroup())
			.socketAddressResolver(client.socketAddressResolver())
			.eventBus(client.eventBus())
			.commandLatencyRecorder(client.commandLatencyRecorder())
			// The other client publishes what is recorded.
			.commandLatencyPublisherOptions(DefaultEventPublisherOptions.disabled())
			.tracing(client.tracing()));
		other.filter((client) -> shareThreads)
			.ifPresent((client) -> builder.timer(client.timer())
				.eventExecutorGroup(client.eventExecutorGroup())
				.eventLoopGroupProvider(client.eventLoopGroupProvider()));
		NettyCustomizer customizer = other.map(ClientResources::nettyCustomizer)
			.orElse(DefaultClientResources.DEFAULT_NETTY_CUSTOMIZER);
		return builder.nettyCustomizer(SilentConnectionCloser.customizer(commandTimeout, customizer))
			.reconnectDelay(Delay.fullJitter(Duration.ofMillis(10), MAX_RECONNECT_DELAY, 10, TimeUnit.MILLISECONDS))
			.build();
	}

	/** The class loader is not that of the caller for which a thread is started. */
	private static ThreadFactoryProvider threads(ClassLoader contextClassLoader) {
		return (pool) -> {
			ThreadFactory factory = new DefaultThreadFactory("distlock-" + pool, true);
			return (task) -> {
				Thread thread = factory.newThread(task);
				thread.setContextClassLoader(contextClassLoader);
				return thread;
			};
		};
	}

	/** The driver also calls this without a command. */
	private static boolean isScript(@Nullable RedisCommand<?, ?, ?> command) {
		return command != null && (command.getType() == CommandType.EVALSHA || command.getType() == CommandType.EVAL);
	}

	private static ClientOptions options(LettuceClientConfiguration application, Duration commandTimeout,
			RedisConfiguration server) {
		ClientOptions base = application.getClientOptions().orElseGet(ClientOptions::create);
		if (RedisConfiguration.isClusterConfiguration(server)) {
			base = withFailover(base);
		}
		return base.mutate()
			.autoReconnect(true)
			.disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
			.replayFilter(DedicatedClient::isScript)
			.timeoutOptions(TimeoutOptions.enabled())
			.socketOptions(base.getSocketOptions().mutate().connectTimeout(commandTimeout).build())
			.build();
	}

	/**
	 * Find new masters soon. By default the driver updates the topology every five
	 * seconds at most, and not at all if the application has switched that off.
	 */
	@SuppressWarnings("deprecation")
	private static ClusterClientOptions withFailover(ClientOptions base) {
		ClusterClientOptions cluster = (base instanceof ClusterClientOptions clusterOptions) ? clusterOptions
				: ClusterClientOptions.builder(base).build();
		ClusterTopologyRefreshOptions configured = cluster.getTopologyRefreshOptions();
		// On by default in newer drivers only.
		ClusterTopologyRefreshOptions.Builder refresh = ClusterTopologyRefreshOptions.builder()
			.enableAdaptiveRefreshTrigger(RefreshTrigger.values())
			.adaptiveRefreshTriggersTimeout(TOPOLOGY_INTERVAL)
			.refreshTriggersReconnectAttempts(2);
		if (configured != null) {
			refresh.dynamicRefreshSources(configured.useDynamicRefreshSources());
		}
		return cluster.mutate().topologyRefreshOptions(refresh.build()).build();
	}

}
