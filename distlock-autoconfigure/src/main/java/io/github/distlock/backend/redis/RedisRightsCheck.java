package io.github.distlock.backend.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.github.distlock.LockBackendException;
import org.jspecify.annotations.Nullable;

/**
 * Reads out of a server's refusals which rights its user lacks, and says what to grant.
 */
final class RedisRightsCheck {

	private static final Pattern COMMAND = Pattern.compile("permissions to run the '([^']+)' command");

	private final RedisServer server;

	private final RedisKeys keys;

	RedisRightsCheck(RedisServer server, RedisKeys keys) {
		this.server = server;
		this.keys = keys;
	}

	/**
	 * Read what the script of rights answers.
	 * @param answer lines of a command and an error
	 * @throws LockBackendException if a right is missing, or the server takes no writes
	 */
	void check(String answer) {
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
	 * Turn the refusal of a whole command into one that says what to grant.
	 * @param failure what happened
	 * @param command what was sent
	 * @return the refusal, or the failure itself if it is something else
	 */
	RuntimeException explain(RuntimeException failure, String command) {
		// Ours would tell of keys and channels anyway.
		Throwable told = (failure instanceof LockBackendException) ? failure.getCause() : failure;
		if (!ScriptExecutor.says(told, "NOPERM")) {
			return failure;
		}
		if (ScriptExecutor.says(told, "keys") || ScriptExecutor.says(told, "a key")) {
			return missing("use its keys", "~" + this.keys.prefix() + "*", failure);
		}
		if (ScriptExecutor.says(told, "channel")) {
			return missing("subscribe to its channels", channels(), failure);
		}
		String refused = refusedBy(told, command);
		return missing("run " + refused.toUpperCase(Locale.ROOT), "+" + refused.toLowerCase(Locale.ROOT), failure);
	}

	/** The driver sends commands of its own when it connects. */
	private static String refusedBy(@Nullable Throwable told, String sent) {
		for (Throwable cause = told; cause != null; cause = cause.getCause()) {
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

	/** Redis 6.2 says one, Redis 7 the other. */
	private static boolean isRefusal(String line) {
		return line.contains("NOPERM") || line.contains("ACL failure")
				|| line.contains("The user executing the script");
	}

	private LockBackendException missing(String what, String grant, @Nullable RuntimeException cause) {
		return new LockBackendException("The user of " + this.server.name() + " may not " + what + ": grant it " + grant
				+ " with ACL SETUSER; docs/redis-operations.md has the whole line", cause);
	}

}
