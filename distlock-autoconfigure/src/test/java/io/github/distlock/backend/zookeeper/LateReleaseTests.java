package io.github.distlock.backend.zookeeper;

import java.time.Duration;

import io.github.distlock.HeldLock;
import io.github.distlock.LockRequest;
import io.github.distlock.registry.RegistrySettings.ReleaseMode;
import io.github.distlock.testing.TcpProxy;
import io.github.distlock.testing.ZooKeeperTestServer;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.awaitility.Awaitility.await;

/**
 * Locks that are released after their registry was restarted, while ZooKeeper cannot be
 * reached.
 */
class LateReleaseTests {

	/** Much longer than the test: the end of the session does not release the lock. */
	private static final Duration SESSION = Duration.ofSeconds(40);

	private final ZooKeeperTestServer server = ZooKeeperTestServer.start();

	private TcpProxy proxy;

	private RegistryNode other;

	@BeforeEach
	void startOther() {
		this.proxy = new TcpProxy(this.server.port());
		this.other = new RegistryNode(this.server.connectString(), SESSION);
	}

	@AfterEach
	void stop() {
		this.other.close();
		this.proxy.close();
		this.server.close();
	}

	@ParameterizedTest
	@EnumSource
	void aLockThatIsReleasedWithoutAConnectionIsFreeAfterTheNextConnection(ReleaseMode release) throws Exception {
		try (RegistryNode node = new RegistryNode("127.0.0.1:" + this.proxy.port(), SESSION, release)) {
			HeldLock lock = node.registry.acquire(LockRequest.of("late"));
			node.registry.shutdown();
			node.registry.start();
			this.proxy.refuse(true);
			ZooKeeper zooKeeper = node.client.getZookeeperClient().getZooKeeper();
			await().until(() -> !zooKeeper.getState().isConnected());
			lock.close();
			this.proxy.refuse(false);
			this.other.registry.acquire(LockRequest.of("late").waitTime(Duration.ofSeconds(20))).close();
		}
	}

}
