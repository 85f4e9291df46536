package io.github.distlock.shapes;

import java.nio.file.Path;

import io.github.distlock.testing.RedisProcess;

/**
 * The documented rights, on the Redis of the build.
 */
class AclTests extends AclContract {

	@Override
	Path executable() {
		return RedisProcess.embedded();
	}

}
