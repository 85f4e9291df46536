package io.github.distlock.backend.zookeeper;

import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.contract.ForwardingBackend;
import org.apache.curator.framework.CuratorFramework;

/**
 * The store with a client of its own, as in a JVM of its own: closing the store ends the
 * session.
 */
final class OwningBackend extends ForwardingBackend {

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
