package io.github.distlock.backend.redis;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

import io.github.distlock.backend.StoreCalls;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.thread.LockThreads;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration.StaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionProvider;

/**
 * Makes the dedicated connections of locks. After {@link #end()} no thread waits for one:
 * a client that is shut down while it connects may never say how that ended. A thread
 * that waited for it would keep the lock of this factory, for which the shutdown waits.
 */
final class LockConnectionFactory extends LettuceConnectionFactory {

	/** How long to wait for the driver, whose threads the application may block. */
	private static final Duration PATIENCE = Duration.ofSeconds(1);

	private final LockThreads threads = LockThreads.named("distlock-connect");

	/**
	 * Connections that the driver makes now. One is added before {@link #ended} is read,
	 * and {@code ended} is set before they are read: so each of them is ended.
	 */
	private final Set<Connecting<?>> pending = ConcurrentHashMap.newKeySet();

	private volatile boolean ended;

	private final boolean staticMaster;

	/** What the factory has made last; used as long as it is open. */
	private volatile @Nullable StatefulConnection<byte[], byte[]> shared;

	LockConnectionFactory(RedisConfiguration server, LettuceClientConfiguration client) {
		super(server, client);
		this.staticMaster = server instanceof StaticMasterReplicaConfiguration;
	}

	/** Make no more connections. Fails those that are not made yet. */
	void end() {
		this.ended = true;
		this.pending.forEach(Connecting::end);
	}

	/**
	 * End, and shut the client down: if possible not while it connects, of which it would
	 * warn. Waits for each a limited time, and not if this thread is interrupted.
	 */
	@Override
	public void destroy() {
		end();
		awaitDriver();
		shutDown();
	}

	/** The driver itself would wait without limit. */
	private void shutDown() {
		Thread closing;
		try {
			closing = LockThreads.named("distlock-disconnect").newThread(super::destroy);
			closing.start();
		}
		catch (Throwable ex) {
			// No thread can be started.
			super.destroy();
			return;
		}
		LettuceClientConfiguration client = getClientConfiguration();
		LockClientShutdown.join(closing,
				client.getShutdownQuietPeriod().plus(client.getShutdownTimeout()).plus(PATIENCE));
	}

	private void awaitDriver() {
		CompletableFuture<?>[] open = this.pending.stream()
			.map((connecting) -> connecting.driver)
			.toArray(CompletableFuture[]::new);
		try {
			CompletableFuture.allOf(open).get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (ExecutionException | TimeoutException ex) {
			// The client is shut down in any case.
		}
		this.pending.forEach((connecting) -> connecting.thread.interrupt());
	}

	/**
	 * Return the shared connection without the lock of the factory, which would be
	 * entered at the caller's depth for each command: a {@link StackOverflowError} there
	 * leaves it locked. A connection that is reset or disconnected is not open.
	 */
	@Override
	protected @Nullable StatefulRedisConnection<byte[], byte[]> getSharedConnection() {
		return (StatefulRedisConnection<byte[], byte[]>) open(super::getSharedConnection);
	}

	/** The same for a cluster. */
	@Override
	protected @Nullable StatefulRedisClusterConnection<byte[], byte[]> getSharedClusterConnection() {
		return (StatefulRedisClusterConnection<byte[], byte[]>) open(super::getSharedClusterConnection);
	}

	private @Nullable StatefulConnection<byte[], byte[]> open(
			Supplier<? extends @Nullable StatefulConnection<byte[], byte[]>> factory) {
		StatefulConnection<byte[], byte[]> current = this.shared;
		if (current == null || !current.isOpen()) {
			current = factory.get();
			this.shared = current;
		}
		return current;
	}

	@Override
	protected LettuceConnectionProvider doCreateConnectionProvider(AbstractRedisClient client, RedisCodec<?, ?> codec) {
		return new EndableProvider(super.doCreateConnectionProvider(client, codec));
	}

	/** Let the driver connect on a thread of its own, which no caller waits for. */
	private <T extends StatefulConnection<?, ?>> CompletionStage<T> connect(LettuceConnectionProvider provider,
			Class<T> type) {
		Connecting<T> connecting = new Connecting<>(provider, type);
		this.pending.add(connecting);
		connecting.driver.whenComplete((closed, failure) -> this.pending.remove(connecting));
		if (this.ended) {
			connecting.fail(closed());
		}
		else {
			connecting.start();
		}
		return connecting.connection;
	}

	private static IllegalStateException closed() {
		return new IllegalStateException(RedisFailure.STORE_CLOSED);
	}

	/**
	 * A connection that is being made.
	 */
	private final class Connecting<T extends StatefulConnection<?, ?>> {

		private final LettuceConnectionProvider provider;

		private final Class<T> type;

		private final Thread thread;

		/** What the caller waits for. */
		private final CompletableFuture<T> connection = new CompletableFuture<>();

		/** Done when the driver no longer works on the connection. */
		private final CompletableFuture<?> driver = new CompletableFuture<>();

		Connecting(LettuceConnectionProvider provider, Class<T> type) {
			this.provider = provider;
			this.type = type;
			this.thread = LockConnectionFactory.this.threads.newThread(this::connect);
		}

		void start() {
			try {
				this.thread.start();
			}
			catch (Throwable ex) {
				fail(ex);
			}
		}

		void end() {
			this.connection.completeExceptionally(closed());
		}

		void fail(Throwable failure) {
			this.connection.completeExceptionally(failure);
			this.driver.complete(null);
		}

		private void connect() {
			try {
				this.provider.getConnectionAsync(this.type).whenComplete((made, failure) -> {
					if (failure != null) {
						fail(failure);
					}
					else if (this.connection.complete(made)) {
						this.driver.complete(null);
					}
					else {
						// No caller waits for it any more.
						made.closeAsync().whenComplete((closed, ignored) -> this.driver.complete(null));
					}
				});
			}
			catch (Throwable ex) {
				fail(ex);
			}
		}

	}

	/**
	 * Makes connections that can be ended before they are made.
	 */
	private final class EndableProvider implements LettuceConnectionProvider {

		private final LettuceConnectionProvider driver;

		EndableProvider(LettuceConnectionProvider driver) {
			this.driver = driver;
		}

		@Override
		public <T extends StatefulConnection<?, ?>> CompletionStage<T> getConnectionAsync(Class<T> type) {
			if (LockConnectionFactory.this.staticMaster && type.equals(StatefulRedisPubSubConnection.class)) {
				// Not supported; this call says so at once.
				return CompletableFuture.completedFuture(this.driver.getConnection(type));
			}
			return connect(this.driver, type);
		}

		/** The driver's own wait would put another failure in the place of an error. */
		@Override
		public <T extends StatefulConnection<?, ?>> T getConnection(Class<T> type) {
			try {
				return getConnectionAsync(type).toCompletableFuture().join();
			}
			catch (CompletionException ex) {
				Throwable failure = StoreCalls.unwrap(ex);
				if (failure instanceof Error error) {
					throw error;
				}
				throw (failure instanceof RuntimeException cause) ? cause : ex;
			}
		}

		/** The factory holds its lock meanwhile. */
		@Override
		public void release(StatefulConnection<?, ?> connection) {
			try {
				StoreCalls.awaitUninterruptibly(releaseAsync(connection), PATIENCE, TimeSource.SYSTEM);
			}
			catch (ExecutionException | TimeoutException ex) {
				// It is not used any more in any case.
			}
		}

		@Override
		public CompletableFuture<Void> releaseAsync(StatefulConnection<?, ?> connection) {
			return this.driver.releaseAsync(connection);
		}

	}

}
