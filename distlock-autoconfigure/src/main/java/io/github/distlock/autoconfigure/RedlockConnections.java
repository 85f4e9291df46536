package io.github.distlock.autoconfigure;

import java.util.concurrent.TimeUnit;

import io.github.distlock.backend.redlock.QuorumNode;
import io.github.distlock.backend.redis.RedisQuorumNode;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.resource.ClientResources;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.util.StringUtils;

/**
 * Creates the nodes of the Redlock backend, which share the threads of the driver. Each
 * node opens and closes its connections itself.
 */
class RedlockConnections implements DisposableBean {

	/**
	 * Few threads are sufficient: commands are sent to all nodes at once and do not block
	 * a thread.
	 */
	private static final int THREADS = 2;

	private final ClientResources resources = ClientResources.builder()
		.ioThreadPoolSize(THREADS)
		.computationThreadPoolSize(THREADS)
		.build();

	private final ObjectProvider<SslBundles> bundles;

	RedlockConnections(ObjectProvider<SslBundles> bundles) {
		this.bundles = bundles;
	}

	QuorumNode node(RedlockNodeAddress address, DistlockProperties properties, RedlockStoreProperties redlock) {
		LettuceClientConfiguration.LettuceClientConfigurationBuilder client = LettuceClientConfiguration.builder()
			.clientResources(this.resources);
		if (address.ssl()) {
			client.useSsl();
			SslOptions options = options(address.sslBundle());
			if (options != null) {
				client.clientOptions(ClientOptions.builder().sslOptions(options).build());
			}
		}
		return new RedisQuorumNode(address.name(), address.standalone(), client.build(), properties.keyPrefix(),
				redlock.nodeTimeout());
	}

	private @Nullable SslOptions options(@Nullable String bundleName) {
		if (!StringUtils.hasText(bundleName)) {
			return null;
		}
		SslBundle bundle = this.bundles.getObject().getBundle(bundleName);
		SslOptions.Builder options = SslOptions.builder()
			.keyManager(bundle.getManagers().getKeyManagerFactory())
			.trustManager(bundle.getManagers().getTrustManagerFactory());
		String[] ciphers = bundle.getOptions().getCiphers();
		if (ciphers != null) {
			options.cipherSuites(ciphers);
		}
		String[] protocols = bundle.getOptions().getEnabledProtocols();
		if (protocols != null) {
			options.protocols(protocols);
		}
		return options.build();
	}

	@Override
	public void destroy() {
		this.resources.shutdown(0, 0, TimeUnit.SECONDS);
	}

}
