package io.github.distlock.shapes;

import java.time.Duration;
import java.util.List;
import java.util.Objects;

import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.redis.RedisBackendSettings;
import io.github.distlock.backend.redis.RedisLockBackend;
import io.github.distlock.contract.LockStoreContract;
import io.github.distlock.contract.StoreUnderTest;
import io.github.distlock.testing.RedisClusterNodes;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The contract, on a Redis Cluster of three masters. The store of a single Redis has it
 * in each build, and {@link ClusterTests} what is different in a cluster.
 */
@Tag("full")
@EnabledIfSystemProperty(named = "distlock.full", matches = "true",
		disabledReason = "The contract on one more topology: -Ddistlock.full=true runs it")
class ClusterStoreTests extends LockStoreContract {

	@Override
	protected StoreUnderTest openStore() {
		return new ClusterStore();
	}

	private static final class ClusterStore implements StoreUnderTest {

		private final RedisClusterNodes cluster = RedisClusterNodes.start(0);

		private final LettuceConnectionFactory connections = this.cluster.connectionFactory();

		@Override
		public LockBackend newBackend(TimeSource clock) {
			return new RedisLockBackend(this.connections,
					new RedisBackendSettings("distlock:", Duration.ofSeconds(1), true, 17), clock);
		}

		@Override
		public void clear() {
			this.cluster.masters().forEach((master) -> master.ask("FLUSHALL"));
		}

		@Override
		public long items() {
			return this.cluster.masters()
				.stream()
				.mapToLong((master) -> ((List<?>) Objects.requireNonNull(master.ask("KEYS", "*"))).size())
				.sum();
		}

		@Override
		public Duration memory() {
			return Duration.ofSeconds(11);
		}

		@Override
		public void close() {
			this.connections.destroy();
			this.cluster.close();
		}

	}

}
