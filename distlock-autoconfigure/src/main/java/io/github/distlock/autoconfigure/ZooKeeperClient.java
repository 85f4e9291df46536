package io.github.distlock.autoconfigure;

import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.zookeeper.ZooKeeperLockBackend;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryNTimes;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.util.StringUtils;

/**
 * The Curator client for the locks: the client of the application, which the application
 * starts and closes, or a client that is created here and closed with the application
 * context.
 */
final class ZooKeeperClient implements DisposableBean {

	private final CuratorFramework client;

	private final boolean closeOnDestroy;

	private ZooKeeperClient(CuratorFramework client, boolean closeOnDestroy) {
		this.client = client;
		this.closeOnDestroy = closeOnDestroy;
	}

	static ZooKeeperClient of(ListableBeanFactory beanFactory, ZooKeeperStoreProperties properties) {
		String[] names = BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beanFactory, CuratorFramework.class, true,
				false);
		CuratorFramework application = beanFactory.getBeanProvider(CuratorFramework.class).getIfUnique();
		if (application != null) {
			return new ZooKeeperClient(application, false);
		}
		if (names.length > 0) {
			throw new LockBackendMissingException(
					"distlock keeps its locks in ZooKeeper, but there are " + names.length
							+ " CuratorFramework beans, and none of them is primary: " + String.join(", ", names) + ".",
					"Mark one of the beans with @Primary.");
		}
		return new ZooKeeperClient(create(properties), true);
	}

	private static CuratorFramework create(ZooKeeperStoreProperties properties) {
		@Nullable String connectString = properties.connectString();
		if (!StringUtils.hasText(connectString)) {
			throw new LockBackendMissingException(
					"distlock keeps its locks in ZooKeeper, but its address is not configured: "
							+ "there is neither a CuratorFramework bean nor the property 'distlock.zookeeper.connect-string'.",
					"""
							Do one of these:
							- set distlock.zookeeper.connect-string, such as zk1:2181,zk2:2181,zk3:2181
							- define a CuratorFramework bean, for authorization, ACLs or TLS
							- set distlock.enabled=false to run without locks""");
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

	LockBackend backend(ZooKeeperStoreProperties properties, DistlockProperties distlock) {
		return new ZooKeeperLockBackend(this.client, properties.toSettings(distlock), TimeSource.SYSTEM);
	}

	String location() {
		return "ZooKeeper at " + this.client.getZookeeperClient().getCurrentConnectionString();
	}

	@Override
	public void destroy() {
		if (this.closeOnDestroy) {
			this.client.close();
		}
	}

}
