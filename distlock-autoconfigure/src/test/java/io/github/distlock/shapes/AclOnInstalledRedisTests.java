package io.github.distlock.shapes;

import java.nio.file.Path;

import io.github.distlock.installed.Installed;
import org.junit.jupiter.api.Tag;

/**
 * The documented rights, on the Redis installed on this machine: Redis 7 where this test
 * was written.
 */
@Tag(Installed.TAG)
class AclOnInstalledRedisTests extends AclTests {

	@Override
	Path executable() {
		return Installed.REDIS_SERVER.assume();
	}

}
