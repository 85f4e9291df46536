package io.github.distlock.backend.zookeeper;

import java.time.Duration;
import java.util.EnumSet;

import io.github.distlock.LockMode;
import io.github.distlock.backend.BackendDescription;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.TimeSource;
import org.apache.curator.framework.CuratorFramework;

/**
 * Locks in ZooKeeper. Each ticket is an ephemeral sequential node in the folder of its
 * key, and the first node holds the lock. Each other node waits for its predecessor, or
 * for the last writer before it if it is a reader's. A lock lasts as long as the session
 * of its JVM. The caller starts and closes the client. Thread-safe.
 */
public final class ZooKeeperLockBackend implements LockBackend {

	private static final int BATCH_SIZE = 100;

	private final CuratorFramework client;

	private final ZooKeeperBackendSettings settings;

	private final TimeSource clock;

	private final BackendDescription description;

	/**
	 * Create a backend. Sends nothing yet.
	 * @param client the application's client, started; this backend does not close it
	 * @param settings the settings of the store
	 * @param clock the clock
	 */
	public ZooKeeperLockBackend(CuratorFramework client, ZooKeeperBackendSettings settings, TimeSource clock) {
		this.client = client;
		this.settings = settings;
		this.clock = clock;
		this.description = new BackendDescription("zookeeper", EnumSet.allOf(LockMode.class), true, false,
				settings.tokensPerGrant(), Duration.ZERO, BATCH_SIZE);
	}

	@Override
	public BackendDescription description() {
		return this.description;
	}

	@Override
	public LockStore open(StoreContext context) {
		return new ZooKeeperLockStore(this.client, this.settings, this.clock, context);
	}

}
