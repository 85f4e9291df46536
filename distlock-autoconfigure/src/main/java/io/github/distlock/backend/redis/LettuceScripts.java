package io.github.distlock.backend.redis;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.async.RedisScriptingAsyncCommands;

import org.springframework.data.redis.core.script.RedisScript;

/**
 * Sends scripts without a thread that waits for the answer. Only Lettuce can do that.
 */
final class LettuceScripts {

	private LettuceScripts() {
	}

	/** Send a script by its text. */
	static <T> CompletionStage<T> sendText(RedisScriptingAsyncCommands<byte[], byte[]> commands, RedisScript<?> script,
			ScriptOutputType type, List<String> keys, String... args) {
		return commands.eval(text(script), type, bytes(keys), bytes(args));
	}

	/** Send a script by its digest, which the server may not know. */
	static <T> CompletionStage<T> sendDigest(RedisScriptingAsyncCommands<byte[], byte[]> commands,
			RedisScript<?> script, ScriptOutputType type, List<String> keys, String... args) {
		return commands.evalsha(script.getSha1(), type, bytes(keys), bytes(args));
	}

	/** Send a script by its digest, and by its text if the server does not know it. */
	static <T> CompletableFuture<T> send(RedisScriptingAsyncCommands<byte[], byte[]> commands, RedisScript<?> script,
			ScriptOutputType type, List<String> keys, String... args) {
		return send(commands, script, type, bytes(keys), bytes(args));
	}

	/** The same with keys and arguments as they are sent. */
	static <T> CompletableFuture<T> send(RedisScriptingAsyncCommands<byte[], byte[]> commands, RedisScript<?> script,
			ScriptOutputType type, byte[][] names, byte[][] values) {
		return commands.<T>evalsha(script.getSha1(), type, names, values)
			.exceptionallyCompose((failure) -> isUnknownScript(failure)
					? commands.eval(text(script), type, names, values) : CompletableFuture.failedFuture(failure))
			.toCompletableFuture();
	}

	private static byte[] text(RedisScript<?> script) {
		return script.getScriptAsString().getBytes(StandardCharsets.UTF_8);
	}

	static boolean isUnknownScript(Throwable failure) {
		return failure instanceof RedisNoScriptException || failure.getCause() instanceof RedisNoScriptException;
	}

	static byte[][] bytes(List<String> texts) {
		byte[][] bytes = new byte[texts.size()][];
		for (int i = 0; i < bytes.length; i++) {
			bytes[i] = texts.get(i).getBytes(StandardCharsets.UTF_8);
		}
		return bytes;
	}

	static byte[][] bytes(String... texts) {
		byte[][] bytes = new byte[texts.length][];
		for (int i = 0; i < bytes.length; i++) {
			bytes[i] = texts[i].getBytes(StandardCharsets.UTF_8);
		}
		return bytes;
	}

}
