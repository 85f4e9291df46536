package io.github.distlock.testing;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.zookeeper.ZooKeeperBackendSettings;
import io.github.distlock.backend.zookeeper.ZooKeeperLockBackend;
import io.github.distlock.registry.BackendLockRegistry;
import org.apache.curator.framework.CuratorFramework;

/**
 * A JVM that locks one key in ZooKeeper and executes the same lines as {@link LockChild}.
 */
public final class ZooKeeperLockChild {

	private ZooKeeperLockChild() {
	}

	/** Run with a server, a key and a session timeout. */
	public static void main(String[] args) throws IOException {
		CuratorFramework client = ZooKeeperTestServer.client(args[0], Duration.parse(args[2]));
		client.start();
		BackendLockRegistry registry = new BackendLockRegistry(
				new ZooKeeperLockBackend(client, new ZooKeeperBackendSettings("/distlock", Duration.ofSeconds(2), 17),
						TimeSource.SYSTEM),
				RedisNodes.settings(Duration.ofSeconds(30)), List.of(new LockChild.Talk(System.out)),
				TimeSource.SYSTEM);
		LockChild.obey(registry, args[1], System.out);
	}

}
