package io.github.distlock.backend.redis;

import java.util.List;

import io.github.distlock.installed.Installed;
import io.github.distlock.testing.RedisLocales;
import io.github.distlock.testing.RedisProcess;
import io.github.distlock.testing.RedisTestServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Comparisons in scripts do not depend on the locale of the server.
 */
@Tag(Installed.TAG)
class CollatingScriptTests {

	private static final List<String> KEYS = new RedisKeys("distlock:").lockQueueAndReaders("k");

	private static RedisProcess server;

	private static LettuceConnectionFactory connections;

	private static StringRedisTemplate template;

	@BeforeAll
	static void startServer() {
		server = RedisLocales.start(RedisLocales.COLLATING);
		connections = RedisTestServer.connectionFactory(server.port());
		template = new StringRedisTemplate(connections);
	}

	@AfterAll
	static void stopServer() {
		if (server != null) {
			connections.destroy();
			server.close();
		}
	}

	@BeforeEach
	void clear() {
		template.delete(KEYS);
	}

	@Test
	void aReaderKeepsAWriterOut() {
		attempt("a:FR1", "N");
		assertThat(attempt("w:W1", "N1").kind()).isEqualTo(Reply.BUSY);
	}

	@Test
	void aReaderKeepsAnExclusiveCallerOut() {
		attempt("a:FR1", "N");
		String answer = template.execute(Scripts.ATTEMPT, KEYS.subList(0, 2), "x:1", "30000", "N17");
		assertThat(Reply.parse(answer).kind()).isEqualTo(Reply.BUSY);
	}

	@Test
	void aSecondReaderLeavesTheFirstInPlace() {
		long first = attempt("a:FR1", "N").numbers()[0];
		long second = attempt("b:FR1", "N").numbers()[0];
		assertThat(template.opsForZSet().range(KEYS.get(2), 0, 1)).containsExactlyInAnyOrder("a:FR1", "b:FR1");
		assertThat(template.execute(Scripts.RELEASE, KEYS, "a:FR1", Long.toString(first))).isEqualTo("ok");
		assertThat(template.execute(Scripts.RELEASE, KEYS, "b:FR1", Long.toString(second))).isEqualTo("ok");
	}

	@Test
	void aTombstoneIsStillFree() {
		long first = attempt("w:W1", "N1").numbers()[0];
		template.execute(Scripts.RELEASE, KEYS, "w:W1", Long.toString(first));
		assertThat(template.opsForValue().get(KEYS.get(0))).startsWith("|");
		assertThat(attempt("w:W2", "N1").numbers()).as("granted by the short way").hasSize(1);
	}

	private static Reply attempt(String token, String how) {
		return Reply.parse(template.execute(Scripts.ATTEMPT, KEYS, token, "30000", how));
	}

}
