package io.github.distlock.backend.redis;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisScriptingCommands;
import org.springframework.data.redis.connection.ReturnType;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * Sends commands on connections of the application, with any driver, and waits for each
 * answer. An interrupt before a command does not disturb it; one that ends the wait of
 * the driver is a failure like any other.
 */
final class BlockingCommands implements RedisCommands {

	private final RedisConnectionFactory application;

	BlockingCommands(RedisConnectionFactory application) {
		this.application = application;
	}

	@Override
	public <T> CompletionStage<T> run(RedisScript<?> script, byte[][] keys, byte[][] args) {
		ReturnType type = ReturnType.fromJavaType(script.getResultType());
		byte[][] keysAndArgs = new byte[keys.length + args.length][];
		System.arraycopy(keys, 0, keysAndArgs, 0, keys.length);
		System.arraycopy(args, 0, keysAndArgs, keys.length, args.length);
		return send((connection) -> {
			RedisScriptingCommands commands = connection.scriptingCommands();
			try {
				return commands.evalSha(script.getSha1(), type, keys.length, keysAndArgs);
			}
			catch (RuntimeException ex) {
				if (!RedisServer.says(ex, "NOSCRIPT")) {
					throw ex;
				}
				return commands.eval(script.getScriptAsString().getBytes(StandardCharsets.UTF_8), type, keys.length,
						keysAndArgs);
			}
		});
	}

	@Override
	public CompletionStage<@Nullable String> execute(String command, byte[]... args) {
		return send((connection) -> {
			Object answer = connection.execute(command, args);
			return (answer instanceof byte[] bytes) ? new String(bytes, StandardCharsets.UTF_8)
					: (answer != null) ? answer.toString() : null;
		});
	}

	@Override
	public CompletionStage<Long> publish(byte[] channel, byte[] message) {
		return send((connection) -> connection.publish(channel, message));
	}

	private <T extends @Nullable Object> CompletionStage<T> send(Function<RedisConnection, T> command) {
		boolean interrupted = Thread.interrupted();
		try (RedisConnection connection = this.application.getConnection()) {
			return CompletableFuture.completedFuture(command.apply(connection));
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

}
