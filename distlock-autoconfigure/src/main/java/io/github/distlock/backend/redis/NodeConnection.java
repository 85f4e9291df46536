package io.github.distlock.backend.redis;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.StoreCalls;
import io.github.distlock.backend.redlock.NodeUnreachableException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * The connection on which scripts are sent to one node, without a thread that waits for
 * the answer. It is made in the background; while there is none, scripts fail at once.
 */
final class NodeConnection {

	private static final long PAUSE_MILLIS = 200;

	private final RedisServer server;

	private final RedisConnectionFactory connections;

	private final CountDownLatch stopped = new CountDownLatch(1);

	private final CompletableFuture<Boolean> opened = new CompletableFuture<>();

	private volatile @Nullable StatefulRedisConnection<byte[], byte[]> connection;

	/** Why the last attempt to connect failed. */
	private volatile @Nullable Throwable failure;

	private volatile @Nullable Thread thread;

	NodeConnection(RedisServer server, RedisConnectionFactory connections) {
		this.server = server;
		this.connections = connections;
	}

	/** Connect until that succeeds once; afterwards the driver reconnects itself. */
	CompletionStage<?> open(ThreadFactory threads) {
		Thread connecting = threads.newThread(this::connect);
		this.thread = connecting;
		connecting.start();
		return this.opened;
	}

	void close() {
		this.stopped.countDown();
		this.connection = null;
		this.opened.complete(false);
		LockClientShutdown.join(this.thread);
	}

	boolean isOpen() {
		StatefulRedisConnection<byte[], byte[]> current = this.connection;
		return current != null && current.isOpen();
	}

	@SuppressWarnings({ "unchecked", "deprecation" })
	private void connect() {
		while (this.stopped.getCount() > 0) {
			try {
				RedisConnection shared = this.connections.getConnection();
				this.connection = ((RedisAsyncCommands<byte[], byte[]>) shared.getNativeConnection())
					.getStatefulConnection();
				this.failure = null;
				// This does not close the shared connection.
				shared.close();
				this.opened.complete(true);
				return;
			}
			catch (Throwable ex) {
				// An Error, too: without this thread the node would never be connected.
				this.failure = ex;
			}
			try {
				this.stopped.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
			}
			catch (InterruptedException ex) {
				// No other code uses this thread.
				return;
			}
		}
	}

	/** Send a script. The stage fails if the node is not connected. */
	<T> CompletionStage<T> send(RedisScript<?> script, ScriptOutputType type, byte[][] names, byte[][] values) {
		StatefulRedisConnection<byte[], byte[]> current = this.connection;
		if (current == null || !current.isOpen()) {
			Throwable cause = this.failure;
			return CompletableFuture.failedFuture(new NodeUnreachableException(
					(cause != null) ? this.server.explain(cause) : this.server.name() + " is not connected", cause));
		}
		return LettuceScripts.<T>send(current.async(), script, type, names, values).exceptionallyCompose((failure) -> {
			Throwable cause = StoreCalls.unwrap(failure);
			return CompletableFuture.failedFuture(new LockBackendException(this.server.explain(cause), cause));
		});
	}

}
