package io.github.distlock.backend.redis;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.core.script.RedisScript;

/**
 * The only way to send commands to Redis. Each command returns a stage, which completes
 * with the answer or with the failure of the driver. Lettuce completes it on a thread of
 * its own, so what follows does not block; a driver that blocks returns completed stages.
 * Thread-safe.
 */
interface RedisCommands {

	/**
	 * Run a script: by its digest, and by its text if the server does not know it. Each
	 * command has a name, with which its answer ends. A reply with another name breaks
	 * the connection: the driver has lost a command or a reply, as after an
	 * {@link OutOfMemoryError}, and takes each reply for that of another command.
	 */
	default CompletionStage<String> run(RedisScript<String> script, List<String> keys, String... args) {
		return evaluate("EVALSHA", script.getSha1(), keys, args)
			.exceptionallyCompose((failure) -> RedisServer.says(failure, "NOSCRIPT")
					? evaluate("EVAL", script.getScriptAsString(), keys, args)
					: CompletableFuture.failedFuture(failure));
	}

	/**
	 * Send a script.
	 * @param command {@code EVALSHA} or {@code EVAL}
	 * @param script its digest or its text
	 */
	CompletionStage<String> evaluate(String command, String script, List<String> keys, String... args);

	/**
	 * Send a command that answers a text.
	 * @return completes with the text, or with {@code null} if the server answers nil
	 */
	CompletionStage<@Nullable String> execute(String command, byte[]... args);

	/**
	 * Return an answer without the name of its command.
	 * @throws IllegalStateException if it is the answer of another command
	 */
	static String unnamed(@Nullable String answer, String name) {
		if (answer == null || !answer.endsWith(name)) {
			throw new IllegalStateException("The answer of another command, as after an error in the driver");
		}
		return answer.substring(0, answer.length() - name.length());
	}

	static byte[][] bytes(String... texts) {
		byte[][] bytes = new byte[texts.length][];
		for (int i = 0; i < bytes.length; i++) {
			bytes[i] = texts[i].getBytes(StandardCharsets.UTF_8);
		}
		return bytes;
	}

}
