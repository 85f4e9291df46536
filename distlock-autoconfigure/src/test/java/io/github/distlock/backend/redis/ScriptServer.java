package io.github.distlock.backend.redis;

import java.util.List;

import org.junit.jupiter.api.BeforeEach;

/**
 * A real server for tests of scripts; each test begins without data.
 */
abstract class ScriptServer extends OnRedis {

	static final List<String> KEYS = new RedisKeys("distlock:").lockQueueAndReaders("k");

	static final String LOCK = KEYS.get(0);

	@BeforeEach
	void forget() {
		server.process().ask("FLUSHALL");
	}

	/** Zero removes the limit. */
	static void maxMemory(String bytes) {
		server.process().ask("CONFIG", "SET", "maxmemory", bytes);
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

}
