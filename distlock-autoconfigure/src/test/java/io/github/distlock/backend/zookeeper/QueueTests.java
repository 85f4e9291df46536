package io.github.distlock.backend.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.github.distlock.LockMode;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Ticket;
import io.github.distlock.contract.Answers;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The queue of nodes: which node watches which, and what remains.
 */
class QueueTests {

	@AutoClose
	@RegisterExtension
	static final BareNodes nodes = new BareNodes(Duration.ofSeconds(15));

	private static Map<String, Integer> watchers() {
		Map<String, Integer> watchers = nodes.server.watchers(ZooKeeperStoreUnderTest.ROOT);
		return watchers;
	}

	/** The number of folders with a prefix. */
	private static long folders(BareNode node, String prefix) throws Exception {
		return node.client.getChildren()
			.forPath(ZooKeeperStoreUnderTest.ROOT)
			.stream()
			.filter((name) -> name.startsWith(prefix))
			.count();
	}

	@Test
	void twentyWaitersWatchOneNodeEach() {
		BareNode one = nodes.node();
		BareNode two = nodes.node();
		Ticket holder = one.hold("twenty");
		List<Ticket> waiters = new ArrayList<>();
		for (int i = 0; i < 20; i++) {
			waiters.add(((i % 2 == 0) ? two : one).queue("twenty"));
		}
		Map<String, Integer> watchers = watchers();
		assertThat(watchers).hasSize(20).allSatisfy((path, count) -> {
			assertThat(path).startsWith("/distlock/twenty/");
			assertThat(count).isEqualTo(1);
		});
		// The folder and the last node are not watched.
		assertThat(watchers.keySet()).noneMatch((path) -> path.contains(waiters.get(19).token()));
		one.release(holder);
		assertThat(two.awaitGrant(waiters.get(0)).firstToken()).isPositive();
		assertThat(watchers()).hasSize(19);
		assertThat(one.grants).isEmpty();
		assertThat(two.grants).hasSize(1);
	}

	@Test
	void aTicketBehindADeadWaiterThenWaitsForTheOneBefore() {
		BareNode one = nodes.node();
		BareNode dead = nodes.node();
		BareNode two = nodes.node();
		Ticket holder = one.hold("dead");
		dead.queue("dead");
		Ticket last = two.queue("dead");
		dead.close();
		await()
			.untilAsserted(() -> assertThat(watchers().keySet()).singleElement().asString().contains(holder.token()));
		assertThat(two.grants).isEmpty();
		one.release(holder);
		two.awaitGrant(last);
	}

	@Test
	void readersThatGiveUpLeaveTheirWatchToTheNext() {
		BareNode one = nodes.node();
		BareNode two = nodes.node();
		one.hold("patience");
		Ticket last = reader(two);
		for (int i = 0; i < 3; i++) {
			Ticket next = reader(two);
			Answers.of(two.store.cancel(last));
			last = next;
		}
		assertThat(watchers()).hasSize(1);
		one.close();
		two.awaitGrant(last);
	}

	private static Ticket reader(BareNode node) {
		Ticket reader = node.ticket("patience", LockMode.READ);
		assertThat(node.attempt(reader)).isInstanceOf(AttemptResult.Queued.class);
		return reader;
	}

	@Test
	void foldersAreRemovedAfterTheLastReleaseAndCreatedAgain() throws Exception {
		BareNode one = nodes.node();
		for (int i = 0; i < 20; i++) {
			one.release(one.hold("folder-" + i));
		}
		assertThat(folders(one, "folder-")).isPositive();
		await().until(() -> folders(one, "folder-") == 0);
		Ticket again = one.hold("folder-0");
		assertThat(one.release(again)).isTrue();
	}

	@Test
	void aFolderThatAnotherNodeUsesStays() throws Exception {
		BareNode one = nodes.node();
		BareNode two = nodes.node();
		Ticket first = one.hold("shared-folder");
		Ticket second = two.queue("shared-folder");
		one.release(first);
		two.awaitGrant(second);
		await().during(Duration.ofSeconds(6))
			.atMost(Duration.ofMinutes(1))
			.until(() -> ZooKeeperStoreUnderTest.itemsBelow(one.client, "/distlock/shared-folder") == 1);
		assertThat(two.release(second)).isTrue();
		await().until(() -> folders(one, "shared-folder") == 0);
	}

}
