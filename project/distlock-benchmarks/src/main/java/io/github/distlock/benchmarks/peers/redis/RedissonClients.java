package io.github.distlock.benchmarks.peers.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.function.Function;

import io.github.distlock.benchmarks.contenders.Client;
import io.github.distlock.benchmarks.contenders.RedisAddress;
import io.github.distlock.benchmarks.contenders.StoreAddress;
import io.github.distlock.benchmarks.contenders.StoreAddress.Kind;
import org.redisson.Redisson;
import org.redisson.RedissonMultiLock;
import org.redisson.RedissonRedLock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/**
 * The clients of Redisson that one application has: one, or one for each master.
 *
 * @param clients in the order of the masters
 */
record RedissonClients(List<RedissonClient> clients) implements AutoCloseable {

	static RedissonClient of(Client client) {
		return all(client).get(0);
	}

	static Function<String, Lock> multiLocks(Client client) {
		List<RedissonClient> masters = all(client);
		return (key) -> new RedissonMultiLock(each(masters, key));
	}

	@SuppressWarnings("deprecation")
	static Function<String, Lock> redLocks(Client client) {
		List<RedissonClient> masters = all(client);
		return (key) -> new RedissonRedLock(each(masters, key));
	}

	private static RLock[] each(List<RedissonClient> masters, String key) {
		return masters.stream().map((master) -> master.getLock(key)).toArray(RLock[]::new);
	}

	private static List<RedissonClient> all(Client client) {
		return client.resource(RedissonClients.class, "redisson", () -> open(client.store())).clients();
	}

	private static RedissonClients open(StoreAddress store) {
		List<RedissonClient> clients = new ArrayList<>();
		if (store.kind() == Kind.REPLICATED_REDIS) {
			// Known to have a replica, it waits for the replica by WAIT.
			Config config = new Config();
			config.useMasterSlaveServers()
				.setMasterAddress("redis://" + store.redis(0))
				.addSlaveAddress("redis://" + store.redis(1));
			clients.add(Redisson.create(config));
		}
		else if (store.kind() == Kind.SECURED_REDIS) {
			Config config = new Config();
			config.setSslTrustManagerFactory(TrustedCertificate.of(store));
			config.useSingleServer().setAddress("rediss://" + store.redis(0));
			clients.add(Redisson.create(config));
		}
		else {
			store.parts().stream().map(RedisAddress::parse).map(RedissonClients::single).forEach(clients::add);
		}
		return new RedissonClients(clients);
	}

	private static RedissonClient single(RedisAddress address) {
		Config config = new Config();
		config.useSingleServer().setAddress("redis://" + address);
		return Redisson.create(config);
	}

	@Override
	public void close() {
		this.clients.forEach((client) -> client.shutdown(0, 5, TimeUnit.SECONDS));
	}

}
