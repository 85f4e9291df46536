package io.github.distlock.backend.zookeeper;

import java.time.Duration;
import java.util.List;

import io.github.distlock.backend.TimeSource;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.registry.RegistrySettings.ReleaseMode;
import io.github.distlock.testing.CheckedEnvironment;
import io.github.distlock.testing.RecordedEvents;
import io.github.distlock.testing.TestSettings;
import io.github.distlock.engine.HandOffLimits;
import org.apache.curator.framework.CuratorFramework;

/**
 * A registry on ZooKeeper, as one JVM has it.
 */
final class RegistryNode implements AutoCloseable {

	final CuratorFramework client;

	final BackendLockRegistry registry;

	final RecordedEvents events = new RecordedEvents();

	RegistryNode(CuratorFramework client, ReleaseMode release) {
		this.client = client;
		this.client.start();
		this.registry = CheckedEnvironment.registry(
				new ZooKeeperLockBackend(this.client,
						new ZooKeeperBackendSettings(ZooKeeperStoreUnderTest.ROOT, Duration.ofSeconds(5), 17),
						TimeSource.SYSTEM),
				TestSettings.releasing(TestSettings.of(Duration.ofSeconds(30), Duration.ofSeconds(30), null,
						new HandOffLimits(16, Duration.ofMillis(50)), Duration.ofSeconds(30), false,
						Duration.ofSeconds(1)), release),
				List.of(this.events), TimeSource.SYSTEM);
		this.registry.start();
	}

	@Override
	public void close() {
		this.registry.shutdown();
		this.client.close();
	}

}
