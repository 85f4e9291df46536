package io.github.distlock.versions;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import io.github.distlock.testing.RedisTestServer;
import io.github.distlock.testing.ZooKeeperTestServer;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.h2.tools.Server;

/**
 * A store that several JVMs can share, with its own servers.
 */
enum SharedStore {

	REDIS(SharedStore::redis), REDLOCK(SharedStore::redlock), POSTGRESQL_LEASE(SharedStore::postgres),
	H2_LEASE(SharedStore::h2), ZOOKEEPER(SharedStore::zooKeeper);

	private final Supplier<Running> servers;

	SharedStore(Supplier<Running> servers) {
		this.servers = servers;
	}

	/** Start the servers. */
	Running start() {
		return this.servers.get();
	}

	private static Running redis() {
		RedisTestServer server = RedisTestServer.start();
		return new Running(server::close, List.of("distlock.backend=redis", "distlock.redis.command-timeout=5s",
				"spring.data.redis.port=" + server.port()));
	}

	private static Running redlock() {
		List<RedisTestServer> servers = List.of(RedisTestServer.start(), RedisTestServer.start(),
				RedisTestServer.start());
		List<String> properties = new ArrayList<>(List.of("distlock.backend=redlock",
				"distlock.redlock.longest-lease=5s", "distlock.redlock.node-timeout=3s"));
		for (int i = 0; i < servers.size(); i++) {
			properties.add("distlock.redlock.nodes[" + i + "].host=127.0.0.1");
			properties.add("distlock.redlock.nodes[" + i + "].port=" + servers.get(i).port());
		}
		return new Running(() -> servers.forEach(RedisTestServer::close), properties);
	}

	private static Running zooKeeper() {
		ZooKeeperTestServer server = ZooKeeperTestServer.start();
		return new Running(server::close, List.of("distlock.backend=zookeeper", "distlock.zookeeper.command-timeout=5s",
				"distlock.zookeeper.connect-string=" + server.connectString()));
	}

	private static Running postgres() {
		try {
			EmbeddedPostgres server = EmbeddedPostgres.builder().setServerConfig("fsync", "off").start();
			return new Running(server, jdbc(server.getJdbcUrl("postgres", "postgres"), "postgres"));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static Running h2() {
		try {
			Server server = Server.createTcpServer("-tcpPort", "0", "-ifNotExists").start();
			return new Running(server::stop,
					jdbc("jdbc:h2:tcp://127.0.0.1:" + server.getPort() + "/mem:versions;DB_CLOSE_DELAY=-1", "sa"));
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static List<String> jdbc(String url, String user) {
		return List.of("distlock.backend=jdbc", "distlock.jdbc.command-timeout=5s", "spring.datasource.url=" + url,
				"spring.datasource.username=" + user, "spring.datasource.hikari.maximum-pool-size=6",
				"distlock.jdbc.initialize-schema=always");
	}

	/** A store that runs, and the properties of an application that uses it. */
	record Running(AutoCloseable servers, List<String> properties) implements AutoCloseable {

		@Override
		public void close() throws Exception {
			this.servers.close();
		}

	}

}
