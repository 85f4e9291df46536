package io.github.distlock.shapes;

import java.nio.file.Path;

import io.github.distlock.testing.RedisProcess;

/**
 * The documented rights, on the Redis installed on this machine: Redis 7 where this test
 * was written.
 */
class AclOnInstalledRedisTests extends AclContract {

	@Override
	Path executable() {
		return RedisProcess.assumeInstalled();
	}

}
