package io.github.distlock.backend.redis;

import java.net.SocketAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;

import io.github.distlock.LockInstance;
import io.github.distlock.backend.StoreCalls;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.thread.LockThreads;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.StatefulRedisConnectionImpl;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions.RefreshTrigger;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.event.DefaultEventPublisherOptions;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.RedisCommand;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.Delay;
import io.lettuce.core.resource.NettyCustomizer;
import io.lettuce.core.resource.ThreadFactoryProvider;
import io.netty.util.Timeout;
import io.netty.util.concurrent.DefaultThreadFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceClientConfigurationBuilder;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceSslClientConfigurationBuilder;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionProvider;

/**
 * The dedicated connections of one store, made from the configuration of the
 * application's connection factory: lock commands do not queue behind slow commands of
 * the application, fail after a short time, and at once while there is no connection,
 * unless it has just broken. A command that was sent and not answered when the connection
 * broke may be sent a second time after a reconnect, by older drivers.
 * <p>
 * All threads send on one connection, which the first of them lets the driver make, and
 * which the driver reconnects. Commands that need it meanwhile wait for the same attempt,
 * for a limited time, and until the store is closed at the latest. No thread waits.
 * Thread-safe.
 */
final class LettuceConnections {

	private static final Duration MAX_RECONNECT_DELAY = Duration.ofMillis(500);

	/** Minimum interval between topology updates while a master cannot be reached. */
	private static final Duration TOPOLOGY_INTERVAL = Duration.ofSeconds(2);

	/** One connection is for commands, the other for the inbox. */
	private static final int DRIVER_THREADS = 2;

	private static final Duration PATIENCE_OF_CLOSE = Duration.ofSeconds(1);

	private final DedicatedFactory factory;

	/** The driver needs one time-out to connect and one to log in, and ends first. */
	private final Duration patience;

	private final ClientResources resources;

	private final ThreadFactory connectors = LockThreads.named("distlock-connect");

	/**
	 * The connection for commands, or the attempt to make it. Replaced after a failure,
	 * after a reset, and at last by {@link #closed}.
	 */
	private final AtomicReference<CompletableFuture<LettuceCommands>> commands = new AtomicReference<>(
			CompletableFuture.failedFuture(disconnected()));

	/** Never replaced. */
	private final CompletableFuture<LettuceCommands> closed = CompletableFuture
		.failedFuture(StoreCalls.closed("Redis"));

	/**
	 * Whether there is a connection for commands; not completed for a while after a
	 * break, while the driver makes one again. In a long outage commands fail at once.
	 */
	private volatile CompletableFuture<Boolean> reconnect = CompletableFuture.completedFuture(false);

	/** The last attempt of the driver to connect, or to disconnect. */
	private volatile CompletionStage<?> driver = CompletableFuture.completedFuture("none");

	/**
	 * Whether a thread is connecting inside the driver, which may wait for credentials,
	 * or for the topology of a cluster. A second one would wait behind it.
	 */
	private volatile boolean driverBlocks;

	/**
	 * Create connections to a server that is given by its configuration. Sends nothing
	 * yet.
	 * @param shareThreads whether to use the threads of the client, which are this
	 * library's and not the application's
	 */
	LettuceConnections(RedisConfiguration server, LettuceClientConfiguration client, boolean shareThreads,
			Duration commandTimeout, LockInstance self) {
		this.factory = new DedicatedFactory(server, client(client, shareThreads, commandTimeout, server, self));
		this.factory.setShareNativeConnection(false);
		this.factory.afterPropertiesSet();
		this.factory.start();
		this.patience = commandTimeout.multipliedBy(2).plusMillis(100);
		this.resources = this.factory.getClientConfiguration().getClientResources().orElseThrow();
	}

