package io.github.distlock.backend.redis;

import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.core.script.RedisScript;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import io.github.distlock.installed.Installed;
import io.github.distlock.testing.RedisLocales;
import io.github.distlock.testing.RedisProcess;
import io.github.distlock.testing.RedisTestServer;
import io.github.distlock.testing.RespConnection;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The scripts under random interleavings. {@code -Dfuzz.seeds=30} runs so many of them
 * instead of a few, {@code -Dfuzz.seed=7} begins with that one.
 * <p>
 * The lean parts of {@code attempt.lua} and {@code release.lua} do what the general parts
 * after them would do: the same random commands run with and without the lean parts, on a
 * clock of the test; all that they read, write and answer is compared.
 */
@Tag(Installed.TAG)
class ScriptFuzzTests {

	private static final PrintStream OUT = System.out;

	private static final int TICKETS = 300;

	private static final int SEEDS = Integer.getInteger("fuzz.seeds", 2);

	private static final int FIRST_SEED = Integer.getInteger("fuzz.seed", 1);

	@ParameterizedTest
	@ValueSource(strings = { RedisLocales.BYTES, RedisLocales.COLLATING })
	void holdersNeverOverlapTokensNeverFallAndNothingIsLeftOver(String locale) {
		assertNoViolation(RedisLocales.start(locale), locale, FuzzWords.WordCheck.OFF);
	}

	@Test
	void aScriptThatTakesReadersForAFreeLockIsDetected() {
		assertDetected(RedisLocales.start(RedisLocales.BYTES),
				(script) -> script.replace("string.byte(value) == TOMBSTONE and #value", "#value"),
				FuzzWords.WordCheck.OFF);
	}

	@Test
	void aScriptThatLetsInOneMoreThanItsLimitIsDetected() {
		assertDetected(RedisLocales.start(RedisLocales.BYTES),
				(script) -> script.replace("ABOVE_ALL_TIMES) < limit", "ABOVE_ALL_TIMES) <= limit"),
				FuzzWords.WordCheck.OFF);
	}

	@Test
	void nativeCommandsAndScriptsKeepThePromisesTogether() {
		assertNoViolation(valkey(), "native", FuzzWords.WordCheck.EQUAL);
	}

	@Test
	void aNativeCommandThatDoesNotCompareTheWordIsDetected() {
		assertDetected(valkey(), UnaryOperator.identity(), FuzzWords.WordCheck.UNCHECKED);
	}

	private static void assertNoViolation(RedisProcess started, String name, FuzzWords.WordCheck nativeWords) {
		try (RedisProcess server = started) {
			for (int seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
				assertThat(run(server, name, seed, UnaryOperator.identity(), nativeWords)).as("seed " + seed).isEmpty();
			}
		}
	}

	private static void assertDetected(RedisProcess started, UnaryOperator<String> patch,
			FuzzWords.WordCheck nativeWords) {
		List<String> found = new ArrayList<>();
		try (RedisProcess server = started) {
			for (int seed = FIRST_SEED; found.isEmpty() && seed < FIRST_SEED + 30; seed++) {
				found.addAll(run(server, "mutant", seed, patch, nativeWords));
			}
		}
		assertThat(found).isNotEmpty();
	}

	private static RedisProcess valkey() {
		return RedisProcess.start(Installed.VALKEY_SERVER.assume(), RedisTestServer.freePort(), List.of());
	}

	private static List<String> run(RedisProcess server, String name, int seed, UnaryOperator<String> patch,
			FuzzWords.WordCheck nativeWords) {
		long begin = System.nanoTime();
		try (ScriptFuzz fuzz = new ScriptFuzz(server.port(), seed, patch, nativeWords)) {
			List<String> violations = fuzz.run(TICKETS);
			OUT.printf("fuzz %s, seed %d: %s, %d violations, %d ms%n", name, seed, fuzz.figures(), violations.size(),
					Duration.ofNanos(System.nanoTime() - begin).toMillis());
			return violations;
		}
	}

	private static final int TWIN_SEEDS = Integer.getInteger("fuzz.seeds", 1);

	private static final int COMMANDS = 1000;

	private static final String LEAN_ATTEMPT = "if kind and kind ~= TOMBSTONE";

	private static final String LEAN_RELEASE = "if kind ~= READERS and #used == #now";

	@ParameterizedTest
	@ValueSource(strings = { RedisLocales.BYTES, RedisLocales.COLLATING })
	void theLeanPartsDoWhatTheGeneralPartsDo(String locale) {
		try (RedisProcess server = RedisLocales.start(locale)) {
			for (int seed = 1; seed <= TWIN_SEEDS; seed++) {
				ScriptTwins twins = twins(server, UnaryOperator.identity());
				assertThat(run(twins, seed)).as("seed " + seed).isEmpty();
				assertThat(twins.general()).as("commands that need the general part")
					.isBetween(COMMANDS / 10L, COMMANDS * 7L / 10);
				twins.close();
			}
		}
	}

	@Test
	void aLeanPartThatDiffersIsDetected() {
		try (RedisProcess server = RedisLocales.start(RedisLocales.BYTES)) {
			for (List<String> fault : List.of(List.of("if receivers == 0 then", "if false then"),
					List.of("'#' .. head, claim)", "'#' .. head)"),
					List.of("if note ~= count * 20000 + 10001 then", "if false then"),
					List.of("(micros < 1e6)", "true"), List.of("and used < now", ""),
					List.of("letter == READ or letter == FAIR and (second == READ or second == LIMIT)", "false"),
					List.of("if kind == OWNED then", "if false then"), List.of("'(1e12'", "'+inf'"),
					List.of("or head == requester", ""))) {
				List<String> found = new ArrayList<>();
				for (int seed = 1; seed <= 20 && found.isEmpty(); seed++) {
					ScriptTwins twins = twins(server, (text) -> text.replace(fault.get(0), fault.get(1)));
					found.addAll(run(twins, seed));
					twins.close();
				}
				assertThat(found).as(fault.get(0)).isNotEmpty();
			}
		}
	}

