package io.github.distlock.backend.zookeeper;

import java.time.Duration;

import io.github.distlock.LockDefinitionException;
import org.apache.zookeeper.common.PathUtils;

import org.springframework.util.Assert;

/**
 * The settings of a ZooKeeper store.
 *
 * @param root the node below which all locks are kept; applications that share locks use
 * the same root
 * @param commandTimeout how long to wait for the reply to a command
 * @param tokensPerGrant the number of fencing tokens of a grant, at most 64
 */
public record ZooKeeperBackendSettings(String root, Duration commandTimeout, int tokensPerGrant) {

	/**
	 * The highest number of tokens of a grant. A token is the number of the transaction
	 * that created the node, times this, plus the number of the local hand-off.
	 */
	public static final int MOST_TOKENS_PER_GRANT = 64;

	private static final String RESERVED = "/zookeeper/";

	/**
	 * Check the settings.
	 * @throws LockDefinitionException if the root cannot be used
	 * @throws IllegalArgumentException if there are too many tokens in a grant
	 */
	public ZooKeeperBackendSettings {
		try {
			PathUtils.validatePath(root);
			Assert.isTrue(!root.equals("/") && !(root + "/").startsWith(RESERVED), "ZooKeeper reserves it");
		}
		catch (IllegalArgumentException ex) {
			throw new LockDefinitionException("The root of the locks in ZooKeeper (distlock.zookeeper.root) is '" + root
					+ "', which cannot be used: " + ex.getMessage() + ". Use an absolute path such as /distlock", ex);
		}
		if (tokensPerGrant < 1 || tokensPerGrant > MOST_TOKENS_PER_GRANT) {
			throw new IllegalArgumentException(
					"The tokens of a grant are " + tokensPerGrant + ", but must be from 1 to " + MOST_TOKENS_PER_GRANT);
		}
	}

}
