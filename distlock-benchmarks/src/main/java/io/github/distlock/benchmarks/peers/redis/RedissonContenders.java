package io.github.distlock.benchmarks.peers.redis;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import io.github.distlock.benchmarks.contenders.Contender;
import io.github.distlock.benchmarks.contenders.Contender.Ability;
import io.github.distlock.benchmarks.contenders.Held;
import io.github.distlock.benchmarks.contenders.JdkLocks;
import io.github.distlock.benchmarks.contenders.Locks;
import io.github.distlock.benchmarks.contenders.StoreAddress.Kind;
import org.jspecify.annotations.Nullable;
import org.redisson.api.RLock;

/**
 * The locks of Redisson, with the settings that it comes with.
 */
public final class RedissonContenders {

	private static final long LEASE_MILLIS = 30_000;

	private static final Set<Kind> ONE_MASTER = EnumSet.of(Kind.REDIS, Kind.SECURED_REDIS, Kind.REPLICATED_REDIS);

	private RedissonContenders() {
	}

	/**
	 * Return the contenders.
	 * @return in the order of the tables
	 */
	public static List<Contender> all() {
		EnumSet<Ability> waits = EnumSet.of(Ability.CYCLES, Ability.WAITS);
		return List.of(
				new Contender("redisson", "Redisson RLock, lease kept by the watchdog", ONE_MASTER,
						EnumSet.allOf(Ability.class), (client) -> new JdkLocks(RedissonClients.of(client)::getLock)),
				new Contender("redisson-lease", "Redisson RLock, explicit lease of 30 s", ONE_MASTER, waits,
						(client) -> new LeasedLocks(RedissonClients.of(client)::getLock)),
				new Contender("redisson-fair", "Redisson getFairLock", ONE_MASTER, waits,
						(client) -> new JdkLocks(RedissonClients.of(client)::getFairLock)),
				new Contender("redisson-spin", "Redisson getSpinLock", ONE_MASTER, waits,
						(client) -> new JdkLocks(RedissonClients.of(client)::getSpinLock)),
				new Contender("redisson-multi", "Redisson RedissonMultiLock: all masters must grant the lock",
						EnumSet.of(Kind.REDLOCK), waits, (client) -> new JdkLocks(RedissonClients.multiLocks(client))),
				new Contender("redisson-redlock", "Redisson RedissonRedLock: a majority must grant the lock",
						EnumSet.of(Kind.REDLOCK), waits, (client) -> new JdkLocks(RedissonClients.redLocks(client))));
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
