package io.github.distlock.benchmarks.peers.redis;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import com.baomidou.lock.LockInfo;
import com.baomidou.lock.LockTemplate;
import com.baomidou.lock.executor.RedisTemplateLockExecutor;
import com.baomidou.lock.spring.boot.autoconfigure.Lock4jProperties;
import io.github.distlock.benchmarks.contenders.Client;
import io.github.distlock.benchmarks.contenders.Contender;
import io.github.distlock.benchmarks.contenders.Contender.Ability;
import io.github.distlock.benchmarks.contenders.Held;
import io.github.distlock.benchmarks.contenders.Locks;
import io.github.distlock.benchmarks.contenders.StoreAddress.Kind;
import io.github.distlock.benchmarks.contenders.UnavailableException;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * The template of lock4j. Its watchdog is a timer with a thread of its own for each lock,
 * so that variant is measured where locks are held and nowhere else.
 */
public final class Lock4jContenders {

	private static final long LEASE_MILLIS = 30_000;

	private static final long RENEWED = -1;

	/** It knows no endless wait. */
	private static final Duration LONG = Duration.ofMinutes(10);

	private static final Set<Kind> ONE_MASTER = EnumSet.of(Kind.REDIS, Kind.SECURED_REDIS, Kind.REPLICATED_REDIS);

	private Lock4jContenders() {
	}

	/**
	 * Return the contenders.
	 * @return in the order of the tables
	 */
	public static List<Contender> all() {
		return List.of(
				new Contender("lock4j", "lock4j LockTemplate over StringRedisTemplate, lease of 30 s", ONE_MASTER,
						EnumSet.of(Ability.CYCLES, Ability.WAITS), (client) -> open(client, LEASE_MILLIS)),
				new Contender("lock4j-watchdog", "lock4j LockTemplate over StringRedisTemplate, lease renewed",
						ONE_MASTER, EnumSet.of(Ability.RENEWS), (client) -> open(client, RENEWED)));
	}

	private static Locks open(Client client, long lease) {
		Lock4jProperties properties = new Lock4jProperties();
		LockTemplate template = new LockTemplate();
		template.setProperties(properties);
		template.setExecutors(List
			.of(new RedisTemplateLockExecutor(new StringRedisTemplate(RedisConnections.of(client)), properties)));
		try {
			template.afterPropertiesSet();
		}
		catch (Exception ex) {
			throw new UnavailableException(ex.toString());
		}
		return new TemplateLocks(template, lease);
	}

	private record TemplateLocks(LockTemplate template, long lease) implements Locks {

		@Override
		public Held lock(String key) {
			Held held = tryLock(key, LONG);
			if (held == null) {
				throw new IllegalStateException("lock4j did not get '" + key + "' within " + LONG);
			}
			return held;
		}

		@Override
		public @Nullable Held tryLock(String key, Duration wait) {
			LockInfo info = this.template.lock("lock4j:" + key, this.lease, wait.toMillis());
			return (info != null) ? () -> this.template.releaseLock(info) : null;
		}

	}

}