	/**
	 * Before the first connection: call a listener whenever one breaks, on a thread of
	 * the driver, with whether it was one for subscriptions.
	 */
	void onDisconnect(Consumer<Boolean> listener) {
		this.factory.getRequiredNativeClient().addListener(new RedisConnectionStateListener() {

			@Override
			public void onRedisConnected(RedisChannelHandler<?, ?> connection, SocketAddress address) {
				if (connection.getClass() == StatefulRedisConnectionImpl.class) {
					LettuceConnections.this.reconnect.obtrudeValue(true);
				}
			}

			@Override
			public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
				// First: no error of what follows hides the break.
				listener.accept(connection instanceof StatefulRedisPubSubConnection);
				// The driver makes no new one for those that were closed.
				if (connection.getClass() == StatefulRedisConnectionImpl.class && !connection.isClosed()
						&& LettuceConnections.this.reconnect.getNow(false)) {
					CompletableFuture<Boolean> again = new CompletableFuture<>();
					after(LettuceConnections.this.patience.dividedBy(8), () -> again.complete(false));
					// Last: after an error no command waits for what nothing would end.
					LettuceConnections.this.reconnect = again;
				}
			}

		});
	}

	/** What makes connections for subscriptions. */
	RedisConnectionFactory factory() {
		return this.factory;
	}

	/**
	 * Return the connection for commands, or the attempt to make it, which ends in any
	 * case. If the driver makes a connection that broke again, the command waits for
	 * that: until a quarter of the command time-out has passed since the break.
	 */
	CompletableFuture<LettuceCommands> commands() {
		CompletableFuture<Boolean> reconnecting = this.reconnect;
		return reconnecting.isDone() ? connect() : reconnecting.thenCompose((again) -> connect());
	}

	/**
	 * Return the connection for commands, or the attempt to make it: a new one if the
	 * last one has failed. Does not block: the driver may, so it has a thread.
	 */
	CompletableFuture<LettuceCommands> connect() {
		// Read before the attempt: the thread that sets it has replaced the attempt
		// first, so no caller gets the failure of an earlier one.
		boolean blocked = this.driverBlocks;
		CompletableFuture<LettuceCommands> last = this.commands.get();
		if (!last.isCompletedExceptionally() || last == this.closed || blocked) {
			return last;
		}
		// The driver may never answer, for example if the application's credentials are
		// never there. Limited first: no error leaves an attempt that does not end.
		CompletableFuture<LettuceCommands> next = limit(new CompletableFuture<>());
		if (!this.commands.compareAndSet(last, next)) {
			return connect();
		}
		try {
			this.driverBlocks = true;
			this.driver = CompletableFuture.completedFuture(this.factory)
				.thenApplyAsync(DedicatedFactory::connect, (task) -> this.connectors.newThread(task).start())
				.whenComplete((made, failure) -> this.driverBlocks = false)
				.thenCompose(Function.identity())
				.thenCompose((made) -> {
					LettuceCommands ready = new LettuceCommands(made);
					return next.complete(ready) ? next : ready.close();
				})
				.whenComplete((ready, failure) -> {
					if (failure != null) {
						next.completeExceptionally(StoreCalls.unwrap(failure));
					}
				});
		}
		catch (Throwable ex) {
			this.driverBlocks = false;
			next.completeExceptionally(ex);
		}
		return next;
	}

	/** Let a stage fail after the time that a connection and a command need. */
	<T> CompletableFuture<T> limit(CompletableFuture<T> stage) {
		Timeout timeout = after(this.patience, () -> stage.completeExceptionally(new TimeoutException()));
		stage.whenComplete((result, failure) -> timeout.cancel());
		return stage;
	}

	/**
	 * Complete a stage later, on a thread on which the driver completes commands as well,
	 * not on that of its timer: what follows may send commands.
	 */
	private Timeout after(Duration time, Runnable completion) {
		return this.resources.timer()
			.newTimeout((timeout) -> this.resources.eventExecutorGroup().execute(completion), time.toNanos(),
					TimeUnit.NANOSECONDS);
	}

	/** Let the next command open a new connection. Does not block. */
	void reset() {
		replace(CompletableFuture.failedFuture(disconnected()), disconnected());
	}

	/**
	 * Fail all commands that wait for an answer or for a connection, and all later ones.
	 * Does not block.
	 */
	void end() {
		replace(this.closed, StoreCalls.closed("Redis"));
		this.reconnect.complete(false);
	}

	private void replace(CompletableFuture<LettuceCommands> next, RuntimeException reason) {
		CompletableFuture<LettuceCommands> last = this.commands
			.getAndUpdate((current) -> (current == this.closed) ? current : next);
		if (!last.completeExceptionally(reason) && !last.isCompletedExceptionally()) {
			this.driver = last.thenCompose(LettuceCommands::close);
		}
	}

	private static IllegalStateException disconnected() {
		return new IllegalStateException("Connection closed");
	}

	/**
	 * End, and shut the client down: if possible not while it connects or disconnects, of
	 * which it would warn.
	 */
	void close() {
		end();
		try {
			StoreCalls.awaitUninterruptibly(this.driver.toCompletableFuture(), PATIENCE_OF_CLOSE, TimeSource.SYSTEM);
		}
		catch (ExecutionException | TimeoutException ex) {
			// The client is shut down in any case.
		}
		this.factory.destroy();
		// This ends no thread that the nodes of Redlock share.
		this.resources.shutdown(0, 0, TimeUnit.SECONDS);
	}

	/** The application's configuration, changed for locks. Reads go to masters, too. */
	private static LettuceClientConfiguration client(LettuceClientConfiguration application, boolean shareThreads,
			Duration commandTimeout, RedisConfiguration server, LockInstance self) {
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
			.replayFilter(LettuceConnections::isScript)
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

	/**
	 * A factory of Spring Data, which knows how to connect to each kind of server, and
	 * waits for that without limit: {@link #connect()} does not.
	 */
	private static final class DedicatedFactory extends LettuceConnectionFactory {

		private volatile @Nullable LettuceConnectionProvider provider;

		DedicatedFactory(RedisConfiguration server, LettuceClientConfiguration client) {
			super(server, client);
		}

		@Override
		protected LettuceConnectionProvider doCreateConnectionProvider(AbstractRedisClient client,
				RedisCodec<?, ?> codec) {
			LettuceConnectionProvider made = super.doCreateConnectionProvider(client, codec);
			if (this.provider == null) {
				// The second one is for reactive commands.
				this.provider = made;
			}
			return made;
		}

		/** One server or a cluster, whatever the configuration says. */
		@SuppressWarnings("unchecked")
		CompletionStage<StatefulConnection<byte[], byte[]>> connect() {
			return (CompletionStage<StatefulConnection<byte[], byte[]>>) (CompletionStage<?>) Objects
				.requireNonNull(this.provider)
				.getConnectionAsync(StatefulConnection.class);
		}

	}

}
