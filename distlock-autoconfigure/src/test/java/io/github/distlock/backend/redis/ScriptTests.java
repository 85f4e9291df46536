package io.github.distlock.backend.redis;

import java.util.List;

import io.github.distlock.testing.RedisTestServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The scripts themselves, on a real server.
 */
@SuppressWarnings({ "unchecked", "rawtypes" })
class ScriptTests {

	private static final List<String> KEYS = new RedisKeys("distlock:").lockAndQueue("k");

	private static RedisTestServer server;

	private static LettuceConnectionFactory connections;

	private static StringRedisTemplate template;

	@BeforeAll
	static void startServer() {
		server = RedisTestServer.start();
		connections = server.connectionFactory();
		template = new StringRedisTemplate(connections);
	}

	@AfterAll
	static void stopServer() {
		connections.destroy();
		server.close();
	}

	@BeforeEach
	void forget() {
		template.execute((RedisConnection connection) -> {
			connection.serverCommands().flushAll();
			return true;
		});
	}

	private static List<Long> attempt(String token, int tokens, String mark) {
		return run(Scripts.ATTEMPT, token, "30000", Integer.toString(tokens), mark);
	}

	private static List<Long> release(String token, long used) {
		return run(Scripts.RELEASE, token, Long.toString(used));
	}

	private static long lastToken() {
		String word = template.opsForValue().get(KEYS.get(0));
		return Long.parseLong(word.substring(word.indexOf('|') + 1));
	}

	private static List<Long> run(RedisScript<List> script, Object... args) {
		return (List<Long>) template.execute(script, KEYS, args);
	}

	private static List<String> queue() {
		return template.opsForList().range(KEYS.get(1), 0, -1);
	}

	@Test
	void aTicketIsQueuedOnceInWhicheverFormItAsks() {
		attempt("a:1", 1, "T");
		assertThat(attempt("b:1", 1, "T").get(1)).isZero();
		assertThat(attempt("c:1", 1, "S").get(1)).isEqualTo(1);
		for (String mark : List.of("T", "S", "S", "T", "T")) {
			assertThat(attempt("b:1", 1, mark).get(1)).isZero();
			assertThat(attempt("c:1", 1, mark).get(1)).isEqualTo(1);
		}
		assertThat(queue()).containsExactly("b:1|5000|1|T", "c:1|5000|1|T");
		assertThat(template.getExpire(KEYS.get(1))).isPositive();
	}

	@Test
	void aTicketThatHasNotBeenSeenForThreeSafetyIntervalsIsPassedOver() {
		attempt("a:1", 1, "T");
		attempt("gone:1", 1, "S");
		attempt("alive:1", 1, "S");
		template.opsForList().set(KEYS.get(1), 0, "gone:1|5000|1|" + (System.currentTimeMillis() - 8000));
		template.opsForList().set(KEYS.get(1), 1, "alive:1|5000|1|" + (System.currentTimeMillis() - 6000));
		release("a:1", 0);
		assertThat(template.opsForValue().get(KEYS.get(0))).startsWith("+alive:1|");
		assertThat(queue()).isEmpty();
	}

	@Test
	void anInstanceThatLetsAGrantPassLosesItsOtherPlaces() {
		attempt("a:1", 1, "T");
		attempt("paused:f1", 1, "S");
		attempt("paused:f2", 1, "S");
		attempt("alive:f1", 1, "S");
		attempt("paused:f3", 1, "S");
		release("a:1", 0);
		assertThat(template.opsForValue().get(KEYS.get(0))).startsWith("+paused:f1|");
		assertThat(attempt("late:1", 1, "S").subList(0, 2)).as("behind three").isEqualTo(List.of(2L, 3L));
		template.delete(KEYS.get(0));
		assertThat(attempt("late:1", 1, "S").subList(0, 2)).as("the first now").isEqualTo(List.of(2L, 0L));
		assertThat(template.opsForValue().get(KEYS.get(0))).startsWith("+alive:f1|");
		assertThat(attempt("paused:f3", 1, "S").get(4)).as("queued only now").isEqualTo(1);
	}

