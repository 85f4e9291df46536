package io.github.distlock.backend.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

import org.junit.jupiter.api.BeforeEach;

/**
 * A real server for tests of scripts, and the scripts as readers and writers of one key
 * call them; each test begins without data.
 */
abstract class ScriptServer extends OnRedis {

	static final List<String> KEYS = new RedisKeys("distlock:").lockQueueAndReaders("k");

	static final String LOCK = KEYS.get(0);

	static final String READERS = KEYS.get(2);

	@BeforeEach
	void forget() {
		server.process().ask("FLUSHALL");
	}

	/** Let a test run while the server has no memory for new keys. */
	static void withoutMemory(Runnable test) {
		server.process().ask("CONFIG", "SET", "maxmemory", "1");
		try {
			test.run();
		}
		finally {
			server.process().ask("CONFIG", "SET", "maxmemory", "0");
		}
	}

	static String word() {
		return template.opsForValue().get(LOCK);
	}

	/** The last number of the word: the first token of a grant, or the last one given. */
	static long token() {
		return Long.parseLong(word().substring(word().lastIndexOf('|') + 1));
	}

	static QueueKey queueKey() {
		return new QueueKey(template, KEYS.get(1));
	}

	/** Readers have an R before the number of their token, or a limit. */
	static Reply attempt(String token, int lease, String mark) {
		String how = token.contains(":FR") || token.contains(":F0") ? mark : mark + 1;
		return Reply.parse(template.execute(Scripts.ATTEMPT, KEYS, token, Integer.toString(lease), how));
	}

	static Reply attempt(String token) {
		return attempt(token, 30_000, "S");
	}

	static Reply release(String token, long used, Object... next) {
		List<Object> args = new ArrayList<>(List.of(token, Long.toString(used)));
		args.addAll(List.of(next));
		return Reply.parse(template.execute(Scripts.RELEASE, KEYS, args.toArray()));
	}

	static String cancel(String token) {
		return template.execute(Scripts.CANCEL, KEYS, token);
	}

	static long renew(String token, long first, int lease) {
		return Long.parseLong(template.execute(Scripts.READ_RENEW, List.of(LOCK, READERS), token, Long.toString(first),
				Integer.toString(lease)));
	}

	static long ttl() {
		return template.getExpire(LOCK, TimeUnit.MILLISECONDS);
	}

	/** The readers that hold the lock, in the order in which their leases end. */
	static List<String> readers() {
		String word = word();
		if (word == null || !word.startsWith("~")) {
			return Pattern.compile("[-+](.*:F[R0].*?)[|].*")
				.matcher((word != null) ? word : "")
				.results()
				.map((owner) -> owner.group(1))
				.toList();
		}
		Set<String> names = template.opsForZSet().rangeByScore(READERS, 0, 1e14);
		return List.copyOf(names);
	}

	static List<String> queue() {
		return queueKey().tokens();
	}

	static long published() {
		return server.process().calls("publish");
	}

}
