package io.github.distlock.smoke;

/**
 * The smoke application with the default driver, Lettuce, on the Redis of the build.
 */
class SmokeTests extends SmokeContract {

	@Override
	RedisProcess startRedis() {
		return RedisProcess.ofTheBuild();
	}

	@Override
	String driver() {
		return "lettuce";
	}

}