	@Test
	void anInstanceThatReleasesInTimeKeepsItsOtherPlaces() {
		attempt("a:1", 1, "T");
		attempt("b:f1", 1, "S");
		attempt("b:f2", 1, "S");
		release("a:1", 0);
		release("b:f1", 0);
		assertThat(template.opsForValue().get(KEYS.get(0))).startsWith("+b:f2|");
		assertThat(queue()).isEmpty();
		release("b:f2", 0);
		assertThat(template.opsForValue().get(KEYS.get(0))).startsWith("|");
	}

	@Test
	void aTicketWhosePublishIsCountedByNobodyIsPassedOver() {
		attempt("a:1", 1, "T");
		attempt("dead:1", 1, "T");
		List<Long> granted = attempt("dead:2", 1, "T");
		assertThat(granted.get(0)).isEqualTo(2);
		release("a:1", 0);
		assertThat(template.opsForValue().get(KEYS.get(0))).startsWith("|");
		assertThat(attempt("b:1", 1, "T").get(0)).isEqualTo(1);
	}

	@Test
	void aGrantCoversABlockOfTokensAndWhatIsNotUsedIsGivenBack() {
		List<Long> first = attempt("a:1", 17, "T");
		assertThat(lastToken() - first.get(1)).isEqualTo(16);
		assertThat(attempt("a:1", 17, "T").subList(0, 2)).isEqualTo(first);
		release("a:1", first.get(1) + 2);
		assertThat(template.opsForValue().get(KEYS.get(0))).isEqualTo("|" + (first.get(1) + 2));
		assertThat(attempt("b:1", 17, "T").get(1)).isGreaterThan(first.get(1) + 2);
	}

	@Test
	void whoWaitsIsSeenByTheReleaseThoughTheLockWasFreeOfWaiters() {
		attempt("a:1", 1, "T");
		assertThat(template.opsForValue().get(KEYS.get(0))).startsWith("-a:1|");
		assertThat(attempt("b:1", 1, "S").get(0)).isEqualTo(2);
		assertThat(template.opsForValue().get(KEYS.get(0))).startsWith("+a:1|");
		assertThat(template.getExpire(KEYS.get(0))).isPositive();
		release("a:1", lastToken());
		assertThat(template.opsForValue().get(KEYS.get(0))).startsWith("+b:1|");
		release("b:1", lastToken());
		assertThat(template.opsForValue().get(KEYS.get(0))).startsWith("|");
	}

	@Test
	void aServerWithoutMemoryLetsALockBeAcquiredAndReleased() {
		attempt("a:1", 1, "T");
		maxMemory("1");
		try {
			assertThat(release("a:1", lastToken())).isEqualTo(List.of(1L));
			assertThat(attempt("b:1", 1, "T").get(0)).isEqualTo(1);
			assertThat(release("b:1", lastToken())).isEqualTo(List.of(1L));
			template.delete(KEYS.get(0));
			assertThat(attempt("c:1", 1, "T").get(0)).isEqualTo(1);
		}
		finally {
			maxMemory("0");
		}
	}

	private static void maxMemory(String bytes) {
		template.execute((RedisConnection connection) -> {
			connection.serverCommands().setConfig("maxmemory", bytes);
			return true;
		});
	}

	@Test
	void tokensAheadOfTheClockAreRememberedUntilItHasPassedThem() {
		long ahead = System.currentTimeMillis() * 1000 + 60_000_000L;
		template.opsForValue().set(KEYS.get(0), "+a:1|" + ahead);
		release("a:1", ahead);
		assertThat(template.getExpire(KEYS.get(0))).isBetween(60L, 72L);
		assertThat(attempt("b:1", 1, "T").get(1)).isEqualTo(ahead + 1);
	}

	@Test
	void aRenewalNamesTheGrantAndLiftsNoOther() {
		long token = attempt("a:1", 1, "T").get(1);
		List<String> lock = KEYS.subList(0, 1);
		assertThat(template.execute(Scripts.RENEW, lock, "a:1", Long.toString(token), "90000")).isEqualTo(List.of(1L));
		assertThat(template.getExpire(lock.get(0))).isGreaterThan(80);
		assertThat(template.execute(Scripts.RENEW, lock, "a:1", Long.toString(token - 1), "300000"))
			.isEqualTo(List.of(0L));
		assertThat(template.execute(Scripts.RENEW, lock, "b:1", Long.toString(token), "300000")).isEqualTo(List.of(0L));
		assertThat(template.getExpire(lock.get(0))).isLessThanOrEqualTo(90);
	}

}
