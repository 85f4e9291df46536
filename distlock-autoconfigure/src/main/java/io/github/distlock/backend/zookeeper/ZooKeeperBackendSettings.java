package io.github.distlock.backend.zookeeper;

import java.time.Duration;

import io.github.distlock.LockDefinitionException;
import org.apache.zookeeper.common.PathUtils;

/**
 * How a ZooKeeper store works.
 *
 * @param root the node under which all locks are kept; applications that share locks
 * share it
 * @param commandTimeout how long to wait for the answer to one command
 * @param tokensPerGrant how many fencing tokens one grant covers, 63 at most
 */
public record ZooKeeperBackendSettings(String root, Duration commandTimeout, int tokensPerGrant) {

	/**
	 * A token is the zxid times one more than this, plus the number of the local pass:
	 * one is left for a writer that reads on.
	 */
	public static final int MOST_TOKENS_PER_GRANT = 63;

	private static final String RESERVED = "/zookeeper";

	/**
	 * Check the settings.
	 * @throws LockDefinitionException if the root cannot be used
	 * @throws IllegalArgumentException if there are too many tokens in a grant
	 */
	public ZooKeeperBackendSettings {
		try {
			PathUtils.validatePath(root);
		}
		catch (IllegalArgumentException ex) {
			throw new LockDefinitionException("The root of the locks in ZooKeeper (distlock.zookeeper.root) is '" + root
					+ "', which is not a path: use one such as /distlock", ex);
		}
		if (root.equals("/") || root.equals(RESERVED) || root.startsWith(RESERVED + "/")) {
			throw new LockDefinitionException("The root of the locks in ZooKeeper (distlock.zookeeper.root) is '" + root
					+ "', which belongs to ZooKeeper itself: use a node of its own such as /distlock");
		}
		if (tokensPerGrant < 1 || tokensPerGrant > MOST_TOKENS_PER_GRANT) {
			throw new IllegalArgumentException(
					"A grant covers 1 to " + MOST_TOKENS_PER_GRANT + " tokens and not " + tokensPerGrant);
		}
	}

}
