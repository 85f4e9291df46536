package io.github.distlock.autoconfigure;

import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.zookeeper.ZooKeeperLockBackend;
import org.apache.curator.framework.CuratorFramework;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;

/**
 * Auto-configuration for the backend in ZooKeeper, with the {@link CuratorFramework} of
 * the application if there is one.
 */
@AutoConfiguration(before = DistlockAutoConfiguration.class)
@ConditionalOnBackend(Backend.ZOOKEEPER)
@ConditionalOnClass(CuratorFramework.class)
@EnableConfigurationProperties({ DistlockProperties.class, ZooKeeperStoreProperties.class })
public final class DistlockZooKeeperAutoConfiguration {

	/**
	 * A wrapper, so that the client of the library is not injected into the application
	 * as its {@code CuratorFramework}.
	 */
	@Bean
	@Lazy
	ZooKeeperClient distlockZookeeperClient(ZooKeeperStoreProperties zooKeeper, ListableBeanFactory beanFactory) {
		return ZooKeeperClient.of(beanFactory, zooKeeper);
	}

	@Bean
	@Lazy
	@Qualifier("zookeeper")
	LockBackend distlockZookeeperLockBackend(ZooKeeperClient client, ZooKeeperStoreProperties zooKeeper,
			DistlockProperties properties) {
		return new ZooKeeperLockBackend(client.client(), zooKeeper.toSettings(properties), TimeSource.SYSTEM);
	}

}
