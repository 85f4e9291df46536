package io.github.distlock.smoke;

import io.github.distlock.test.DistlockTest;
import io.github.distlock.test.TestLocks;

import org.springframework.beans.factory.annotation.Autowired;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The test slice. Locks of all stores are in memory, and no server is needed.
 */
@DistlockTest(LockedSections.class)
class SectionsSlice implements Slice {

	private static final Section NOTHING = (token) -> {
	};

	@Autowired
	private LockedSections sections;

	@Autowired
	private TestLocks locks;

	@Override
	public void check() {
		this.sections.overRedis("redis", NOTHING, 0);
		this.sections.overZooKeeper("zookeeper", NOTHING, 0);
		assertThat(this.locks.keys()).containsExactlyInAnyOrder("redis", "zookeeper");
		assertThat(this.locks.held()).isEmpty();
	}

}
