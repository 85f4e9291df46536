package io.github.distlock.backend.zookeeper;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.github.distlock.LockInstance;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.InstanceEntry;
import io.github.distlock.backend.StoreAdministration.EndResult;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.Ticket;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryNTimes;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The entries of instances in ZooKeeper.
 */
class InstanceNodesTests {

	@RegisterExtension
	static final BareNodes nodes = new BareNodes(Duration.ofSeconds(8));

	private static Grant attempt(BareNode node, Ticket ticket) {
		return BareNode.granted(node.attempt(ticket));
	}

	private static void awaitEnd(BareNode node, Ticket ticket, Grant grant) {
		await().untilAsserted(() -> assertThat(node.ended).containsEntry(ticket, grant.firstToken()));
	}

	private static List<LockInstance> instances(BareNode node) {
		return node.administration().instances().stream().map(InstanceEntry::instance).toList();
	}

	@Test
	void theNamespaceOfTheClientIsPartOfTheLocationAndOfAllPaths() {
		BareNode node = nodes.node();
		assertThat(node.administration().location())
			.isEqualTo("ZooKeeper at " + nodes.server().connectString() + ", path '/distlock'");
		CuratorFramework client = CuratorFrameworkFactory.builder()
			.connectString(nodes.server().connectString())
			.namespace("shop")
			.retryPolicy(new RetryNTimes(0, 0))
			.build();
		try (BareNode other = new BareNode(client)) {
			assertThat(other.administration().location())
				.isEqualTo("ZooKeeper at " + nodes.server().connectString() + ", path '/shop/distlock'");
			other.administration().announce();
			Ticket ticket = other.ticket("namespace");
			Grant grant = attempt(other, ticket);
			assertThat(other.administration().end("namespace", grant.firstToken())).isEqualTo(EndResult.ENDED);
			awaitEnd(other, ticket, grant);
		}
	}

	@Test
	void anEntryLivesAsLongAsItsSessionAndIsRemovedByAWithdrawal() {
		BareNode one = nodes.announcedNode();
		BareNode two = nodes.announcedNode();
		assertThat(instances(one)).contains(one.self, two.self);
		two.administration().withdraw();
		assertThat(instances(one)).contains(one.self).doesNotContain(two.self);
		one.client.close();
		assertThat(instances(two)).doesNotContain(one.self);
	}

	@Test
	void anEntryIsWrittenAgainInANewSession() {
		BareNode one = nodes.announcedNode();
		BareNode two = nodes.node();
		nodes.server().endSession(one.client);
		await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> assertThat(instances(two)).contains(one.self));
		Ticket ticket = one.ticket("new-session");
		Grant grant = attempt(one, ticket);
		assertThat(two.administration().end("new-session", grant.firstToken())).isEqualTo(EndResult.ENDED);
		awaitEnd(one, ticket, grant);
	}

	@Test
	void anInstanceOfWhichOnlyTheIdIsKnownWritesNothing() throws Exception {
		BareNode node = nodes.node();
		try (var store = node.backend.open(new StoreContext("only-the-id", node))) {
			store.administration().announce();
			assertThat(node.client.checkExists().forPath("/distlock/%instances/only-the-id")).isNull();
			store.administration().withdraw();
		}
	}

	@Test
	void aRefreshedEntryIsWrittenOnceAndWasSeenThen() throws Exception {
		BareNode node = nodes.announcedNode();
		String path = "/distlock/%instances/" + node.self.id();
		assertThat(node.client.checkExists().forPath(path).getVersion()).isZero();
		node.administration().announce();
		Stat refreshed = node.client.checkExists().forPath(path);
		assertThat(refreshed.getVersion()).isEqualTo(1);
		assertThat(node.administration().instances())
			.contains(new InstanceEntry(node.self, Instant.ofEpochMilli(refreshed.getMtime())));
	}

	@Test
	void aStoreThatIsClosedTakesItsEntryWithItWhileTheClientLives() {
		BareNode one = nodes.announcedNode();
		BareNode two = nodes.node();
		one.store.close();
		await().untilAsserted(() -> assertThat(instances(two)).doesNotContain(one.self));
		assertThat(nodes.server().watchers("/distlock/%ended/" + one.self.id())).isEmpty();
	}

}
