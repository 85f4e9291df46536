package io.github.distlock.backend.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisScriptingCommands;
import org.springframework.data.redis.connection.ReturnType;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * Runs scripts and waits for their answers. It does what a {@code RedisTemplate} does,
 * with bytes and whole numbers only, in less time.
 * <p>
 * An interrupt does not cut a command short, so that no command can take a lock after its
 * caller has gone: the interrupt flag is cleared, the command is sent again, and the flag
 * is set when the answer has arrived. Each script is idempotent for its ticket.
 */
final class ScriptExecutor {

	private static final int MAX_SENDS = 3;

	private final RedisServer server;

	private final RedisConnectionFactory connectionFactory;

	private final TimeSource clock;

	private final Consumer<RuntimeException> onFailure;

	/**
	 * Create an executor.
	 * @param server the server, for messages
	 * @param connectionFactory makes the connections
	 * @param clock the time
	 * @param onFailure is called when a command has failed: what is known of the server
	 * may no longer be true
	 */
	ScriptExecutor(RedisServer server, RedisConnectionFactory connectionFactory, TimeSource clock,
			Consumer<RuntimeException> onFailure) {
		this.server = server;
		this.connectionFactory = connectionFactory;
		this.clock = clock;
		this.onFailure = onFailure;
	}

	/**
	 * Run a script.
	 * @param action the verb, for the message
	 * @param key the key of the lock, for the message
	 */
	<T> Answer<T> run(RedisScript<?> script, String action, @Nullable String key, List<String> keys, String... args) {
		return send(action, key, (connection) -> {
			T value = evaluate(connection, script, keys, args);
			if (value == null) {
				throw new IllegalStateException("The script returned no value");
			}
			return value;
		});
	}

