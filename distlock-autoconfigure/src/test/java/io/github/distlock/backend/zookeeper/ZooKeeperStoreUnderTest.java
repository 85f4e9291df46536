package io.github.distlock.backend.zookeeper;

import java.time.Duration;

import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.contract.ForwardingBackend;
import io.github.distlock.contract.StoreUnderTest;
import io.github.distlock.testing.ZooKeeperTestServer;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.KeeperException;

/**
 * ZooKeeper, for the contract.
 */
final class ZooKeeperStoreUnderTest implements StoreUnderTest {

	static final String ROOT = "/distlock";

	private static final Duration SESSION = Duration.ofSeconds(15);

	private final ZooKeeperTestServer server = ZooKeeperTestServer.start();

	private final CuratorFramework admin = ZooKeeperTestServer.client(this.server.connectString(), SESSION);

	ZooKeeperStoreUnderTest() {
		this.admin.start();
	}

	@Override
	public LockBackend newBackend(TimeSource clock) {
		return new OwningBackend(ZooKeeperTestServer.client(this.server.connectString(), SESSION),
				new ZooKeeperBackendSettings(ROOT, Duration.ofSeconds(20), 17), clock);
	}

	@Override
	public void clear() {
		try {
			if (this.admin.checkExists().forPath(ROOT) == null) {
				return;
			}
			for (String folder : this.admin.getChildren().forPath(ROOT)) {
				this.admin.delete().quietly().deletingChildrenIfNeeded().forPath(ROOT + "/" + folder);
			}
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public long items() {
		return itemsBelow(this.admin, ROOT);
	}

	/** Count the nodes below a node. */
	static long itemsBelow(CuratorFramework client, String path) {
		try {
			return client.getZookeeperClient().getZooKeeper().getAllChildrenNumber(path);
		}
		catch (KeeperException.NoNodeException ex) {
			return 0;
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public Duration memory() {
		return SESSION;
	}

	@Override
	public void close() {
		this.admin.close();
		this.server.close();
	}

	/**
	 * The store with a client of its own, as in a JVM of its own: closing the store ends
	 * the session.
	 */
	private static final class OwningBackend extends ForwardingBackend {

		private final CuratorFramework client;

		OwningBackend(CuratorFramework client, ZooKeeperBackendSettings settings, TimeSource clock) {
			super(new ZooKeeperLockBackend(client, settings, clock));
			this.client = client;
		}

		@Override
		public LockStore open(StoreContext context) {
			this.client.start();
			return new ForwardingStore(super.open(context)) {

				@Override
				public void close() {
					super.close();
					OwningBackend.this.client.close();
				}

			};
		}

	}

}
