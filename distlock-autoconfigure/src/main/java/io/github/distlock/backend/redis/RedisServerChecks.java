package io.github.distlock.backend.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.github.distlock.LockBackendException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Finds out whether the server is fit for locks: which rights its user lacks, and whether
 * it removes keys to make room.
 */
final class RedisServerChecks {

	private static final Log logger = LogFactory.getLog(RedisServerChecks.class);

	/** The command that a server refuses, as its error message names it. */
	private static final Pattern COMMAND = Pattern.compile("permissions to run the '([^']+)' command");

	/** The words differ between Redis 6.2 and Redis 7. */
	private static final List<String> REFUSALS = List.of("NOPERM", "ACL failure", "The user executing the script");

	private static final String EVICTION_POLICY = "maxmemory_policy";

	private static final String MEMORY_LIMIT = "maxmemory";

	private final RedisServer server;

	private final RedisKeys keys;

	private final RedisConnectionFactory connections;

	private final AtomicBoolean evictionChecked = new AtomicBoolean();

	RedisServerChecks(RedisServer server, RedisKeys keys, RedisConnectionFactory connections) {
		this.server = server;
		this.keys = keys;
		this.connections = connections;
	}

	/**
	 * Warn of a server that removes keys to make room, at the first call. Locks would be
	 * among the first to go, since such a server prefers keys that expire soon. Nothing
	 * is logged if the user may not read the policy.
	 */
	void warnOfEvictionOnce() {
		if (!this.evictionChecked.compareAndSet(false, true)) {
			return;
		}
		try (RedisConnection connection = this.connections.getConnection()) {
			Properties memory = connection.serverCommands().info("memory");
			if (memory != null) {
				memory.stringPropertyNames()
					.stream()
					.filter((name) -> name.endsWith(EVICTION_POLICY))
					.forEach((name) -> {
						// In a cluster each name begins with its node.
						String node = name.substring(0, name.length() - EVICTION_POLICY.length());
						warnOfEviction(memory.getProperty(name), memory.getProperty(node + MEMORY_LIMIT, "0"));
					});
			}
		}
		catch (RuntimeException ex) {
			logger.debug("The eviction policy of Redis could not be read", ex);
		}
	}

	private static void warnOfEviction(String policy, String limit) {
		if (!policy.equals("noeviction") && !limit.equals("0")) {
			logger.warn("Redis removes keys when its memory is full (maxmemory-policy " + policy
					+ "), including locks, so two callers could hold one lock at the same time: set maxmemory-policy noeviction,"
					+ " or keep locks in a Redis of their own");
		}
	}

	/**
	 * Check the answer of the script that tries all rights.
	 * @param answer lines of a command and an error
	 * @throws LockBackendException if a right is missing, or the server takes no writes
	 */
	void checkRights(String answer) {
		List<String> commands = new ArrayList<>();
		boolean channel = false;
		for (String line : answer.lines().toList()) {
			String command = line.substring(0, line.indexOf(':'));
			if (line.contains("READONLY") || line.contains("MISCONF") || line.contains("NOREPLICAS")) {
				throw new LockBackendException(this.server.name() + " takes no writes (" + line
						+ "): connect to a master that accepts them, see " + this.server.properties());
			}
			if (line.contains("channel")) {
				channel = true;
			}
			else if (isRefusal(line)) {
				commands.add(command);
			}
		}
		if (!commands.isEmpty()) {
			throw missing("run " + String.join(", ", commands) + " in scripts",
					commands.stream()
						.map((command) -> "+" + command.toLowerCase(Locale.ROOT))
						.collect(Collectors.joining(" ")),
					null);
		}
		if (channel) {
			throw missing("publish to its channels", channels(), null);
		}
	}

	/**
	 * Turn the refusal of a command into a failure that says which right to grant.
	 * @param failure the failure of the command
	 * @param command the command
	 * @return the explained refusal, or the failure itself if it is something else
	 */
	RuntimeException explainRefusal(RuntimeException failure, String command) {
		// The message of a LockBackendException always contains the words below.
		Throwable cause = (failure instanceof LockBackendException) ? failure.getCause() : failure;
		if (!ScriptExecutor.says(cause, "NOPERM")) {
			return failure;
		}
		if (ScriptExecutor.says(cause, "keys") || ScriptExecutor.says(cause, "a key")) {
			return missing("use its keys", "~" + this.keys.prefix() + "*", failure);
		}
		if (ScriptExecutor.says(cause, "channel")) {
			return missing("subscribe to its channels", channels(), failure);
		}
		String refused = refusedBy(cause, command);
		return missing("run " + refused.toUpperCase(Locale.ROOT), "+" + refused.toLowerCase(Locale.ROOT), failure);
	}

	/** The driver also sends commands of its own when it connects. */
	private static String refusedBy(@Nullable Throwable failure, String sent) {
		for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
			Matcher command = COMMAND.matcher(String.valueOf(cause.getMessage()));
			if (command.find()) {
				return command.group(1);
			}
		}
		return sent;
	}

	private String channels() {
		return "&" + this.keys.inboxPrefix() + "*";
	}

	private static boolean isRefusal(String line) {
		return REFUSALS.stream().anyMatch(line::contains);
	}

	private LockBackendException missing(String what, String grant, @Nullable RuntimeException cause) {
		return new LockBackendException("The user of " + this.server.name() + " may not " + what + ": grant it " + grant
				+ " with ACL SETUSER; docs/redis-operations.md has the whole line", cause);
	}

}