	/**
	 * Send a command.
	 * @param action the verb, for the message
	 * @param key the key of the lock, for the message
	 * @param command sends it and returns the answer; it may be sent again
	 */
	<T> Answer<T> send(String action, @Nullable String key, Function<RedisConnection, T> command) {
		boolean interrupted = Thread.interrupted();
		try {
			for (int sends = 1;; sends++) {
				TimeSource.Instant sent = this.clock.now();
				try (RedisConnection connection = this.connectionFactory.getConnection()) {
					T value = command.apply(connection);
					return new Answer<>(value, sent, sends > 1);
				}
				catch (RuntimeException ex) {
					if (!Thread.interrupted()) {
						reportFailure(ex);
						throw this.server.failed(action, key, ex);
					}
					interrupted = true;
					if (sends == MAX_SENDS) {
						throw this.server.failed(action, key, ex);
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

	private void reportFailure(RuntimeException failure) {
		try {
			this.onFailure.accept(failure);
		}
		catch (RuntimeException ex) {
			// The caller needs the first failure.
			failure.addSuppressed(ex);
		}
	}

	/** Send a script by its digest, and by its text if the server does not know it. */
	private static <T> @Nullable T evaluate(RedisConnection connection, RedisScript<?> script, List<String> keys,
			String... args) {
		byte[][] keysAndArgs = keysAndArgs(keys, args);
		ReturnType type = ReturnType.fromJavaType(script.getResultType());
		RedisScriptingCommands commands = connection.scriptingCommands();
		try {
			return commands.evalSha(script.getSha1(), type, keys.size(), keysAndArgs);
		}
		catch (RuntimeException ex) {
			if (!says(ex, "NOSCRIPT")) {
				throw ex;
			}
			return commands.eval(bytes(script.getScriptAsString()), type, keys.size(), keysAndArgs);
		}
	}

	/** Run a script once, by its text even if the server knows it. */
	String runText(RedisScript<String> script, RedisServerChecks checks, List<String> keys, String... args) {
		try (RedisConnection connection = this.connectionFactory.getConnection()) {
			byte[] answer = connection.scriptingCommands()
				.eval(bytes(script.getScriptAsString()), ReturnType.fromJavaType(script.getResultType()), keys.size(),
						keysAndArgs(keys, args));
			return (answer != null) ? new String(answer, StandardCharsets.UTF_8) : "";
		}
		catch (RuntimeException ex) {
			RuntimeException reason = checks.explainRefusal(ex, "EVAL");
			throw (reason instanceof LockBackendException) ? reason
					: this.server.failed("test of the lock store", null, ex);
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

	/**
	 * Return whether the message of an exception or of one of its causes contains a text.
	 * Drivers wrap the answer of the server in various ways.
	 */
	static boolean says(@Nullable Throwable failure, String text) {
		for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
			String message = cause.getMessage();
			if (message != null && message.contains(text)) {
				return true;
			}
		}
		return false;
	}

	/**
	 * The answer of a script.
	 *
	 * @param value the answer
	 * @param sent a moment before the command was sent
	 * @param repeated whether the command had been sent before and the first answer was
	 * lost
	 */
	record Answer<T>(T value, TimeSource.Instant sent, boolean repeated) {
	}

	/**
	 * A text that a script answers: its kind and numbers, separated by commas. A number
	 * alone is the most frequent answer: granted, as requested. A plus sign before the
	 * kind says that more readers are to be let in.
	 *
	 * @param kind the kind of answer
	 * @param admitsMore whether {@code admit.lua} has to be sent, so that more readers
	 * enter
	 * @param holder a ticket that holds the lock, and after it its first fencing token,
	 * if the answer ends with them
	 * @param numbers the numbers after the kind
	 */
	record Reply(String kind, boolean admitsMore, @Nullable TicketHolder holder, long... numbers) {

		static final String GRANTED = "granted";

		static final String WAITING = "waiting";

		static final String BUSY = "busy";

		static final String GONE = "gone";

		static final String UNQUEUED = "unqueued";

		static final String ENDED = "ended";

		static final String CHANGED = "changed";

		static final String NOT_HELD = "not-held";

		private static final char ADMITS_MORE = '+';

		static Reply parse(byte[] bytes) {
			return parse(new String(bytes, StandardCharsets.ISO_8859_1));
		}

		static Reply parse(String text) {
			if (Character.isDigit(text.charAt(0))) {
				return new Reply(GRANTED, false, null, Long.parseLong(text));
			}
			boolean admitsMore = text.charAt(0) == ADMITS_MORE;
			String[] parts = (admitsMore ? text.substring(1) : text).split(",");
			TicketHolder holder = holder(parts);
			long[] numbers = new long[parts.length - ((holder != null) ? 3 : 1)];
			for (int i = 0; i < numbers.length; i++) {
				numbers[i] = Long.parseLong(parts[i + 1]);
			}
			return new Reply(parts[0], admitsMore, holder, numbers);
		}

		/** The name of each ticket contains a colon, and no comma. */
		private static @Nullable TicketHolder holder(String[] parts) {
			int name = parts.length - 2;
			return (name > 0 && parts[name].indexOf(':') >= 0)
					? new TicketHolder(parts[name], Long.parseLong(parts[name + 1])) : null;
		}

		/** What holds the lock, as the script says it. */
		@Nullable StoredHolder holder(String key, @Nullable Duration ttl) {
			return (this.holder != null) ? stored(key, this.holder.token(), this.holder.first(), ttl) : null;
		}

		/** Describe a holder. The first token of a grant is the time of the server. */
		static StoredHolder stored(String key, String token, long first, @Nullable Duration ttl) {
			Ticket ticket = Ticket.of(key, token);
			return new StoredHolder(ticket.instance(), ticket.mode(), Instant.EPOCH.plus(first, ChronoUnit.MICROS), ttl,
					first);
		}

		/**
		 * A ticket that holds a lock.
		 *
		 * @param token the name of the ticket
		 * @param first the first fencing token of its grant
		 */
		record TicketHolder(String token, long first) {
		}

	}

}
