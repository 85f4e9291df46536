package io.github.distlock.backend.zookeeper;

import java.time.Duration;
import java.util.EnumSet;

import io.github.distlock.LockMode;
import io.github.distlock.backend.BackendDescription;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.LockKeys;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.TimeSource;
import org.apache.curator.framework.CuratorFramework;

/**
 * Locks in ZooKeeper: each ticket is an ephemeral sequential node, the first holds, and
 * each other one watches the one before it, or the last writer before it if it reads. A
 * lock lasts as long as the session of its JVM. The client belongs to the caller, who
 * starts and closes it. Thread-safe.
 */
public final class ZooKeeperLockBackend implements LockBackend {

	private static final int BATCH_SIZE = 100;

	private final CuratorFramework client;

	private final ZooKeeperBackendSettings settings;

	private final TimeSource clock;

	private final BackendDescription description;

	/**
	 * Create the store. Sends nothing yet.
	 * @param client the application's ZooKeeper, started; this store does not close it
	 * @param settings how to work
	 * @param clock the time
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
	public void validateKey(String key) {
		LockKeys.validate(key);
	}

	@Override
	public LockStore open(StoreContext context) {
		ZooKeeperConnection connection = new ZooKeeperConnection(this.client, this.settings.commandTimeout(),
				this.clock);
		return new ZooKeeperLockStore(connection, new LockPaths(this.settings.root()), this.description,
				context.signals());
	}

}
