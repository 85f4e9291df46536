package io.github.distlock.backend.redis;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Properties;
import java.util.function.Supplier;

import io.github.distlock.testing.RespConnection;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.core.script.DefaultRedisScript;
import org.springframework.data.redis.core.script.RedisScript;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The work of a script does not grow with the number of waiting tickets.
 */
class QueueCostTests extends ScriptServer {

	/** Adds up the sizes of all answers to commands of a script. */
	private static final String COUNTING = """
			local function counted(...)
			  local answer = redis.call(...)
			  redis.call('INCRBY', 'touched', (type(answer) == 'table') and #answer + 1 or 1)
			  return answer
			end
			""";

	private static final RedisScript<String> ATTEMPT = counting(Scripts.ATTEMPT);

	private static final RedisScript<String> CANCEL = counting(Scripts.CANCEL);

	private static RedisScript<String> counting(RedisScript<String> script) {
		String text = script.getScriptAsString().replace("redis.call(", "counted(");
		return new DefaultRedisScript<>(COUNTING + text, String.class);
	}

	@ParameterizedTest
	@ValueSource(strings = { "FR", "F" })
	void anAttemptAndACancelReadAsMuchWithTwentyQueuedTicketsAsWithTwoThousand(String letters) {
		assertThat(touched(letters, 2000)).isEqualTo(touched(letters, 20));
		for (String command : List.of("lrange", "lpos", "lrem", "lset")) {
			assertThat(server.process().calls(command)).as(command + " looks at all tickets").isZero();
		}
	}

	/** By a new ticket, by one that asks again, and by one that gives up. */
	private static List<Long> touched(String letters, int waiting) {
		template.delete(KEYS);
		attempt("w:W1", 30_000, "S");
		for (int i = 0; i < waiting; i++) {
			attempt(letters, i);
		}
		List<Long> touched = new ArrayList<>();
		touched.add(touched(ATTEMPT, letters, waiting));
		touched.add(touched(ATTEMPT, letters, waiting / 2));
		touched.add(touched(CANCEL, letters, waiting / 2));
		return touched;
	}

	private static void attempt(String letters, int i) {
		template.execute(Scripts.ATTEMPT, KEYS, token(letters, i), "30000", how(letters));
	}

	private static String token(String letters, int i) {
		return "jvm" + i % 20 + ":" + letters + i;
	}

	private static String how(String letters) {
		return letters.equals("FR") ? "S" : "S17";
	}

	private static long touched(RedisScript<String> script, String letters, int i) {
		template.delete("touched");
		template.execute(script, KEYS, token(letters, i), "30000", how(letters));
		return Long.parseLong(template.opsForValue().get("touched"));
	}

	/** The server counts the inbox, so the tickets are counted, too. */
	@ParameterizedTest
	@ValueSource(ints = { 2, 20, 200, 2000 })
	void aHandOffBetweenJvmsAndTheNextRequestRunThirteenCommandsHoweverManyWait(int waiting) {
		try (RespConnection inbox = new RespConnection(server.port())) {
			inbox.ask("SUBSCRIBE", "distlock:inbox:jvm");
			long first = attempt("w:1", 30_000, "T").numbers()[0];
			for (int i = 1; i <= waiting; i++) {
				attempt("jvm:" + i, 30_000, "T");
			}
			assertThat(commandsOf(() -> release("w:1", first))).containsExactlyInAnyOrder("get", "time", "zrange",
					"zscore", "zrem", "psetex", "publish");
			assertThat(commandsOf(() -> attempt("w:2", 30_000, "T"))).containsExactlyInAnyOrder("get", "time",
					"zrevrangebyscore", "zadd", "pexpire", "pttl");
			long second = token();
			assertThat(commandsOf(() -> release("jvm:1", second, "jvm:x", "30000", "T1"))).containsExactlyInAnyOrder(
					"get", "time", "zrange", "zscore", "zrem", "psetex", "publish", "zrevrangebyscore", "zadd",
					"pexpire");
			assertThat(queue()).hasSize(waiting).endsWith("w:2", "jvm:x");
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 2, 20, 200, 2000 })
	void aHandOffToAFairCallerRunsNineCommandsHoweverManyWait(int waiting) {
		try (RespConnection inbox = new RespConnection(server.port())) {
			inbox.ask("SUBSCRIBE", "distlock:inbox:jvm");
			attempt("w:F1", 30_000, "T");
			for (int i = 1; i <= waiting + 1; i++) {
				attempt("jvm:F" + i, 30_000, "T");
			}
			release("w:F1", token());
			long first = token();
			assertThat(commandsOf(() -> release("jvm:F1", first))).containsExactlyInAnyOrder("get", "time", "zrange",
					"zrange", "zscore", "zrem", "psetex", "publish", "zadd");
			assertThat(queue()).hasSize(waiting).startsWith("!jvm", "jvm:F3");
		}
	}

	/** The commands that a script runs, each as often as it runs. */
	private static List<String> commandsOf(Supplier<Reply> script) {
		reset();
		assertThat(script.get().kind()).isIn("ok", Reply.WAITING);
		Properties stats = template
			.execute((RedisConnection connection) -> connection.serverCommands().info("commandstats"));
		return stats.stringPropertyNames()
			.stream()
			.filter((name) -> !name.matches("cmdstat_(evalsha|info|config.*)"))
			.flatMap((name) -> Collections
				.nCopies(Integer.parseInt(stats.getProperty(name).replaceAll("calls=(\\d+),.*", "$1")),
						name.substring("cmdstat_".length()))
				.stream())
			.toList();
	}

	private static void reset() {
		template.execute((RedisConnection connection) -> {
			connection.serverCommands().resetConfigStats();
			return true;
		});
	}

	@Test
	void readersEnterInPortionsOfFifty() {
		attempt("w:W1", 30_000, "S");
		for (int i = 0; i < 120; i++) {
			attempt("FR", i);
		}
		attempt("v:W1", 30_000, "S");
		assertThat(release("w:W1", 0).admitsMore()).isTrue();
		assertThat(readers()).hasSize(50);
		assertThat(attempt("x:W1", 30_000, "N").kind()).isEqualTo(Reply.BUSY);
		assertThat(admit().admitsMore()).isTrue();
		assertThat(admit().admitsMore()).isFalse();
		assertThat(readers()).hasSize(120);
		assertThat(admit().admitsMore()).as("sent twice").isFalse();
		assertThat(queue()).containsExactly("v:W1");
	}

	@Test
	void readersThatWereNotLetInEnterWhenTheyAttemptAgain() {
		attempt("w:W1", 30_000, "S");
		for (int i = 0; i < 120; i++) {
			attempt("FR", i);
		}
		release("w:W1", 0);
		Reply again = attempt(token("FR", 119), 30_000, "S");
		assertThat(again.kind()).isEqualTo(Reply.WAITING);
		assertThat(again.admitsMore()).isTrue();
		assertThat(attempt(token("FR", 119), 30_000, "S").kind()).isEqualTo(Reply.GRANTED);
	}

	private static Reply admit() {
		return Reply.parse(template.execute(Scripts.ADMIT, KEYS));
	}

}
