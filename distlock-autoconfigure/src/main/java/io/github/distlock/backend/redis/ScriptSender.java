package io.github.distlock.backend.redis;

import java.nio.charset.StandardCharsets;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisScriptingCommands;
import org.springframework.data.redis.connection.ReturnType;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * Sends a script by its digest, and by its text to a server that does not know it. Does
 * what a template does, with bytes and whole numbers only, in less time.
 */
final class ScriptSender {

	private final RedisConnectionFactory connectionFactory;

	ScriptSender(RedisConnectionFactory connectionFactory) {
		this.connectionFactory = connectionFactory;
	}

	<T> @Nullable T send(RedisScript<?> script, List<String> keys, String... args) {
		byte[][] keysAndArgs = keysAndArgs(keys, args);
		ReturnType type = ReturnType.fromJavaType(script.getResultType());
		try (RedisConnection connection = this.connectionFactory.getConnection()) {
			RedisScriptingCommands commands = connection.scriptingCommands();
			try {
				return commands.evalSha(script.getSha1(), type, keys.size(), keysAndArgs);
			}
			catch (RuntimeException ex) {
				if (!ScriptExecutor.says(ex, "NOSCRIPT")) {
					throw ex;
				}
				return commands.eval(bytes(script.getScriptAsString()), type, keys.size(), keysAndArgs);
			}
		}
	}

	/** Send a script by its text, whether or not the server knows it. */
	<T> @Nullable T sendText(RedisScript<?> script, List<String> keys, String... args) {
		try (RedisConnection connection = this.connectionFactory.getConnection()) {
			return connection.scriptingCommands()
				.eval(bytes(script.getScriptAsString()), ReturnType.fromJavaType(script.getResultType()), keys.size(),
						keysAndArgs(keys, args));
		}
	}

	private static byte[][] keysAndArgs(List<String> keys, String... args) {
		byte[][] keysAndArgs = new byte[keys.size() + args.length][];
		for (int i = 0; i < keys.size(); i++) {
			keysAndArgs[i] = bytes(keys.get(i));
		}
		for (int i = 0; i < args.length; i++) {
			keysAndArgs[keys.size() + i] = bytes(args[i]);
		}
		return keysAndArgs;
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

}
