package io.github.distlock.autoconfigure;

import java.time.Duration;
import java.util.List;

import io.github.distlock.autoconfigure.DistlockProperties.Handoff;
import io.github.distlock.backend.redlock.RedlockSettings;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.StringUtils;

/**
 * Locks on a majority of several independent Redis masters.
 *
 * @param enabled Whether Redlock is enabled as an additional store. Not required if
 * distlock.backend or distlock.composite names it.
 * @param nodes The masters, an odd number of at least three, each by properties of its
 * own or as a URL. All applications that share locks must name the same ones.
 * @param nodeTimeout How long one node may take to answer one command. Less than a third
 * of distlock.lease-time.
 * @param longestLease The longest lease that is granted. A node does not vote until it
 * has been running for this long, since its restart may have lost a lock. At least the
 * sum of distlock.lease-time and distlock.handoff.max-time, and equal in all applications
 * that share locks.
 */
@ConfigurationProperties("distlock.redlock")
public record RedlockStoreProperties(@DefaultValue("false") boolean enabled, @DefaultValue List<Node> nodes,
		@DefaultValue("250ms") Duration nodeTimeout, @DefaultValue("60s") Duration longestLease) {

	private static final Log logger = LogFactory.getLog(RedlockStoreProperties.class);

	private static final String NODE_TIMEOUT = "distlock.redlock.node-timeout";

	/**
	 * Check what can be checked without a store.
	 */
	public RedlockStoreProperties {
		PropertyChecks.atLeastMillis(NODE_TIMEOUT, nodeTimeout, 1, "250ms");
		PropertyChecks.atLeastMillis("distlock.redlock.longest-lease", longestLease, 100, "60s");
	}

	RedlockSettings toSettings(DistlockProperties properties) {
		PropertyChecks.notLess("distlock.backend-timeout", properties.backendTimeout(), NODE_TIMEOUT, this.nodeTimeout);
		PropertyChecks.ofLease(NODE_TIMEOUT, this.nodeTimeout, properties.leaseTime());
		PropertyChecks.notLess("distlock.redlock.longest-lease", this.longestLease,
				"distlock.lease-time and distlock.handoff.max-time together",
				properties.leaseTime().plus(properties.handoff().maxTime()));
		if (this.nodes.size() % 2 == 0) {
			logger.warn("distlock.redlock.nodes names " + this.nodes.size()
					+ " nodes, an even number: one node less survives the loss of as many nodes. Use an odd number");
		}
		return new RedlockSettings(properties.keyPrefix(), this.nodeTimeout, this.longestLease,
				Handoff.TOKENS_PER_GRANT);
	}

	/**
	 * One master.
	 *
	 * @param url Address in the form redis://user:password@host:port, or rediss:// for
	 * TLS. It replaces all other values.
	 * @param host Host name or IP address.
	 * @param port Port number.
	 * @param username User name, if the master uses access control lists.
	 * @param password Password.
	 * @param database Number of the database.
	 * @param ssl Whether the connection is encrypted.
	 * @param sslBundle Name of the SSL bundle with certificates and keys. Enables
	 * encryption.
	 */
	public record Node(@Nullable String url, @Nullable String host, @DefaultValue("6379") int port,
			@Nullable String username, @Nullable String password, @DefaultValue("0") int database,
			@DefaultValue("false") boolean ssl, @Nullable String sslBundle) {

		/**
		 * Return a node that is configured by its address alone.
		 * @param url the address
		 * @return the node
		 */
		public static Node valueOf(String url) {
			return new Node(url, null, 0, null, null, 0, false, null);
		}

		/** Return the address without the URL and the password. */
		@Override
		public String toString() {
			return "Node[" + (StringUtils.hasText(this.url) ? "url=..." : "host=" + this.host + ", port=" + this.port)
					+ ", database=" + this.database + ", ssl=" + this.ssl + ", sslBundle=" + this.sslBundle + "]";
		}
	}

}
