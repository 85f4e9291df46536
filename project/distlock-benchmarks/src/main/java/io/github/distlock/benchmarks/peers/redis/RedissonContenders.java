package io.github.distlock.benchmarks.peers.redis;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import io.github.distlock.benchmarks.contenders.Client;
import io.github.distlock.benchmarks.contenders.Contender;
import io.github.distlock.benchmarks.contenders.Contender.Ability;
import io.github.distlock.benchmarks.contenders.Held;
import io.github.distlock.benchmarks.contenders.JdkLocks;
import io.github.distlock.benchmarks.contenders.Locks;
import io.github.distlock.benchmarks.contenders.StoreAddress.Kind;
import org.jspecify.annotations.Nullable;
import org.redisson.api.RLock;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RSemaphore;

/**
 * The locks of Redisson, with the settings that it comes with.
 */
public final class RedissonContenders {

	private static final long LEASE_MILLIS = 30_000;

	private static final int PERMITS = 5;

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
						EnumSet.of(Kind.REDLOCK), waits, (client) -> new JdkLocks(RedissonClients.redLocks(client))),
				// For the workloads of permits, which name them.
				new Contender("redisson-permits",
						"Redisson RPermitExpirableSemaphore with 5 permits, lease of 30 s, which nothing renews",
						ONE_MASTER, EnumSet.noneOf(Ability.class), RedissonContenders::expirablePermits),
				new Contender("redisson-semaphore",
						"Redisson RSemaphore with 5 permits, a counter without lease and order", ONE_MASTER,
						EnumSet.noneOf(Ability.class), RedissonContenders::permits));
	}

	private static Locks expirablePermits(Client client) {
		Set<String> known = ConcurrentHashMap.newKeySet();
		return new AcquiringLocks((key) -> {
			RPermitExpirableSemaphore semaphore = RedissonClients.of(client).getPermitExpirableSemaphore(key);
			if (known.add(key)) {
				semaphore.trySetPermits(PERMITS);
			}
			String permit = semaphore.acquire(LEASE_MILLIS, TimeUnit.MILLISECONDS);
			return () -> semaphore.release(permit);
		});
	}

	private static Locks permits(Client client) {
		Set<String> known = ConcurrentHashMap.newKeySet();
		return new AcquiringLocks((key) -> {
			RSemaphore semaphore = RedissonClients.of(client).getSemaphore(key);
			if (known.add(key)) {
				semaphore.trySetPermits(PERMITS);
			}
			semaphore.acquire();
			return semaphore::release;
		});
	}

	private interface Acquisition {

		Held acquire(String key) throws InterruptedException;

	}

	/** Waits only. */
	private record AcquiringLocks(Acquisition acquisition) implements Locks {

		@Override
		public Held lock(String key) throws InterruptedException {
			return this.acquisition.acquire(key);
		}

		@Override
		public @Nullable Held tryLock(String key, Duration wait) {
			throw new UnsupportedOperationException();
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
