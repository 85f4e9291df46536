package io.github.distlock.backend.zookeeper;

import java.time.Duration;

import io.github.distlock.HeldLock;
import io.github.distlock.LockRequest;
import io.github.distlock.registry.RegistrySettings.ReleaseMode;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.awaitility.Awaitility.await;

/**
 * Locks that are released after their registry was restarted, while ZooKeeper cannot be
 * reached.
 */
class LateReleaseTests {

	/** Much longer than the test: the end of the session does not release the lock. */
	private static final Duration SESSION = Duration.ofMinutes(2);

	@AutoClose
	private final BareNodes nodes = new BareNodes(SESSION);

	private final RegistryNode other = this.nodes.registry();

	@ParameterizedTest
	@EnumSource
	void aLockThatIsReleasedWithoutAConnectionIsFreeAfterTheNextConnection(ReleaseMode release) throws Exception {
		try (RegistryNode node = new RegistryNode(this.nodes.proxyAddress(), SESSION, release)) {
			HeldLock lock = node.registry.acquire(LockRequest.of("late"));
			node.registry.shutdown();
			node.registry.start();
			this.nodes.proxy.refuse(true);
			ZooKeeper zooKeeper = node.client.getZookeeperClient().getZooKeeper();
			await().until(() -> !zooKeeper.getState().isConnected());
			lock.close();
			this.nodes.proxy.refuse(false);
			this.other.registry.acquire(LockRequest.of("late").waitTime(Duration.ofSeconds(30))).close();
		}
	}

}
