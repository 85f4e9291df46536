package io.github.distlock.backend.redis;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.async.RedisAdvancedClusterAsyncCommands;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * Sends scripts to the masters of a cluster without waiting for each, which only Lettuce
 * can.
 */
final class ClusterScripts {

	private final RedisAdvancedClusterAsyncCommands<byte[], byte[]> commands;

	private ClusterScripts(RedisAdvancedClusterAsyncCommands<byte[], byte[]> commands) {
		this.commands = commands;
	}

	@SuppressWarnings("unchecked")
	static @Nullable ClusterScripts on(RedisConnection connection) {
		return (connection.getNativeConnection() instanceof RedisAdvancedClusterAsyncCommands<?, ?> commands)
				? new ClusterScripts((RedisAdvancedClusterAsyncCommands<byte[], byte[]>) commands) : null;
	}

	/** The address of the master that has a slot, as far as the driver knows. */
	@SuppressWarnings("deprecation")
	String master(int slot) {
		// There is no other way from Spring Data's connection to what the driver knows.
		RedisClusterNode master = this.commands.getStatefulConnection().getPartitions().getPartitionBySlot(slot);
		return (master != null) ? master.getUri().getHost() + ":" + master.getUri().getPort() : "unknown";
	}

	CompletableFuture<List<Long>> send(RedisScript<?> script, List<String> keys, String... args) {
		byte[][] names = bytes(keys.toArray(String[]::new));
		byte[][] values = bytes(args);
		CompletionStage<List<Long>> answer = this.commands.evalsha(script.getSha1(), ScriptOutputType.MULTI, names,
				values);
		return answer.exceptionallyCompose((failure) -> {
			Throwable cause = (failure.getCause() != null) ? failure.getCause() : failure;
			return (failure instanceof RedisNoScriptException || cause instanceof RedisNoScriptException)
					? this.commands.eval(script.getScriptAsString(), ScriptOutputType.MULTI, names, values)
					: CompletableFuture.failedFuture(failure);
		}).toCompletableFuture();
	}

	/** Whether a failure is what the server said, and not its silence. */
	static boolean isAnswer(@Nullable Throwable failure) {
		return failure == null || failure instanceof RedisCommandExecutionException
				|| failure.getCause() instanceof RedisCommandExecutionException;
	}

	private static byte[][] bytes(String[] texts) {
		byte[][] bytes = new byte[texts.length][];
		for (int i = 0; i < texts.length; i++) {
			bytes[i] = texts[i].getBytes(StandardCharsets.UTF_8);
		}
		return bytes;
	}

}
