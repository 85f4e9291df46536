package io.github.distlock.backend.redis;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.core.script.RedisScript;

/**
 * Sends commands on one connection of Lettuce, without waiting. While the connection is
 * broken they fail at once.
 */
final class LettuceCommands implements RedisCommands {

	private final StatefulConnection<byte[], byte[]> connection;

	private final RedisClusterAsyncCommands<byte[], byte[]> commands;

	LettuceCommands(StatefulConnection<byte[], byte[]> connection) {
		this.connection = connection;
		this.commands = (connection instanceof StatefulRedisClusterConnection<byte[], byte[]> cluster) ? cluster.async()
				: ((StatefulRedisConnection<byte[], byte[]>) connection).async();
	}

	@Override
	public <T> CompletionStage<T> run(RedisScript<?> script, byte[][] keys, byte[][] args) {
		ScriptOutputType type = type(script);
		return this.commands.<T>evalsha(script.getSha1(), type, keys, args)
			.exceptionallyCompose((failure) -> (failure instanceof RedisNoScriptException)
					? this.commands.eval(script.getScriptAsString().getBytes(StandardCharsets.UTF_8), type, keys, args)
					: CompletableFuture.failedFuture(failure));
	}

	private static ScriptOutputType type(RedisScript<?> script) {
		Class<?> type = script.getResultType();
		return (type == String.class) ? ScriptOutputType.VALUE
				: (type == Long.class) ? ScriptOutputType.INTEGER : ScriptOutputType.MULTI;
	}

	@Override
	public CompletionStage<@Nullable String> execute(String command, byte[]... args) {
		return this.commands.dispatch(CommandType.valueOf(command), new StatusOutput<>(ByteArrayCodec.INSTANCE),
				new CommandArgs<>(ByteArrayCodec.INSTANCE).addValues(args));
	}

	@Override
	public CompletionStage<Long> publish(byte[] channel, byte[] message) {
		return this.commands.publish(channel, message);
	}

	boolean isOpen() {
		return this.connection.isOpen();
	}

	CompletionStage<LettuceCommands> close() {
		return this.connection.closeAsync().thenApply((closed) -> this);
	}

}
