package io.github.distlock.benchmarks.contenders;

import java.util.EnumSet;
import java.util.List;

import io.github.distlock.benchmarks.contenders.Contender.Ability;
import org.jspecify.annotations.Nullable;

import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/**
 * The registry of Spring Integration. It renews a lease only if it is given a scheduler.
 */
final class SpringIntegrationContenders {

	private SpringIntegrationContenders() {
	}

	static List<Contender> all() {
		EnumSet<Ability> waits = EnumSet.of(Ability.CYCLES, Ability.WAITS);
		return List.of(
				new Contender("spring-pubsub", "Spring Integration RedisLockRegistry, PUB_SUB_LOCK", waits,
						(client) -> new JdkLocks(registry(client, RedisLockType.PUB_SUB_LOCK)::obtain)),
				new Contender("spring-spin", "Spring Integration RedisLockRegistry, SPIN_LOCK", waits,
						(client) -> new JdkLocks(registry(client, RedisLockType.SPIN_LOCK)::obtain)),
				new Contender("spring-renewing",
						"Spring Integration RedisLockRegistry, PUB_SUB_LOCK, with a scheduler that renews",
						EnumSet.allOf(Ability.class), (client) -> new JdkLocks(renewing(client)::obtain)));
	}

	private static RedisLockRegistry registry(Client client, RedisLockType type) {
		return client.resource(Registry.class, "spring-" + type, () -> {
			RedisLockRegistry registry = new RedisLockRegistry(client.connections(), "spring");
			registry.setRedisLockType(type);
			return new Registry(registry, null);
		}).locks();
	}

	private static RedisLockRegistry renewing(Client client) {
		return client.resource(Registry.class, "spring-renewing", () -> {
			ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
			scheduler.setDaemon(true);
			scheduler.initialize();
			RedisLockRegistry registry = new RedisLockRegistry(client.connections(), "renewed", 30_000);
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
