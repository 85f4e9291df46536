package io.github.distlock.smoke;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * The smoke application with each driver on each server.
 */
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
			return RedisProcess.installed("redis-server", "7.");
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
			return RedisProcess.installed("redis-server", "7.");
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
			return RedisProcess.installed("valkey-server", "");
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
			return RedisProcess.installed("valkey-server", "");
		}

		@Override
		String driver() {
			return "jedis";
		}

	}

}
