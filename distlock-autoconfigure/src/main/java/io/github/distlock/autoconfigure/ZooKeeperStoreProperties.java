package io.github.distlock.autoconfigure;

import java.time.Duration;

import io.github.distlock.backend.zookeeper.ZooKeeperBackendSettings;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Locks in ZooKeeper.
 *
 * @param enabled Whether ZooKeeper is enabled as an additional store. Not required if
 * distlock.backend or distlock.composite names it.
 * @param connectString Servers of the ensemble, such as zk1:2181,zk2:2181,zk3:2181. Not
 * required if the application has a CuratorFramework bean, which is used then.
 * @param sessionTimeout How long the servers keep the locks of a JVM that does not
 * answer. The servers may enforce another value. Ignored if the application has a
 * CuratorFramework bean.
 * @param connectionTimeout How long opening a connection may take. Ignored if the
 * application has a CuratorFramework bean.
 * @param commandTimeout How long one lock command may take.
 * @param root Node under which the locks are stored. Applications that share locks must
 * use the same node.
 */
@ConfigurationProperties("distlock.zookeeper")
public record ZooKeeperStoreProperties(@DefaultValue("false") boolean enabled, @Nullable String connectString,
		@DefaultValue("15s") Duration sessionTimeout, @DefaultValue("5s") Duration connectionTimeout,
		@DefaultValue("2s") Duration commandTimeout, @DefaultValue("/distlock") String root) {

	private static final String COMMAND_TIMEOUT = "distlock.zookeeper.command-timeout";

	/**
	 * Check what can be checked without a store.
	 */
	public ZooKeeperStoreProperties {
		PropertyChecks.atLeastMillis("distlock.zookeeper.session-timeout", sessionTimeout, 1000, "15s");
		PropertyChecks.atLeastMillis("distlock.zookeeper.connection-timeout", connectionTimeout, 100, "5s");
		PropertyChecks.atLeastMillis(COMMAND_TIMEOUT, commandTimeout, 100, "2s");
	}

	ZooKeeperBackendSettings toSettings(DistlockProperties properties) {
		PropertyChecks.notLess("distlock.backend-timeout", properties.backendTimeout(), COMMAND_TIMEOUT,
				this.commandTimeout);
		return new ZooKeeperBackendSettings(this.root, this.commandTimeout,
				ZooKeeperBackendSettings.MOST_TOKENS_PER_GRANT);
	}

}
