package io.github.distlock.benchmarks.peers.redis;

import io.github.distlock.benchmarks.contenders.Client;
import io.github.distlock.benchmarks.contenders.RedisAddress;
import io.github.distlock.benchmarks.contenders.StoreAddress;
import io.github.distlock.benchmarks.contenders.StoreAddress.Kind;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.SslOptions;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The connections that all contenders of a client share which use Spring Data.
 *
 * @param factory with default settings, started
 */
record RedisConnections(LettuceConnectionFactory factory) implements AutoCloseable {

	static LettuceConnectionFactory of(Client client) {
		return client.resource(RedisConnections.class, "connections", () -> open(client.store())).factory();
	}

	private static RedisConnections open(StoreAddress store) {
		RedisAddress master = store.redis(0);
		LettuceConnectionFactory factory = new LettuceConnectionFactory(
				new RedisStandaloneConfiguration(master.host(), master.port()), settings(store));
		factory.afterPropertiesSet();
		factory.start();
		return new RedisConnections(factory);
	}

	private static LettuceClientConfiguration settings(StoreAddress store) {
		if (store.kind() != Kind.SECURED_REDIS) {
			return LettuceClientConfiguration.defaultConfiguration();
		}
		SslOptions trust = SslOptions.builder().jdkSslProvider().trustManager(TrustedCertificate.of(store)).build();
		return LettuceClientConfiguration.builder()
			.clientOptions(ClientOptions.builder().sslOptions(trust).build())
			.useSsl()
			.build();
	}

	@Override
	public void close() {
		this.factory.destroy();
	}

}
