package io.github.distlock.backend.redis;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.github.distlock.LockInstance;
import io.github.distlock.LockMode;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.installed.Installed;
import io.github.distlock.testing.NoSignals;
import io.github.distlock.testing.RedisProcess;
import io.github.distlock.testing.RedisTestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The Valkey of this machine, and two stores, which stand for the JVMs {@code a} and
 * {@code b}.
 */
@Tag(Installed.TAG)
abstract class TwoStoresOnValkey {

	static final String LOCK = new RedisKeys("distlock:").lock("k");

	static final Duration LEASE = Duration.ofSeconds(30);

	RedisProcess server;

	LettuceConnectionFactory connections;

	LockStore store;

	LockStore other;

	private int numbers;

	@BeforeEach
	void open() {
		start(RedisProcess.start(Installed.VALKEY_SERVER.assume(), RedisTestServer.freePort(), List.of()));
	}

	void start(RedisProcess started) {
		this.server = started;
		this.connections = RedisTestServer.connectionFactory(started.port());
		this.store = open("a");
		this.other = open("b");
	}

	LockStore open(String instance) {
		return open(this.connections, instance);
	}

	static LockStore open(RedisConnectionFactory connections, String instance) {
		return new RedisLockBackend(connections, new RedisBackendSettings("distlock:", Duration.ofSeconds(1), true, 17),
				TimeSource.SYSTEM)
			.open(new StoreContext(LockInstance.of(instance), new NoSignals()));
	}

	@AfterEach
	void close() {
		if (this.server != null) {
			Stream.of(this.store, this.other).forEach(LockStore::close);
			this.connections.destroy();
			this.server.close();
		}
	}

	/** Connections of Jedis, to be destroyed by the test. */
	JedisConnectionFactory jedis() {
		JedisConnectionFactory jedis = new JedisConnectionFactory(
				new RedisStandaloneConfiguration("127.0.0.1", this.server.port()));
		jedis.afterPropertiesSet();
		jedis.start();
		return jedis;
	}

	Ticket ticket(String instance) {
		return ticket(instance, LockMode.EXCLUSIVE);
	}

	Ticket ticket(String instance, LockMode mode) {
		return new Ticket("k", mode, instance, ++this.numbers, false);
	}

	Ticket permit(String instance, int permits) {
		return new Ticket("k", LockMode.READ, instance, ++this.numbers, true, permits);
	}

	String word() {
		return (String) this.server.ask("GET", LOCK);
	}

	/** How often the server has run a script. */
	long scripts() {
		return this.server.calls("evalsha") + this.server.calls("eval");
	}

}
