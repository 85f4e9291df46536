package io.github.distlock.benchmarks.peers.redis;

import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

import io.github.distlock.benchmarks.contenders.Client;
import io.github.distlock.benchmarks.contenders.Contender;
import io.github.distlock.benchmarks.contenders.Contender.Ability;
import io.github.distlock.benchmarks.contenders.Locks;
import io.github.distlock.benchmarks.contenders.StoreAddress.Kind;
import io.github.distlock.benchmarks.contenders.TryingLocks;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;

import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * Those that only try: the provider of ShedLock, and the floor, the least that a correct
 * lock over Spring Data can do.
 */
public final class TryingRedisContenders {

	private static final String LEASE_MILLIS = "30000";

	private static final RedisScript<Long> TAKE = RedisScript
		.of("return redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) and 1 or 0", Long.class);

	private static final RedisScript<Long> GIVE = RedisScript
		.of("return redis.call('GET', KEYS[1]) == ARGV[1] and redis.call('DEL', KEYS[1]) or 0", Long.class);

	private static final Set<Kind> ONE_MASTER = EnumSet.of(Kind.REDIS, Kind.SECURED_REDIS, Kind.REPLICATED_REDIS);

	private TryingRedisContenders() {
	}

	/**
	 * Return the contenders.
	 * @return in the order of the tables
	 */
	public static List<Contender> all() {
		return List.of(
				new Contender("shedlock", "ShedLock RedisLockProvider, tries once", ONE_MASTER,
						EnumSet.of(Ability.CYCLES), TryingRedisContenders::shedLock),
				new Contender("floor", "two scripts (SET NX PX; DEL by the owner) through a bare StringRedisTemplate",
						ONE_MASTER, EnumSet.of(Ability.CYCLES), TryingRedisContenders::floor));
	}

	private static Locks shedLock(Client client) {
		RedisLockProvider provider = new RedisLockProvider(RedisConnections.of(client), "bench");
		Duration lease = Duration.ofMillis(Long.parseLong(LEASE_MILLIS));
		return (TryingLocks) (key) -> {
			SimpleLock lock = provider.lock(new LockConfiguration(Instant.now(), key, lease, Duration.ZERO))
				.orElse(null);
			return (lock != null) ? lock::unlock : null;
		};
	}

	private static Locks floor(Client client) {
		StringRedisTemplate template = new StringRedisTemplate(RedisConnections.of(client));
		String owner = UUID.randomUUID() + ":";
		AtomicLong count = new AtomicLong();
		return (TryingLocks) (key) -> {
			List<String> keys = List.of("floor:" + key);
			String token = owner + count.incrementAndGet();
			Long taken = template.execute(TAKE, keys, token, LEASE_MILLIS);
			return (taken != null && taken == 1) ? () -> template.execute(GIVE, keys, token) : null;
		};
	}

}
