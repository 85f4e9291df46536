package io.github.distlock.registry;

import java.time.Duration;
import java.util.List;

import io.github.distlock.backend.TimeSource;
import io.github.distlock.testing.RedisNodes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A registry over two stores, each a real server of its own.
 */
abstract class TwoServers {

	static final String KEY = "order-1";

	static RedisNodes firstServer;

	static RedisNodes secondServer;

	final RecordedEvents firstEvents = new RecordedEvents();

	final RecordedEvents secondEvents = new RecordedEvents();

	BackendLockRegistry first;

	BackendLockRegistry second;

	CompositeLockRegistry both;

	@BeforeAll
	static void startServers() {
		firstServer = RedisNodes.start();
		secondServer = RedisNodes.start();
	}

	@AfterAll
	static void stopServers() {
		firstServer.close();
		secondServer.close();
	}

	@BeforeEach
	void startNodes() {
		firstServer.flush();
		secondServer.flush();
		this.first = firstServer.node(RedisNodes.settings(Duration.ofMillis(900)), List.of(this.firstEvents));
		this.second = secondServer.node(RedisNodes.settings(Duration.ofMillis(900)), List.of(this.secondEvents));
		this.both = new CompositeLockRegistry(this.first, this.second, Duration.ofSeconds(5), TimeSource.SYSTEM);
	}

	@AfterEach
	void stopNodes() {
		firstServer.stopNodes();
		secondServer.stopNodes();
	}

	static void assertLocked(boolean inTheFirst, boolean inTheSecond) {
		assertThat(firstServer.isLocked(KEY)).isEqualTo(inTheFirst);
		assertThat(secondServer.isLocked(KEY)).isEqualTo(inTheSecond);
	}

}
