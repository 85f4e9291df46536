package io.github.distlock.backend.redis;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.NodeUnreachableException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * The connection on which scripts are sent to one node, without a thread that waits for
 * the answer. Made in the background; while there is none, scripts fail at once.
 */
final class NodeConnection {

	private static final long BACK_OFF_MILLIS = 200;

	private final RedisServer server;

	private final RedisConnectionFactory connections;

	private final CountDownLatch stopped = new CountDownLatch(1);

	private final CompletableFuture<Boolean> opened = new CompletableFuture<>();

	private volatile @Nullable StatefulRedisConnection<byte[], byte[]> connection;

	private volatile @Nullable Throwable failure;

	private volatile @Nullable Thread thread;

	NodeConnection(RedisServer server, RedisConnectionFactory connections) {
		this.server = server;
		this.connections = connections;
	}

	/** Connect until that succeeds once; then the driver does it anew by itself. */
	CompletionStage<?> open(ThreadFactory threads) {
		Thread made = threads.newThread(this::connect);
		this.thread = made;
		made.start();
		return this.opened;
	}

	void close() {
		this.stopped.countDown();
		this.connection = null;
		this.opened.complete(false);
		Thread running = this.thread;
		if (running != null) {
			LockClientShutdown.join(running);
		}
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
				// What is shared stays open.
				shared.close();
				this.opened.complete(true);
				return;
			}
			catch (Throwable ex) {
				// An Error, too: without this thread the node would never be connected.
				this.failure = ex;
			}
			try {
				this.stopped.await(BACK_OFF_MILLIS, TimeUnit.MILLISECONDS);
			}
			catch (InterruptedException ex) {
				// Nobody has this thread but us.
				return;
			}
		}
	}

	/**
	 * Send a script by its digest, and by its text to a server that does not know it.
	 */
	<T> CompletionStage<T> send(RedisScript<?> script, ScriptOutputType type, List<String> keys, String... args) {
		StatefulRedisConnection<byte[], byte[]> current = this.connection;
		if (current == null || !current.isOpen()) {
			Throwable cause = this.failure;
			return CompletableFuture.failedFuture(new NodeUnreachableException(
					(cause != null) ? this.server.explain(cause) : this.server.name() + " is not connected", cause));
		}
		RedisAsyncCommands<byte[], byte[]> commands = current.async();
		byte[][] names = bytes(keys);
		byte[][] values = bytes(List.of(args));
		return commands.<T>evalsha(script.getSha1(), type, names, values)
			.exceptionallyCompose((ex) -> isUnknownScript(ex)
					? commands.eval(script.getScriptAsString().getBytes(StandardCharsets.UTF_8), type, names, values)
					: CompletableFuture.failedFuture(ex))
			.exceptionallyCompose((ex) -> CompletableFuture.failedFuture(failed(ex)));
	}

	private LockBackendException failed(Throwable ex) {
		Throwable cause = (ex instanceof CompletionException && ex.getCause() != null) ? ex.getCause() : ex;
		return new LockBackendException(this.server.explain(cause), cause);
	}

	private static boolean isUnknownScript(Throwable ex) {
		return ex instanceof RedisNoScriptException || ex.getCause() instanceof RedisNoScriptException;
	}

	private static byte[][] bytes(List<String> texts) {
		return texts.stream().map((text) -> text.getBytes(StandardCharsets.UTF_8)).toArray(byte[][]::new);
	}

}
