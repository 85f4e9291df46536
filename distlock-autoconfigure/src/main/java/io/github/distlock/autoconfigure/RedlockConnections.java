package io.github.distlock.autoconfigure;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import io.github.distlock.backend.redis.RedisQuorumNode;
import io.github.distlock.backend.redlock.QuorumNode;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslOptions;
import io.lettuce.core.resource.ClientResources;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.StringUtils;

/**
 * Creates the nodes of the Redlock backend, which share the threads of the driver. Each
 * node opens and closes its connections itself.
 */
class RedlockConnections implements DisposableBean {

	private static final String NODES = "distlock.redlock.nodes";

	/** Few threads: commands go to all nodes at once and do not block a thread. */
	private final ClientResources resources = ClientResources.builder()
		.ioThreadPoolSize(2)
		.computationThreadPoolSize(2)
		.build();

	private final ObjectProvider<SslBundles> bundles;

	RedlockConnections(ObjectProvider<SslBundles> bundles) {
		this.bundles = bundles;
	}

	/**
	 * Create the nodes, in their order.
	 * @throws StartUpException if the nodes cannot form a majority
	 */
	List<QuorumNode> nodes(DistlockProperties properties, RedlockStoreProperties redlock) {
		PropertyChecks.check(redlock.nodes().size() > 2, NODES, redlock.nodes().size() + " nodes",
				"a majority that survives the loss of a node needs at least three nodes",
				"Name three or five masters that do not replicate each other, or set distlock.backend=redis");
		Set<String> names = new HashSet<>();
		List<QuorumNode> nodes = new ArrayList<>();
		for (RedlockStoreProperties.Node node : redlock.nodes()) {
			String property = NODES + "[" + nodes.size() + "]";
			RedisURI address = address(property, node);
			String name = address.getHost() + ":" + address.getPort();
			PropertyChecks.check(names.add(name.toLowerCase(Locale.ROOT)), property, name,
					"the same server is named before and would vote twice",
					"Name each master once. The masters must be independent servers");
			var server = (RedisStandaloneConfiguration) LettuceConnectionFactory.createRedisConfiguration(address);
			if (!StringUtils.hasText(node.url())) {
				server.setUsername(node.username());
				server.setPassword(RedisPassword.of(node.password()));
			}
			nodes.add(new RedisQuorumNode(name, server, client(address, node), properties.keyPrefix(),
					redlock.nodeTimeout()));
		}
		return nodes;
	}

	private static RedisURI address(String property, RedlockStoreProperties.Node node) {
		if (StringUtils.hasText(node.url())) {
			return parse(property + ".url", node.url());
		}
		PropertyChecks.check(StringUtils.hasText(node.host()), property, "", "it has neither host nor url",
				"Set " + property + ".host, and .port where it is not 6379; or " + property + ".url");
		RedisURI address = RedisURI.create(node.host(), node.port());
		address.setDatabase(node.database());
		address.setSsl(node.ssl());
		return address;
	}

	private static RedisURI parse(String property, String url) {
		try {
			RedisURI address = RedisURI.create(url);
			if (StringUtils.hasText(address.getHost())) {
				return address;
			}
		}
		catch (IllegalArgumentException ex) {
			// Its message has the value, which may contain a password.
		}
		throw PropertyChecks.invalid(property, "...", "it is not the URL of a Redis master",
				"Write redis://host:port or rediss://user:password@host:port, without sentinels");
	}

	private LettuceClientConfiguration client(RedisURI address, RedlockStoreProperties.Node node) {
		var client = LettuceClientConfiguration.builder().clientResources(this.resources);
		if (address.isSsl() || StringUtils.hasText(node.sslBundle())) {
			client.useSsl();
		}
		if (StringUtils.hasText(node.sslBundle())) {
			SslBundle bundle = this.bundles.getObject().getBundle(node.sslBundle());
			SslOptions.Builder options = SslOptions.builder()
				.keyManager(bundle.getManagers().getKeyManagerFactory())
				.trustManager(bundle.getManagers().getTrustManagerFactory());
			Optional.ofNullable(bundle.getOptions().getCiphers()).ifPresent(options::cipherSuites);
			Optional.ofNullable(bundle.getOptions().getEnabledProtocols()).ifPresent(options::protocols);
			client.clientOptions(ClientOptions.builder().sslOptions(options.build()).build());
		}
		return client.build();
	}

	@Override
	public void destroy() {
		this.resources.shutdown(0, 0, TimeUnit.SECONDS);
	}

}
