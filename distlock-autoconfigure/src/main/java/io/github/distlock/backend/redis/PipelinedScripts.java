package io.github.distlock.backend.redis;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

import io.github.distlock.backend.StoreCalls;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.redis.NativeRelease.Settlement;
import io.github.distlock.backend.redis.ScriptExecutor.Answer;
import io.github.distlock.backend.redis.ScriptExecutor.Reply;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.async.BaseRedisAsyncCommands;
import io.lettuce.core.api.async.RedisScriptingAsyncCommands;
import io.lettuce.core.cluster.api.async.RedisAdvancedClusterAsyncCommands;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * Sends one script without waiting for its answer, over the connection that all threads
 * share. A command that any thread sends after that is executed and answered later. Only
 * the dedicated connections of Lettuce keep that order and end each command after a
 * time-out, and not those to a cluster, which redirects commands.
 * <p>
 * The text of the script is sent until the connection has executed it once. If a server
 * has forgotten the script nevertheless, the command fails: sending the text then would
 * lose the order. A {@link NativeRelease} may be sent before the script, and mostly in
 * place of it. Thread-safe.
 */
final class PipelinedScripts {

	private static final Reply RELEASED = new Reply("ok", false, null);

	private final RedisServer server;

	private final @Nullable RedisConnectionFactory dedicated;

	private final RedisScript<String> script;

	private final TimeSource clock;

	/** Whether the server behind the connection knows the script, as far as is known. */
	private volatile boolean known;

	/**
	 * Create the sender of a script.
	 * @param server the server, for messages
	 * @param dedicated makes the connection, if it is that of Lettuce; {@code null} if
	 * the connections are those of the application
	 * @param script the script
	 * @param clock the time
	 */
	PipelinedScripts(RedisServer server, @Nullable RedisConnectionFactory dedicated, RedisScript<String> script,
			TimeSource clock) {
		this.server = server;
		this.dedicated = dedicated;
		this.script = script;
		this.clock = clock;
	}

	/** The connection is lost: another server may answer the next command. */
	void disconnected() {
		this.known = false;
	}

	/**
	 * Send the script, or a native command that is tried first. An interrupt does not cut
	 * that short.
	 * @param action the verb, for the message
	 * @param key the key of the lock, for the message
	 * @param nativeRelease begins the native command, if there is one
	 * @return completes on a thread of the driver; {@code null} if the connections keep
	 * no order, and nothing was sent
	 */
	@Nullable CompletionStage<Answer<Reply>> send(String action, String key,
			@Nullable Supplier<@Nullable NativeRelease> nativeRelease, List<String> keys, String... args) {
		if (this.dedicated == null) {
			return null;
		}
		boolean interrupted = Thread.interrupted();
		try (RedisConnection connection = this.dedicated.getConnection()) {
			RedisScriptingAsyncCommands<byte[], byte[]> commands = commands(connection);
			if (commands == null) {
				return null;
			}
			NativeRelease first = (nativeRelease != null) ? nativeRelease.get() : null;
			return (first != null) ? sendFirst(first, commands, action, key, keys, args)
					: sendScript(commands, action, key, keys, args);
		}
		catch (RuntimeException ex) {
			throw this.server.failed(action, key, ex);
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	/**
	 * Send a native command, and after a refusal the script: behind the commands that
	 * were sent meanwhile. {@link NativeRelease} says why that loses no order.
	 */
	private CompletionStage<Answer<Reply>> sendFirst(NativeRelease first,
			RedisScriptingAsyncCommands<byte[], byte[]> commands, String action, String key, List<String> keys,
			String... args) {
		TimeSource.Instant sent = this.clock.now();
		try {
			return first.sendTo(anyCommands(commands)).handle((status, failure) -> {
				Settlement settlement = Settlement.FAILED;
				try {
					if (failure != null && !first.isRefused(failure)) {
						throw this.server.failed(action, key, StoreCalls.unwrap(failure));
					}
					if (failure == null && status != null) {
						settlement = Settlement.RELEASED;
						return CompletableFuture.completedFuture(new Answer<>(RELEASED, sent, false));
					}
					CompletionStage<Answer<Reply>> answer = sendScript(commands, action, key, keys, args);
					settlement = Settlement.LEFT_TO_SCRIPT;
					return answer;
				}
				finally {
					first.settle(settlement);
				}
			}).thenCompose(Function.identity());
		}
		catch (Throwable ex) {
			first.settle(Settlement.FAILED);
			throw ex;
		}
	}

	private CompletionStage<Answer<Reply>> sendScript(RedisScriptingAsyncCommands<byte[], byte[]> commands,
			String action, String key, List<String> keys, String... args) {
		TimeSource.Instant sent = this.clock.now();
		return sendTo(commands, keys, args).handle((bytes, failure) -> {
			this.known = failure == null;
			if (failure != null) {
				throw this.server.failed(action, key, StoreCalls.unwrap(failure));
			}
			Reply reply = Reply.parse(bytes);
			if (reply.admitsMore()) {
				admitReaders(commands, keys, Scripts.MAX_PORTIONS);
			}
			return new Answer<>(reply, sent, false);
		});
	}

	private CompletionStage<byte[]> sendTo(RedisScriptingAsyncCommands<byte[], byte[]> commands, List<String> keys,
			String... args) {
		return this.known ? LettuceScripts.sendDigest(commands, this.script, ScriptOutputType.VALUE, keys, args)
				: LettuceScripts.sendText(commands, this.script, ScriptOutputType.VALUE, keys, args);
	}

	/**
	 * Let in the readers at the head of the queue. If this fails, they are let in when
	 * the first of them attempts again.
	 */
	private static void admitReaders(RedisScriptingAsyncCommands<byte[], byte[]> commands, List<String> keys,
			int portions) {
		LettuceScripts.<byte[]>send(commands, Scripts.ADMIT, ScriptOutputType.VALUE, keys).thenAccept((answer) -> {
			if (portions > 1 && Reply.parse(answer).admitsMore()) {
				admitReaders(commands, keys, portions - 1);
			}
		});
	}

	@SuppressWarnings("unchecked")
	private static @Nullable RedisScriptingAsyncCommands<byte[], byte[]> commands(RedisConnection connection) {
		Object commands = connection.getNativeConnection();
		boolean ordered = commands instanceof RedisScriptingAsyncCommands<?, ?>
				&& !(commands instanceof RedisAdvancedClusterAsyncCommands<?, ?>);
		return ordered ? (RedisScriptingAsyncCommands<byte[], byte[]>) commands : null;
	}

	/** What sends scripts to one server sends all other commands, too. */
	@SuppressWarnings("unchecked")
	private static BaseRedisAsyncCommands<byte[], byte[]> anyCommands(
			RedisScriptingAsyncCommands<byte[], byte[]> commands) {
		return (BaseRedisAsyncCommands<byte[], byte[]>) commands;
	}

}
