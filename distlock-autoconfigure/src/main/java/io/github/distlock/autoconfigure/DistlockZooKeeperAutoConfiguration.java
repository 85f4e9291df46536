package io.github.distlock.autoconfigure;

import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.zookeeper.ZooKeeperLockBackend;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryNTimes;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.util.StringUtils;

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

	/**
	 * The Curator client for the locks: the client of the application, which the
	 * application starts and closes, or a client that is created here and closed with the
	 * application context.
	 *
	 * @param client the client
	 * @param closeOnDestroy whether it was created here
	 */
	record ZooKeeperClient(CuratorFramework client, boolean closeOnDestroy) implements DisposableBean {

		static ZooKeeperClient of(ListableBeanFactory beanFactory, ZooKeeperStoreProperties properties) {
			CuratorFramework application = beanFactory.getBeanProvider(CuratorFramework.class).getIfAvailable();
			if (application != null) {
				return new ZooKeeperClient(application, false);
			}
			return new ZooKeeperClient(create(properties), true);
		}

		private static CuratorFramework create(ZooKeeperStoreProperties properties) {
			@Nullable String connectString = properties.connectString();
			if (!StringUtils.hasText(connectString)) {
				throw new StartUpException("distlock keeps its locks in ZooKeeper, but its address is not configured: "
						+ "there is neither a CuratorFramework bean nor the property 'distlock.zookeeper.connect-string'.",
						"Set distlock.zookeeper.connect-string, such as zk1:2181,zk2:2181,zk3:2181, or define a CuratorFramework "
								+ "bean, for authorization, ACLs or TLS. Or set distlock.enabled=false to run without locks.");
			}
			CuratorFramework client = CuratorFrameworkFactory.builder()
				.connectString(connectString)
				.sessionTimeoutMs(Math.toIntExact(properties.sessionTimeout().toMillis()))
				.connectionTimeoutMs(Math.toIntExact(properties.connectionTimeout().toMillis()))
				// Waiting callers retry themselves.
				.retryPolicy(new RetryNTimes(0, 0))
				.build();
			client.start();
			return client;
		}

		@Override
		public void destroy() {
			if (this.closeOnDestroy) {
				this.client.close();
			}
		}

	}

}
