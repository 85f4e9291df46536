package io.github.distlock.registry;

import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import io.github.distlock.LockRequest;
import io.github.distlock.testing.RecordedEvents;
import io.github.distlock.testing.RedisNodes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/**
 * A real Redis server and two registries, which stand for two JVMs.
 */
abstract class TwoRegistries {

	static RedisNodes redis;

	final RecordedEvents events = new RecordedEvents();

	/** The registry whose events are recorded. */
	BackendLockRegistry one;

	BackendLockRegistry two;

	ExecutorService threads;

	@BeforeAll
	static void startRedis() {
		redis = RedisNodes.start();
	}

	@AfterAll
	static void stopRedis() {
		redis.close();
	}

	@BeforeEach
	void setUp() {
		redis.flush();
		this.one = redis.node(this.events);
		this.two = redis.node();
		this.threads = Executors.newCachedThreadPool();
	}

	@AfterEach
	void tearDown() {
		this.threads.shutdownNow();
		redis.stopNodes();
	}

	static LockRequest request(String key) {
		return LockRequest.of(key).waitTime(Duration.ofSeconds(20));
	}

}
