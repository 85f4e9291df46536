package io.github.distlock.backend.zookeeper;

import java.time.Duration;

import io.github.distlock.HeldLock;
import io.github.distlock.LockRequest;
import io.github.distlock.testing.ChildJvm;
import io.github.distlock.testing.ZooKeeperLockChild;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Holders in processes that are killed or paused.
 */
class ProcessTests {

	private static final Duration SESSION = Duration.ofSeconds(4);

	@AutoClose
	private final BareNodes nodes = new BareNodes(SESSION);

	private final RegistryNode node = this.nodes.registry();

	private ChildJvm holder(String key) {
		return ChildJvm.start(ZooKeeperLockChild.class, this.nodes.server.connectString(), key, SESSION.toString());
	}

	@Test
	void theLockOfAKilledProcessIsFreeAfterItsSessionTimeout() {
		try (ChildJvm child = holder("killed")) {
			long token = Long.parseLong(child.send("acquire").expect("acquired"));
			child.kill();
			assertThat(this.node.registry.tryAcquire(LockRequest.of("killed").waitTime(Duration.ZERO))).isEmpty();
			try (HeldLock lock = this.node.registry.acquire(LockRequest.of("killed"))) {
				assertThat(lock.fencingToken()).isGreaterThan(token);
			}
		}
	}

	@Test
	void aPausedHolderKnowsThatItHasLostTheLockAsSoonAsItContinues() {
		try (ChildJvm child = holder("paused")) {
			long token = Long.parseLong(child.send("acquire").expect("acquired"));
			child.pause();
			// The child executes this first when it is resumed.
			child.send("check");
			try (HeldLock lock = this.node.registry.acquire(LockRequest.of("paused"))) {
				child.resume();
				assertThat(child.expect("held")).isEqualTo("false");
				assertThat(lock.fencingToken()).isGreaterThan(token);
				assertThat(lock.isHeld()).isTrue();
			}
			child.send("close").expect("lost");
			assertThat(Long.parseLong(child.send("acquire").expect("acquired"))).isGreaterThan(token);
		}
	}

}
