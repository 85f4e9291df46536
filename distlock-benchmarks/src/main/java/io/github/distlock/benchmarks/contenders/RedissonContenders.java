package io.github.distlock.benchmarks.contenders;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import io.github.distlock.benchmarks.contenders.Contender.Ability;
import org.jspecify.annotations.Nullable;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/**
 * The locks of Redisson, with the settings that it comes with.
 */
final class RedissonContenders {

	private static final long LEASE_MILLIS = 30_000;

	private RedissonContenders() {
	}

	static List<Contender> all() {
		EnumSet<Ability> waits = EnumSet.of(Ability.CYCLES, Ability.WAITS);
		return List.of(
				new Contender("redisson", "Redisson RLock, lease kept by the watchdog", EnumSet.allOf(Ability.class),
						(client) -> new JdkLocks(redisson(client)::getLock)),
				new Contender("redisson-lease", "Redisson RLock, explicit lease of 30 s", waits,
						(client) -> new LeasedLocks(redisson(client)::getLock)),
				new Contender("redisson-fair", "Redisson getFairLock", waits,
						(client) -> new JdkLocks(redisson(client)::getFairLock)),
				new Contender("redisson-spin", "Redisson getSpinLock", waits,
						(client) -> new JdkLocks(redisson(client)::getSpinLock)));
	}

	private static RedissonClient redisson(Client client) {
		return client.resource(Connected.class, "redisson", () -> {
			Config config = new Config();
			config.useSingleServer().setAddress("redis://" + client.redis());
			return new Connected(Redisson.create(config));
		}).redisson();
	}

	private record Connected(RedissonClient redisson) implements AutoCloseable {

		@Override
		public void close() {
			this.redisson.shutdown(0, 5, TimeUnit.SECONDS);
		}

	}

	private record LeasedLocks(Function<String, RLock> views) implements Locks {

		@Override
		public Held lock(String key) {
			RLock lock = this.views.apply(key);
			lock.lock(LEASE_MILLIS, TimeUnit.MILLISECONDS);
			return lock::unlock;
		}

		@Override
		public @Nullable Held tryLock(String key, Duration wait) throws InterruptedException {
			RLock lock = this.views.apply(key);
			return lock.tryLock(wait.toMillis(), LEASE_MILLIS, TimeUnit.MILLISECONDS) ? lock::unlock : null;
		}

	}

}
