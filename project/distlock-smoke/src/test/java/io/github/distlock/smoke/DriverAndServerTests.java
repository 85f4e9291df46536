package io.github.distlock.smoke;

import io.github.distlock.installed.Installed;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * The smoke application with each driver on each server.
 */
@Tag("full")
@Tag(Installed.TAG)
@EnabledIfSystemProperty(named = "distlock.full", matches = "true", disabledReason = "Set -Ddistlock.full=true")
class DriverAndServerTests {

	@Nested
	class JedisOnTheRedisOfTheBuild extends SmokeContract {

		@Override
		RedisProcess startRedis() {
			return RedisProcess.ofTheBuild();
		}

		@Override
		String driver() {
			return "jedis";
		}

	}

	@Nested
	class LettuceOnRedis7 extends SmokeContract {

		@Override
		RedisProcess startRedis() {
			return RedisProcess.of(Installed.REDIS_SERVER.assume("v=7."));
		}

		@Override
		String driver() {
			return "lettuce";
		}

	}

	@Nested
	class JedisOnRedis7 extends SmokeContract {

		@Override
		RedisProcess startRedis() {
			return RedisProcess.of(Installed.REDIS_SERVER.assume("v=7."));
		}

		@Override
		String driver() {
			return "jedis";
		}

	}

	@Nested
	class LettuceOnValkey extends SmokeContract {

		@Override
		RedisProcess startRedis() {
			return RedisProcess.of(Installed.VALKEY_SERVER.assume());
		}

		@Override
		String driver() {
			return "lettuce";
		}

	}

	@Nested
	class JedisOnValkey extends SmokeContract {

		@Override
		RedisProcess startRedis() {
			return RedisProcess.of(Installed.VALKEY_SERVER.assume());
		}

		@Override
		String driver() {
			return "jedis";
		}

	}

}
