package io.github.distlock.backend.zookeeper;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

import io.github.distlock.registry.RegistrySettings.ReleaseMode;
import io.github.distlock.testing.TcpProxy;
import io.github.distlock.testing.ZooKeeperTestServer;
import org.apache.curator.framework.CuratorFramework;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A ZooKeeper, and nodes that use it directly or through a proxy. As an extension of a
 * test class it serves all tests, and closes the nodes of each.
 */
final class BareNodes implements AfterEachCallback, AutoCloseable {

	final ZooKeeperTestServer server = ZooKeeperTestServer.start();

	final TcpProxy proxy = new TcpProxy(this.server.port());

	private final Duration session;

	private final Deque<AutoCloseable> nodes = new ArrayDeque<>();

	BareNodes(Duration session) {
		this.session = session;
	}

	BareNode node() {
		return node(ZooKeeperTestServer.client(this.server.connectString(), this.session));
	}

	/**
	 * A node whose connection goes through the proxy, for tests that wait for replies.
	 */
	BareNode proxied() {
		return hasty(ZooKeeperTestServer.client(proxyAddress(), this.session));
	}

	/** A node with a time-out of commands that a test can wait for. */
	BareNode hasty(CuratorFramework client) {
		return closing(new BareNode(client, Duration.ofSeconds(6)));
	}

	BareNode node(CuratorFramework client) {
		return closing(new BareNode(client));
	}

	RegistryNode registry() {
		return closing(new RegistryNode(ZooKeeperTestServer.client(this.server.connectString(), this.session),
				ReleaseMode.CONFIRMED));
	}

	String proxyAddress() {
		return "127.0.0.1:" + this.proxy.port();
	}

	private <T extends AutoCloseable> T closing(T node) {
		this.nodes.push(node);
		return node;
	}

	@Override
	public void afterEach(@Nullable ExtensionContext context) throws Exception {
		this.proxy.refuse(false);
		while (!this.nodes.isEmpty()) {
			this.nodes.pop().close();
		}
	}

	@Override
	public void close() throws Exception {
		afterEach(null);
		this.proxy.close();
		this.server.close();
	}

}
