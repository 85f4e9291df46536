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
		return commands.eval(text(script), type, bytes(keys), bytes(List.of(args)));
	}

	/** Send a script by its digest, which the server may not know. */
	static <T> CompletionStage<T> sendDigest(RedisScriptingAsyncCommands<byte[], byte[]> commands,
			RedisScript<?> script, ScriptOutputType type, List<String> keys, String... args) {
		return commands.evalsha(script.getSha1(), type, bytes(keys), bytes(List.of(args)));
	}

	/** Send a script by its digest, and by its text if the server does not know it. */
	static <T> CompletableFuture<T> send(RedisScriptingAsyncCommands<byte[], byte[]> commands, RedisScript<?> script,
			ScriptOutputType type, List<String> keys, String... args) {
		byte[][] names = bytes(keys);
		byte[][] values = bytes(List.of(args));
		return commands.<T>evalsha(script.getSha1(), type, names, values)
			.exceptionallyCompose((failure) -> isUnknownScript(failure)
					? commands.eval(text(script), type, names, values) : CompletableFuture.failedFuture(failure))
			.toCompletableFuture();
	}

	private static byte[] text(RedisScript<?> script) {
		return script.getScriptAsString().getBytes(StandardCharsets.UTF_8);
	}

	private static boolean isUnknownScript(Throwable failure) {
		return failure instanceof RedisNoScriptException || failure.getCause() instanceof RedisNoScriptException;
	}

	private static byte[][] bytes(List<String> texts) {
		return texts.stream().map((text) -> text.getBytes(StandardCharsets.UTF_8)).toArray(byte[][]::new);
	}

}