	private static ScriptTwins twins(RedisProcess server, UnaryOperator<String> fault) {
		return new ScriptTwins(server.port(), fault, (text) -> {
			assertThat(text.contains(LEAN_ATTEMPT) || text.contains(LEAN_RELEASE)
					|| !text.contains("include: append.lua") && !text.contains("local function append"))
				.isTrue();
			return text.replace(LEAN_ATTEMPT, "if false and kind ~= TOMBSTONE")
				.replace(LEAN_RELEASE, "if false and #used == #now");
		});
	}

	/** Returns the first difference. */
	private static List<String> run(ScriptTwins twins, int seed) {
		Random random = new Random(seed);
		List<String> tokens = new ArrayList<>();
		for (int i = 0; i < COMMANDS; i++) {
			step(twins, random, tokens);
			if (!twins.differences().isEmpty()) {
				return twins.differences();
			}
		}
		return List.of();
	}

	private static void step(ScriptTwins twins, Random random, List<String> tokens) {
		twins.passTime(random);
		int roll = random.nextInt(100);
		if (roll < 40) {
			String token = newToken(random, tokens);
			twins.run(Scripts.ATTEMPT, token, lease(random), howToAttempt(random, token));
		}
		else if (roll < 48 && !tokens.isEmpty()) {
			String token = tokens.get(tokens.size() - 1 - random.nextInt(Math.min(12, tokens.size())));
			twins.run(Scripts.ATTEMPT, token, lease(random), howToAttempt(random, token));
		}
		else if (roll < 90) {
			release(twins, random, tokens);
		}
		else if (roll < 94 && !tokens.isEmpty()) {
			twins.run(Scripts.CANCEL, tokens.get(tokens.size() - 1 - random.nextInt(Math.min(12, tokens.size()))));
		}
		else if (roll < 96) {
			twins.toggleInbox("i" + random.nextInt(4));
		}
		else if (roll < 99) {
			twins.forget();
		}
		else {
			twins.endLease();
		}
	}

	private static void release(ScriptTwins twins, Random random, List<String> tokens) {
		String[] word = twins.word().split("[|]");
		if (word.length < 3) {
			// Readers, a tombstone, or nothing.
			if (word[0].startsWith("~") && !tokens.isEmpty()) {
				twins.run(Scripts.RELEASE, tokens.get(random.nextInt(tokens.size())), "0");
			}
			return;
		}
		long first = Long.parseLong(word[2]);
		String used = switch (random.nextInt(12)) {
			case 0 -> "0";
			case 1 -> Long.toString(first + (twins.areWordsEqual() ? 1_000_000_000L : 0));
			case 2 -> Long.toString(first - 1);
			default -> Long.toString(first + random.nextInt(Math.min(3, Integer.parseInt(word[1]))));
		};
		String token = word[0].substring(1);
		if (random.nextInt(3) > 0) {
			twins.run(Scripts.RELEASE, token, used);
			return;
		}
		boolean queued = random.nextInt(8) == 0;
		String next = queued ? tokens.get(tokens.size() - 1 - random.nextInt(Math.min(12, tokens.size())))
				: newToken(random, tokens);
		if (!next.equals(token) && !isReader(next)) {
			twins.run(Scripts.RELEASE, token, used, next, lease(random), how(random, next));
		}
	}

	private static String newToken(Random random, List<String> tokens) {
		List<String> modes = List.of("", "", "", "", "", "", "F", "F", "F", "F", "W", "FW", "FR", "F02p");
		String token = "i" + random.nextInt(4) + ":" + modes.get(random.nextInt(modes.size())) + (tokens.size() + 1);
		tokens.add(token);
		return token;
	}

	private static String lease(Random random) {
		return List.of("30000", "30000", "30000", "5000", "9999", "3000", "100").get(random.nextInt(7));
	}

	/** A release does not queue tickets that poll. */
	private static String howToAttempt(Random random, String token) {
		String how = how(random, token);
		return (random.nextInt(16) > 0) ? how : List.of("P", "Q").get(random.nextInt(2)) + how.substring(1);
	}

	private static String how(Random random, String token) {
		String mark = (random.nextInt(16) > 1) ? "T" : random.nextBoolean() ? "S" : "N";
		String count = List.of("17", "17", "17", "1", "1001").get(random.nextInt(5));
		return isReader(token) ? mark : mark + count;
	}

	private static boolean isReader(String token) {
		return token.contains(":FR") || token.contains(":F0");
	}

	/**
	 * Two databases in which the same commands run by two versions of the scripts. Their
	 * clock, what is left of a lease, and the receivers of a message come from the test,
	 * so that both must have the same data and answers after each command.
	 */
	private static final class ScriptTwins implements AutoCloseable {

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
				this.differences
					.add("%s: %s%n%s%n%s: %s%n%s".formatted(List.of(args), first, one, "general", second, two));
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
				String digest = this.digests.computeIfAbsent(script, (any) -> (String) this.connection
					.ask("SCRIPT", "LOAD", STUBS + this.patch.apply(any.getScriptAsString())
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
			 * Nothing follows from a '+', and the longest member of a queue means
			 * nothing.
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

}
