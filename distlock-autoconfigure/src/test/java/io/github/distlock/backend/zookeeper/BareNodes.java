package io.github.distlock.backend.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import io.github.distlock.testing.ZooKeeperTestServer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A ZooKeeper for the tests of a class, and nodes for each of them.
 */
final class BareNodes implements BeforeAllCallback, AfterAllCallback, AfterEachCallback {

	private final Duration session;

	private final List<BareNode> nodes = new ArrayList<>();

	private @Nullable ZooKeeperTestServer server;

	BareNodes(Duration session) {
		this.session = session;
	}

	@Override
	public void beforeAll(ExtensionContext context) {
		this.server = ZooKeeperTestServer.start();
	}

	@Override
	public void afterEach(ExtensionContext context) {
		this.nodes.forEach(BareNode::close);
		this.nodes.clear();
	}

	@Override
	public void afterAll(ExtensionContext context) {
		server().close();
	}

	ZooKeeperTestServer server() {
		return Objects.requireNonNull(this.server);
	}

	BareNode node() {
		return node(server().connectString());
	}

	BareNode node(String connectString) {
		BareNode node = new BareNode(ZooKeeperTestServer.client(connectString, this.session));
		this.nodes.add(node);
		return node;
	}

}
