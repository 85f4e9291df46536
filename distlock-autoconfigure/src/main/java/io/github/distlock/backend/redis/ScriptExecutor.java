package io.github.distlock.backend.redis;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Consumer;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.TimeSource;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.core.script.RedisScript;

/**
 * Runs a script to its end. An interrupt does not cut a command short: the flag is kept,
 * the command is sent again (each script is idempotent for its ticket) and the flag is
 * set when its answer is there. So that nothing is locked by a command whose caller has
 * gone away.
 */
final class ScriptExecutor {

	private static final int MAX_SENDS = 3;

	private final RedisServer server;

	private final ScriptSender sender;

	private final TimeSource clock;

	/** Told when a command failed: what was known of the server may no longer hold. */
	private final Consumer<RuntimeException> onFailure;

	ScriptExecutor(RedisServer server, ScriptSender sender, TimeSource clock, Consumer<RuntimeException> onFailure) {
		this.server = server;
		this.sender = sender;
		this.clock = clock;
		this.onFailure = onFailure;
	}

	/**
	 * Run a script.
	 * @param what the verb, for the message
	 * @param key the lock, for the message
	 */
	<T> Answer<T> run(RedisScript<?> script, String what, @Nullable String key, List<String> keys, String... args) {
		boolean interrupted = Thread.interrupted();
		try {
			for (int sends = 1;; sends++) {
				TimeSource.Instant sent = this.clock.now();
				try {
					T value = this.sender.send(script, keys, args);
					if (value == null) {
						throw new IllegalStateException("Redis answered nothing");
					}
					return new Answer<>(value, sent, sends > 1);
				}
				catch (RuntimeException ex) {
					if (!Thread.interrupted()) {
						tell(ex);
						throw this.server.failed(what, key, ex);
					}
					interrupted = true;
					if (sends == MAX_SENDS) {
						throw this.server.failed(what, key, ex);
					}
				}
			}
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	private void tell(RuntimeException failure) {
		try {
			this.onFailure.accept(failure);
		}
		catch (RuntimeException ex) {
			// The first failure is the one that the caller has to know.
			failure.addSuppressed(ex);
		}
	}

	/** Run a script once, by its text, and get its answer as text. */
	String runText(RedisScript<String> script, RedisRightsCheck rights, List<String> keys, String... args) {
		try {
			byte[] answer = this.sender.sendText(script, keys, args);
			return (answer != null) ? new String(answer, StandardCharsets.UTF_8) : "";
		}
		catch (RuntimeException ex) {
			RuntimeException reason = rights.explain(ex, "EVAL");
			throw (reason instanceof LockBackendException) ? reason
					: this.server.failed("test of the lock store", null, ex);
		}
	}

	/**
	 * Whether the server's answer, which drivers wrap in various ways, contains a word.
	 */
	static boolean says(@Nullable Throwable failure, String word) {
		for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
			String message = cause.getMessage();
			if (message != null && message.contains(word)) {
				return true;
			}
		}
		return false;
	}

	/**
	 * What a script answered.
	 *
	 * @param value the answer
	 * @param sent a moment before the command was sent
	 * @param repeated whether it had been sent before and the first answer was lost
	 */
	record Answer<T>(T value, TimeSource.Instant sent, boolean repeated) {
	}

}
