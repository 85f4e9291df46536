package io.github.distlock.backend.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.github.distlock.LockMode;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.zookeeper.KeyFolder.FolderWatch;
import io.github.distlock.backend.zookeeper.ZooKeeperSession.TicketNode;
import io.github.distlock.contract.Answers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.Mockito.mock;

/**
 * The queue of nodes: which node watches which, and what remains; when this JVM knows
 * that a node is the first; and what a ticket decides when its node is found to be the
 * first, and is removed at the same time.
 */
class QueueTests {

	@AutoClose
	@RegisterExtension
	static final BareNodes nodes = new BareNodes(Duration.ofSeconds(30));

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

	private static final String FOLDER = "/distlock/key";

	private final KeyFolder folder = new KeyFolder(FOLDER);

	private BareNode jvm;

	private ZooKeeperSession session;

	private ZooKeeperTicket ticket;

	private TicketNode first;

	private TicketNode later;

	@BeforeEach
	void createFolderAndTicket() throws Exception {
		this.jvm = nodes.node();
		this.session = session();
		this.jvm.hold("key");
		ZooKeeperConnection connection = new ZooKeeperConnection(this.jvm.client, Duration.ofSeconds(2),
				TimeSource.SYSTEM, (ZooKeeperLockStore) this.jvm.store);
		this.ticket = new ZooKeeperTicket(this.jvm.ticket("key"), new KeyFolder(FOLDER), connection, (deleting) -> {
		}, (gone) -> {
		});
		String prefix = FOLDER + "/" + LockPaths.nodePrefix(this.ticket.ticket());
		this.first = new TicketNode(prefix + "0000000000", 7 * 64, this.session);
		this.later = new TicketNode(prefix + "0000000001", 8 * 64, this.session);
		this.ticket.created(this.first, true);
	}

	private ZooKeeperSession session() throws Exception {
		return new ZooKeeperSession(this.jvm.client, this.jvm.client.getZookeeperClient().getZooKeeper(),
				TimeSource.SYSTEM);
	}

	private static TicketNode node(int number, ZooKeeperSession owner) {
		return new TicketNode(FOLDER + "/" + "jvm:%d-%010d".formatted(number, number), 64, owner);
	}

	/**
	 * This JVM releases the lock by the deletion of a node, and then watches the folder.
	 */
	private @Nullable FolderWatch watch() {
		this.folder.released(node(3, this.session), null);
		this.folder.watchIfUseful(this.session, QueueTests::ignore);
		await().until(() -> this.folder.watch() != null);
		return this.folder.watch();
	}

	private static void ignore(WatchedEvent event) {
	}

	@Test
	void aFolderIsWatchedAfterTheFirstReleaseAndNotBefore() {
		this.folder.watchIfUseful(this.session, QueueTests::ignore);
		this.session.sync("/").join();
		assertThat(this.folder.watch()).isNull();
		this.folder.released(node(3, this.session), null);
		assertThat(watch()).isNotNull();
	}

	@Test
	void theNextNumberIsFirstAfterARelease() {
		FolderWatch watch = watch();
		assertThat(this.folder.isFirst(node(4, this.session), watch)).isFalse();
		this.folder.released(node(4, this.session), watch);
		assertThat(this.folder.isFirst(node(6, this.session), watch)).isFalse();
		assertThat(this.folder.isFirst(node(5, this.session), watch)).isTrue();
		assertThat(this.folder.isPredictable()).isTrue();
	}

	@Test
	void aDeletionThatWasSentBeforeTheWatchWasConfirmedMeansNothing() {
		FolderWatch watch = watch();
		this.folder.released(node(4, this.session), null);
		assertThat(this.folder.isFirst(node(5, this.session), watch)).isFalse();
	}

	@Test
	void theNumbersOfAFolderThatMayHaveBeenRemovedMeanNothing() {
		FolderWatch watch = watch();
		this.folder.released(node(4, this.session), watch);
		this.folder.forgetWatch();
		assertThat(this.folder.isFirst(node(5, this.session), watch)).isFalse();
		FolderWatch later = watch();
		assertThat(this.folder.isFirst(node(5, this.session), watch)).isFalse();
		assertThat(this.folder.isFirst(node(5, this.session), later)).isFalse();
	}

	@Test
	void theNumbersOfAnotherSessionMeanNothing() throws Exception {
		FolderWatch watch = watch();
		ZooKeeperSession other = session();
		this.folder.released(node(4, other), watch);
		assertThat(this.folder.isFirst(node(5, this.session), watch)).isFalse();
		this.folder.released(node(4, this.session), watch);
		assertThat(this.folder.isFirst(node(5, other), watch)).isFalse();
	}

	@Test
	void aWatchThatTheServerHasNotConfirmedMeansNothing() {
		ZooKeeperSession silent = new ZooKeeperSession(this.jvm.client, mock(ZooKeeper.class), TimeSource.SYSTEM);
		this.folder.released(node(3, silent), null);
		this.folder.watchIfUseful(silent, QueueTests::ignore);
		assertThat(this.folder.watch()).isNull();
	}

	@Test
	void aFolderThatDoesNotExistIsNotWatched() {
		KeyFolder missing = new KeyFolder("/distlock/missing");
		missing.released(node(3, this.session), null);
		missing.watchIfUseful(this.session, QueueTests::ignore);
		this.session.sync("/").join();
		assertThat(missing.watch()).isNull();
	}

	@Test
	void aTicketDoesNotHoldTheLockByANodeThatWasRemoved() {
		this.ticket.removed(this.first);
		assertThat(this.ticket.hold(this.first)).isFalse();
		assertThat(this.ticket.isHeld()).isFalse();
	}

	@Test
	void aTicketWhoseNodeIsRemovedDoesNotHoldTheLockAnyMore() {
		assertThat(this.ticket.hold(this.first)).isTrue();
		this.ticket.removed(this.first);
		assertThat(this.ticket.isHeld()).isFalse();
	}

	@Test
	void whatIsFoundAboutAnEarlierNodeDoesNotConcernTheLaterOne() {
		this.ticket.created(this.later, true);
		assertThat(this.ticket.hold(this.first)).isFalse();
		assertThat(this.ticket.hold(this.later)).isTrue();
		assertThat(this.ticket.hold(this.first)).isFalse();
		this.ticket.removed(this.first);
		assertThat(this.ticket.isHeld()).isTrue();
	}

	@Test
	void aLaterNodeIsNotHeldBecauseAnEarlierOneWas() {
		assertThat(this.ticket.hold(this.first)).isTrue();
		this.ticket.created(this.later, true);
		assertThat(this.ticket.isHeld()).as("else its removal would count as that of the first node").isFalse();
	}

	@Test
	void anAbandonedTicketDoesNotHoldTheLockAndGetsNoNode() {
		this.ticket.abandon();
		assertThat(this.ticket.hold(this.first)).isFalse();
		assertThat(this.ticket.obtainNode(this.first.session())).isCompletedExceptionally();
	}

}
