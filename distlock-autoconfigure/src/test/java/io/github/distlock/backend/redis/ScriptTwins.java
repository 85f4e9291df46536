package io.github.distlock.backend.redis;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import io.github.distlock.testing.RespConnection;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.core.script.RedisScript;

/**
 * Two databases in which the same commands run by two versions of the scripts. Their
 * clock, what is left of a lease, and the receivers of a message come from the test, so
 * that both must have the same data and answers after each command.
 */
final class ScriptTwins implements AutoCloseable {

	/** Replaces what depends on time and on subscribers. */
	private static final String STUBS = """
			local function asked(command, key, ...)
			  if command == 'TIME' then
			    return redis.call('LRANGE', 'clock', 0, -1)
			  elseif command == 'PTTL' then
			    return redis.call('EXISTS', key) * 1234
			  elseif command == 'PUBLISH' then
			    redis.call('RPUSH', 'messages', key .. ' ' .. ...)
			    return redis.call('SISMEMBER', 'inboxes', string.match(key, 'inbox:(.*)'))
			  elseif command == 'PSETEX' then
			    redis.call('SET', 'lease', (...))
			    return redis.call('SET', key, (select(2, ...)))
			  elseif command == 'PEXPIRE' then
			    return 1
			  elseif command == 'general' then
			    return redis.call('INCR', 'general')
			  end
			  return redis.call(command, key, ...)
			end
			""";

	/** Where the general part begins. */
	private static final String GENERAL = "-- Included only here";

	private final List<String> keys = new RedisKeys("distlock:").lockQueueAndReaders("k");

	private final Twin lean;

	private final Twin general;

	private final List<String> differences = new ArrayList<>();

	private long clockMicros = 1_790_000_000_000_000L;

	ScriptTwins(int port, UnaryOperator<String> lean, UnaryOperator<String> general) {
		this.lean = new Twin(port, "0", lean);
		this.general = new Twin(port, "1", general);
		for (int i = 0; i < 4; i++) {
			toggleInbox("i" + i);
		}
	}

	/** Run a command in both databases, and compare. */
	void run(RedisScript<String> script, String... args) {
		String first = run(this.lean, script, args);
		String second = run(this.general, script, args);
		List<Object> one = this.lean.state(this.keys);
		List<Object> two = this.general.state(this.keys);
		if (!first.equals(second) || !one.equals(two)) {
			this.differences.add("%s: %s%n%s%n%s: %s%n%s".formatted(List.of(args), first, one, "general", second, two));
		}
	}

	private String run(Twin twin, RedisScript<String> script, String... args) {
		String answer = twin.run(script, this.keys, args);
		while (answer.startsWith("+")) {
			answer = twin.run(Scripts.ADMIT, this.keys) + answer.substring(1);
		}
		// A position other than the first is not exact.
		return answer.replaceFirst("^(o?k?waiting),[1-9][0-9]*,", "$1,1,");
	}

	List<String> differences() {
		return this.differences;
	}

	/** How many commands have needed the general part of a lean script. */
	long general() {
		Object count = this.lean.connection.ask("GET", "general");
		return (count != null) ? Long.parseLong((String) count) : 0;
	}

	String word() {
		return this.lean.word(this.keys);
	}

	/** Nothing follows from a '+', but a release looks at less without it. */
	boolean areWordsEqual() {
		return word().equals(this.general.word(this.keys));
	}

	/** Mostly forwards, and often to the end of a second. */
	void passTime(Random random) {
		long second = this.clockMicros / 1_000_000;
		this.clockMicros = switch (random.nextInt(8)) {
			case 0 -> (second + 1) * 1_000_000 + 999_990;
			case 1 -> this.clockMicros - random.nextInt(20);
			default -> this.clockMicros + 1 + random.nextInt(400_000);
		};
		both("DEL", "clock");
		both("RPUSH", "clock", Long.toString(this.clockMicros / 1_000_000),
				Long.toString(this.clockMicros % 1_000_000));
	}

	void toggleInbox(String instance) {
		if (Long.valueOf(0).equals(both("SADD", "inboxes", instance))) {
			both("SREM", "inboxes", instance);
		}
	}

	/** A queue in which no ticket waits ends as well. */
	void endLease() {
		both("DEL", this.keys.get(0));
		if (Long.valueOf(0).equals(both("ZCOUNT", this.keys.get(1), "-inf", "(1e12"))) {
			both("DEL", this.keys.get(1));
		}
	}

	/** The lock is free, and no ticket waits. */
	void forget() {
		this.keys.forEach((key) -> both("DEL", key));
	}

	private @Nullable Object both(String... command) {
		this.general.connection.ask(command);
		return this.lean.connection.ask(command);
	}

	@Override
	public void close() {
		this.lean.connection.close();
		this.general.connection.close();
	}

	/** One of the two databases. */
	private static final class Twin {

		private final RespConnection connection;

		private final UnaryOperator<String> patch;

		private final Map<RedisScript<?>, String> digests = new HashMap<>();

		Twin(int port, String database, UnaryOperator<String> patch) {
			this.connection = new RespConnection(port);
			this.connection.ask("SELECT", database);
			this.connection.ask("FLUSHDB");
			this.patch = patch;
		}

		String run(RedisScript<String> script, List<String> keys, String... args) {
			String digest = this.digests.computeIfAbsent(script, (any) -> (String) this.connection.ask("SCRIPT", "LOAD",
					STUBS + this.patch.apply(any.getScriptAsString())
						.replace(GENERAL, "asked('general')\n" + GENERAL)
						.replace("redis.call(", "asked(")
						.replace("redis.pcall(", "asked(")
						.replaceAll("if asked\\('PSETEX', (.*)\\).err then", "asked('PSETEX', $1)\nif false then")));
			return (String) this.connection.ask(Stream
				.of(Stream.of("EVALSHA", digest, Integer.toString(keys.size())), keys.stream(), Stream.of(args))
				.flatMap((words) -> words)
				.toArray(String[]::new));
		}

		String word(List<String> keys) {
			Object word = this.connection.ask("GET", keys.get(0));
			return (word != null) ? (String) word : "";
		}

		/**
		 * Nothing follows from a '+', and the longest member of a queue means nothing.
		 */
		List<Object> state(List<String> keys) {
			List<String> queue = new ArrayList<>(
					((List<?>) this.connection.ask("ZRANGE", keys.get(1), "0", "-1", "WITHSCORES")).stream()
						.map(String.class::cast)
						.toList());
			int longest = queue.indexOf("@" + "-".repeat(64));
			if (longest >= 0) {
				queue.subList(longest, longest + 2).clear();
			}
			Object readers = this.connection.ask("ZRANGE", keys.get(2), "0", "-1", "WITHSCORES");
			Object lease = this.connection.ask("GET", "lease");
			Object messages = this.connection.ask("LRANGE", "messages", "0", "-1");
			this.connection.ask("DEL", "messages");
			return List.of(word(keys).replaceFirst("^[+]", "-"), queue, readers, (lease != null) ? lease : "",
					messages);
		}

	}

}
