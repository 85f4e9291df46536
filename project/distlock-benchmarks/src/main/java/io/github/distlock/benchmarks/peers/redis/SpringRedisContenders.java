package io.github.distlock.benchmarks.peers.redis;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import io.github.distlock.benchmarks.contenders.Client;
import io.github.distlock.benchmarks.contenders.Contender;
import io.github.distlock.benchmarks.contenders.Contender.Ability;
import io.github.distlock.benchmarks.contenders.JdkLocks;
import io.github.distlock.benchmarks.contenders.StoreAddress.Kind;
import org.jspecify.annotations.Nullable;

import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/**
 * The registry of Spring Integration. It renews a lease only if it is given a scheduler.
 */
public final class SpringRedisContenders {

	private static final Set<Kind> ONE_MASTER = EnumSet.of(Kind.REDIS, Kind.SECURED_REDIS, Kind.REPLICATED_REDIS);

	private SpringRedisContenders() {
	}

	/**
	 * Return the contenders.
	 * @return in the order of the tables
	 */
	public static List<Contender> all() {
		EnumSet<Ability> waits = EnumSet.of(Ability.CYCLES, Ability.WAITS);
		return List.of(
				new Contender("spring-pubsub", "Spring Integration RedisLockRegistry, PUB_SUB_LOCK", ONE_MASTER, waits,
						(client) -> new JdkLocks(registry(client, RedisLockType.PUB_SUB_LOCK)::obtain)),
				new Contender("spring-spin", "Spring Integration RedisLockRegistry, SPIN_LOCK", ONE_MASTER, waits,
						(client) -> new JdkLocks(registry(client, RedisLockType.SPIN_LOCK)::obtain)),
				new Contender("spring-renewing",
						"Spring Integration RedisLockRegistry, PUB_SUB_LOCK, with a scheduler that renews", ONE_MASTER,
						EnumSet.allOf(Ability.class), (client) -> new JdkLocks(renewing(client)::obtain)));
	}

	private static RedisLockRegistry registry(Client client, RedisLockType type) {
		return client.resource(Registry.class, "spring-" + type, () -> {
			RedisLockRegistry registry = new RedisLockRegistry(RedisConnections.of(client), "spring");
			registry.setRedisLockType(type);
			return new Registry(registry, null);
		}).locks();
	}

	private static RedisLockRegistry renewing(Client client) {
		return client.resource(Registry.class, "spring-renewing", () -> {
			ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
			scheduler.setDaemon(true);
			scheduler.initialize();
			RedisLockRegistry registry = new RedisLockRegistry(RedisConnections.of(client), "renewed", 30_000);
			registry.setRedisLockType(RedisLockType.PUB_SUB_LOCK);
			registry.setRenewalTaskScheduler(scheduler);
			return new Registry(registry, scheduler);
		}).locks();
	}

	private record Registry(RedisLockRegistry locks,
			@Nullable ThreadPoolTaskScheduler scheduler) implements AutoCloseable {

		@Override
		public void close() {
			this.locks.destroy();
			if (this.scheduler != null) {
				this.scheduler.shutdown();
			}
		}

	}

}
