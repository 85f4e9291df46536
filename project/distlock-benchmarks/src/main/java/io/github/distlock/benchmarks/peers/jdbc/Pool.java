package io.github.distlock.benchmarks.peers.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.github.distlock.benchmarks.contenders.Client;
import io.github.distlock.benchmarks.contenders.StoreAddress;

/**
 * The connections that all contenders of a client share: a pool with the settings that
 * HikariCP comes with, as our lock has one of its own.
 *
 * @param dataSource the pool
 */
record Pool(HikariDataSource dataSource) implements AutoCloseable {

	static HikariDataSource of(Client client) {
		return client.resource(Pool.class, "pool", () -> open(client.store())).dataSource();
	}

	private static Pool open(StoreAddress store) {
		HikariConfig config = new HikariConfig();
		config.setJdbcUrl(store.parts().get(0));
		config.setUsername(store.parts().get(1));
		config.setPassword(store.parts().get(2));
		return new Pool(new HikariDataSource(config));
	}

	@Override
	public void close() {
		this.dataSource.close();
	}

}
