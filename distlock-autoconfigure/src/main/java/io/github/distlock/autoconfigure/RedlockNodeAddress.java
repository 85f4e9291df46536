package io.github.distlock.autoconfigure;

import io.lettuce.core.RedisURI;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.StringUtils;

/**
 * Address of a Redis master, with the credentials and encryption of its connection.
 *
 * @param standalone host, port and credentials
 * @param ssl whether the connection is encrypted
 * @param sslBundle name of the bundle with certificates and keys, if any
 */
record RedlockNodeAddress(RedisStandaloneConfiguration standalone, boolean ssl, @Nullable String sslBundle) {

	static RedlockNodeAddress of(String property, RedlockStoreProperties.Node node) {
		String url = node.url();
		if (!StringUtils.hasText(url)) {
			if (!StringUtils.hasText(node.host())) {
				throw PropertyChecks.invalid(property, "", "it has neither host nor url",
						"Set " + property + ".host, and .port where it is not 6379; or " + property + ".url");
			}
			RedisStandaloneConfiguration standalone = new RedisStandaloneConfiguration(node.host(), node.port());
			standalone.setDatabase(node.database());
			standalone.setUsername(node.username());
			standalone.setPassword(RedisPassword.of(node.password()));
			return new RedlockNodeAddress(standalone, node.ssl() || StringUtils.hasText(node.sslBundle()),
					node.sslBundle());
		}
		if (StringUtils.hasText(node.host())) {
			throw PropertyChecks.invalid(property + ".host", node.host(), "there is also a url", "Remove one of them");
		}
		return ofUrl(property, url, node);
	}

	private static RedlockNodeAddress ofUrl(String property, String url, RedlockStoreProperties.Node node) {
		RedisURI parsed;
		try {
			parsed = RedisURI.create(url);
		}
		catch (IllegalArgumentException ex) {
			// Without the value, which may contain a password.
			throw PropertyChecks.invalid(property + ".url", "...", "it is not a Redis URL",
					"Write redis://host:port or rediss://user:password@host:port");
		}
		if (!StringUtils.hasText(parsed.getHost())) {
			throw PropertyChecks.invalid(property + ".url", "...", "it contains no host",
					"Write redis://host:port; a master that is found through sentinels is not an independent node");
		}
		var standalone = (RedisStandaloneConfiguration) LettuceConnectionFactory.createRedisConfiguration(parsed);
		return new RedlockNodeAddress(standalone, parsed.isSsl() || StringUtils.hasText(node.sslBundle()),
				node.sslBundle());
	}

	/** Return host and port, without credentials. */
	String name() {
		return this.standalone.getHostName() + ":" + this.standalone.getPort();
	}

}
