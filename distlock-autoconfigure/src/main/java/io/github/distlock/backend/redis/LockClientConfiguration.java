package io.github.distlock.backend.redis;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.ReadFrom;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions.RefreshTrigger;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.RedisCommand;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.Delay;
import io.lettuce.core.resource.NettyCustomizer;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;

/**
 * The client configuration of the application, changed for locks: a short time-out, no
 * command sent twice by the driver, quick reconnects, masters only.
 */
final class LockClientConfiguration implements LettuceClientConfiguration {

	private static final Duration MAX_RECONNECT_DELAY = Duration.ofMillis(500);

	/** Number of command time-outs after which a silent connection is closed. */
	private static final int SILENT_COMMANDS = 2;

	/** Minimum interval between topology updates while a master cannot be reached. */
	private static final Duration TOPOLOGY_INTERVAL = Duration.ofSeconds(2);

	private final LettuceClientConfiguration application;

	private final Duration commandTimeout;

	private final @Nullable String clientName;

	private final ClientOptions options;

	private final Optional<ClientResources> resources;

	/**
	 * Create a configuration.
	 * @param application that of the application
	 * @param commandTimeout how long one command may take
	 * @param cluster whether the server is a cluster
	 * @param clientName the name of the connections, or {@code null} for the
	 * application's
	 */
	LockClientConfiguration(LettuceClientConfiguration application, Duration commandTimeout, boolean cluster,
			@Nullable String clientName) {
		this.application = application;
		this.clientName = clientName;
		this.commandTimeout = commandTimeout;
		this.options = options(application, commandTimeout, cluster);
		this.resources = Optional.of(resources(application.getClientResources(), commandTimeout));
	}

	/**
	 * Share the application's threads, if it has configured any; but reconnect within
	 * less than half a minute, and close a connection that is silent.
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
			.nettyCustomizer(
					SilentConnectionCloser.customizer(commandTimeout.multipliedBy(SILENT_COMMANDS), customizer))
			.reconnectDelay(Delay.fullJitter(Duration.ofMillis(10), MAX_RECONNECT_DELAY, 10, TimeUnit.MILLISECONDS))
			.build();
	}

	/** The driver also calls this without a command. */
	private static boolean isScript(@Nullable RedisCommand<?, ?, ?> command) {
		return command != null && (command.getType() == CommandType.EVALSHA || command.getType() == CommandType.EVAL);
	}

	private static ClientOptions options(LettuceClientConfiguration application, Duration commandTimeout,
			boolean cluster) {
		ClientOptions base = application.getClientOptions().orElseGet(ClientOptions::create);
		if (cluster) {
			base = withFailover(base);
		}
		Duration connectTimeout = base.getSocketOptions().getConnectTimeout();
		return base.mutate()
			.autoReconnect(true)
			.disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
			.replayFilter(LockClientConfiguration::isScript)
			.timeoutOptions(TimeoutOptions.enabled())
			.socketOptions(base.getSocketOptions()
				.mutate()
				.connectTimeout((connectTimeout.compareTo(commandTimeout) < 0) ? connectTimeout : commandTimeout)
				.build())
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
			if (configured.isPeriodicRefreshEnabled()) {
				refresh.enablePeriodicRefresh(configured.getRefreshPeriod());
			}
		}
		return cluster.mutate().topologyRefreshOptions(refresh.build()).build();
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
		return Optional.ofNullable(this.clientName).or(this.application::getClientName);
	}

	/** Lock commands are sent to masters only. */
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
