package io.github.distlock.backend.redis;

import java.util.ArrayList;
import java.util.List;

import io.github.distlock.backend.redis.ScriptExecutor.Reply;
import io.github.distlock.testing.RedisTestServer;
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
class QueueCostTests extends ReaderScripts {

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
			assertThat(calls(command)).as(command + " looks at all tickets").isZero();
		}
	}

	/** By a new ticket, by one that asks again, and by one that gives up. */
	private static List<Long> touched(String letters, int waiting) {
		template.delete(KEYS);
		attempt("w:W1");
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

	private static long calls(String command) {
		return template.execute((RedisConnection connection) -> RedisTestServer.calls(connection, command));
	}

	@Test
	void readersEnterInPortionsOfFifty() {
		attempt("w:W1");
		for (int i = 0; i < 120; i++) {
			attempt("FR", i);
		}
		attempt("v:W1");
		assertThat(release("w:W1", 0).admitsMore()).isTrue();
		assertThat(readers()).hasSize(50);
		assertThat(attempt("x:W1", 30_000, "N").word()).isEqualTo(Reply.BUSY);
		assertThat(admit().admitsMore()).isTrue();
		assertThat(admit().admitsMore()).isFalse();
		assertThat(readers()).hasSize(120);
		assertThat(admit().admitsMore()).as("sent twice").isFalse();
		assertThat(queue()).containsExactly("v:W1");
	}

	@Test
	void readersThatWereNotLetInEnterWhenTheyAttemptAgain() {
		attempt("w:W1");
		for (int i = 0; i < 120; i++) {
			attempt("FR", i);
		}
		release("w:W1", 0);
		Reply again = attempt(token("FR", 119), 30_000, "S");
		assertThat(again.word()).isEqualTo(Reply.WAITING);
		assertThat(again.admitsMore()).isTrue();
		assertThat(attempt(token("FR", 119), 30_000, "S").word()).isEqualTo(Reply.GRANTED);
	}

	private static Reply admit() {
		return Reply.parse(template.execute(Scripts.ADMIT, KEYS));
	}

}
