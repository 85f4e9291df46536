package io.github.distlock.benchmarks.catalogue;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

import io.github.distlock.benchmarks.contenders.StoreAddress;
import io.github.distlock.benchmarks.contenders.StoreAddress.Kind;
import io.github.distlock.benchmarks.servers.Deployment;
import io.github.distlock.benchmarks.servers.Server;
import io.github.distlock.benchmarks.servers.ServerCount;
import io.github.distlock.benchmarks.servers.ServerOptions;
import io.github.distlock.benchmarks.servers.jdbc.Databases;
import io.github.distlock.benchmarks.servers.redis.RedisServers;
import io.github.distlock.benchmarks.servers.zookeeper.ZooKeeperServer;
import org.jspecify.annotations.Nullable;

/**
 * The servers of a run, one deployment at a time, so that none takes processor time from
 * another. Not thread-safe.
 */
public final class Servers implements AutoCloseable {

	private final ServerOptions options;

	private final List<String> versions = new ArrayList<>();

	private @Nullable Server current;

	private @Nullable Deployment deployment;

	/**
	 * Start nothing yet.
	 * @param options what the user says about servers
	 */
	public Servers(ServerOptions options) {
		this.options = options;
	}

	/**
	 * Return the servers of a deployment, started if need be. Those of another one end.
	 * @param wanted the deployment
	 * @return its servers
	 */
	public Server open(Deployment wanted) {
		Server server = this.current;
		if (server == null || this.deployment != wanted) {
			close();
			server = start(wanted);
			this.current = server;
			this.deployment = wanted;
			if (!server.version().isEmpty() && !this.versions.contains(server.version())) {
				this.versions.add(server.version());
			}
		}
		return server;
	}

	/**
	 * Return what has been started so far.
	 * @return products and versions
	 */
	public List<String> versions() {
		return List.copyOf(this.versions);
	}

	private Server start(Deployment wanted) {
		return switch (wanted) {
			case REDIS, DELAYED, TLS, REPLICA, REDLOCK -> RedisServers.open(wanted, this.options);
			case POSTGRESQL -> Databases.postgresql();
			case H2 -> Databases.h2();
			case ZOOKEEPER -> ZooKeeperServer.start();
			case NONE -> new Nothing();
		};
	}

	@Override
	public void close() {
		Server server = this.current;
		this.current = null;
		if (server != null) {
			server.close();
		}
	}

	private static final class Nothing implements Server {

		@Override
		public StoreAddress address() {
			return StoreAddress.of(Kind.NONE);
		}

		@Override
		public String version() {
			return "";
		}

		@Override
		public ServerCount learn(LongSupplier slice) {
			throw new UnsupportedOperationException();
		}

		@Override
		public void close() {
			// Nothing was started.
		}

	}

}
