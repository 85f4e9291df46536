package io.github.distlock.shapes;

import java.nio.file.Path;

import io.github.distlock.testing.RedisProcess;

/**
 * The rights, on the Redis of this machine, which is of version 7 where it was written.
 */
class AclOnInstalledRedisTests extends AclContract {

	@Override
	Path executable() {
		return RedisProcess.assumeInstalled();
	}

}
