package io.github.distlock.backend.redis;

import java.nio.charset.StandardCharsets;
import java.util.List;
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
	 * Run a script: by its digest, and by its text if the server does not know it.
	 * @param <T> {@code byte[]} for a script of type {@code String}, otherwise
	 * {@code Long} or a {@code List} of one of these
	 */
	<T> CompletionStage<T> run(RedisScript<?> script, byte[][] keys, byte[][] args);

	default <T> CompletionStage<T> run(RedisScript<?> script, List<String> keys, String... args) {
		return run(script, bytes(keys.toArray(String[]::new)), bytes(args));
	}

	/**
	 * Send a command that answers a text.
	 * @return completes with the text, or with {@code null} if the server answers nil
	 */
	CompletionStage<@Nullable String> execute(String command, byte[]... args);

	CompletionStage<Long> publish(byte[] channel, byte[] message);

	static byte[][] bytes(String... texts) {
		byte[][] bytes = new byte[texts.length][];
		for (int i = 0; i < bytes.length; i++) {
			bytes[i] = texts[i].getBytes(StandardCharsets.UTF_8);
		}
		return bytes;
	}

}
