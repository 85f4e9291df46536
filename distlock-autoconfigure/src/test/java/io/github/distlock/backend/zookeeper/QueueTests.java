package io.github.distlock.backend.zookeeper;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.proto.GetChildren2Request;
import org.apache.zookeeper.proto.GetChildren2Response;
import org.apache.zookeeper.proto.ReplyHeader;
import org.apache.zookeeper.proto.RequestHeader;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.github.distlock.LockBackendException;
import io.github.distlock.LockMode;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockStore.Successor;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.zookeeper.KeyFolder.FolderWatch;
import io.github.distlock.backend.zookeeper.ZooKeeperSession.TicketNode;
import io.github.distlock.contract.Answers;
import io.github.distlock.testing.StoreNode;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryNTimes;
import org.apache.jute.InputArchive;
import org.apache.zookeeper.AsyncCallback;
import org.apache.zookeeper.CreateMode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.mockito.Mockito.mock;

/**
 * The queue of nodes: which node watches which, and what remains; when this JVM knows
 * that a node is the first, also without a list, and what makes its knowledge void; and
 * what a ticket decides when its node is found to be the first, and is removed at the
 * same time.
 */
class QueueTests {

	@AutoClose
	@RegisterExtension
	static final BareNodes nodes = new BareNodes(Duration.ofSeconds(30));

	private static Map<String, Integer> watchers() {
		return nodes.server.watchers(ZooKeeperStoreUnderTest.ROOT);
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
		Ticket last = reader(two, "patience");
		for (int i = 0; i < 3; i++) {
			Ticket next = reader(two, "patience");
			Answers.of(two.store.cancel(last));
			last = next;
		}
		assertThat(watchers()).hasSize(1);
		one.close();
		two.awaitGrant(last);
	}

	private static Ticket reader(BareNode node, String key) {
		Ticket reader = node.ticket(key, LockMode.READ);
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

	/** Its folder is new. */
	private final String again = "again-" + UUID.randomUUID();

	private final String placeFolder = ZooKeeperStoreUnderTest.ROOT + "/" + this.again;

	private final AtomicInteger lists = new AtomicInteger();

	private final AtomicInteger requests = new AtomicInteger();

	/** Whether the client has no memory for the next list. */
	private final AtomicBoolean outOfMemory = new AtomicBoolean();

	private final BareNode one = nodes.node(CuratorFrameworkFactory.builder()
		.connectString(nodes.proxyAddress())
		.sessionTimeoutMs(30_000)
		.connectionTimeoutMs(10_000)
		.retryPolicy(new RetryNTimes(0, 0))
		.zookeeperFactory((servers, timeout, watcher, readOnly) -> new CountingClient(servers, timeout, watcher))
		.build());

	private final BareNode other = nodes.node();

	/** Acquire and release the lock, with the nodes 0 to 3 of a new folder. */
	private void useFourTimes(BareNode node) {
		for (int i = 0; i < 4; i++) {
			assertThat(node.release(node.hold(this.again))).isTrue();
		}
	}

	@Test
	void aLockThatOneJvmTakesAgainAndAgainNeedsNoList() {
		useFourTimes(this.one);
		int before = this.lists.get();
		useFourTimes(this.one);
		assertThat(this.lists).hasValue(before);
	}

	@Test
	@EnabledForJreRange(max = JRE.JAVA_24)
	void commandsDoNotWakeTheThreadThatWaitsForTheirTimeOuts() {
		useFourTimes(this.one);
		long before = waitsOfTimer();
		IntStream.range(0, 50).forEach((i) -> useFourTimes(this.one));
		assertThat(before).isPositive();
		assertThat(waitsOfTimer() - before).isLessThan(200);
	}

	private static long waitsOfTimer() {
		return Arrays.stream(ManagementFactory.getThreadMXBean().dumpAllThreads(false, false))
			.filter((thread) -> thread.getThreadName().equals("CompletableFutureDelayScheduler"))
			.mapToLong(ThreadInfo::getWaitedCount)
			.sum();
	}

	@Test
	void theNumbersOfANewFolderMeanNothing() throws Exception {
		useFourTimes(this.one);
		this.other.client.delete().forPath(this.placeFolder);
		for (int i = 0; i < 3; i++) {
			this.other.release(this.other.hold(this.again));
		}
		// Node 3, so that the next one has the number that would be the next in the old
		// folder.
		Ticket holder = this.other.hold(this.again);
		Ticket waiting = this.one.queue(this.again);
		this.other.release(holder);
		this.one.awaitGrant(waiting);
	}

	@Test
	void theNumbersOfAFolderThatIsNewAfterADisconnectionMeanNothing() throws Exception {
		useFourTimes(this.one);
		int doubts = this.one.retrySignals.get();
		nodes.proxy.refuse(true);
		this.other.client.delete().forPath(this.placeFolder);
		for (int i = 0; i < 3; i++) {
			this.other.release(this.other.hold(this.again));
		}
		this.other.hold(this.again);
		nodes.proxy.refuse(false);
		await().until(() -> this.one.retrySignals.get() > doubts);
		this.one.queue(this.again);
	}

	@Test
	void readersBeforeAWriterAreNotPassed() {
		useFourTimes(this.one);
		Ticket first = this.one.ticket(this.again, LockMode.READ);
		Ticket second = this.one.ticket(this.again, LockMode.READ);
		BareNode.granted(this.one.attempt(first));
		BareNode.granted(this.one.attempt(second));
		Ticket writer = this.one.queue(this.again);
		this.one.release(second);
		assertThat(this.one.attempt(writer)).isInstanceOf(AttemptResult.Queued.class);
		assertThat(this.one.grants).isEmpty();
		this.one.release(first);
		this.one.awaitGrant(writer);
	}

	@Test
	void aFairCycleInOneJvmListsTwiceAndWatchesNothing() {
		useFourTimes(this.one);
		Ticket holder = this.one.hold(this.again);
		Ticket waiting = this.one.queue(this.again);
		int before = this.requests.get();
		for (int i = 0; i < 5; i++) {
			Ticket last = this.one.queue(this.again);
			this.one.release(holder);
			this.one.awaitGrant(waiting);
			assertThat(this.one.grants).doesNotContainKey(last);
			holder = waiting;
			waiting = last;
		}
		assertThat(this.requests).hasValue(before + 5 * 4);
		assertThat(nodes.server.watchers(this.placeFolder).keySet()).isSubsetOf(this.placeFolder);
	}

	@Test
	void aTicketWhoseNodeAnOperatorDeletesIsNotGrantedTheLockByTheReleaseBefore() throws Exception {
		useFourTimes(this.one);
		Ticket holder = this.one.hold(this.again);
		Ticket waiting = this.one.queue(this.again);
		Ticket behind = this.other.queue(this.again);
		for (String name : this.other.client.getChildren().forPath(this.placeFolder)) {
			if (name.startsWith(waiting.token() + LockPaths.SEPARATOR)) {
				this.other.client.delete().forPath(this.placeFolder + "/" + name);
			}
		}
		this.one.release(holder);
		this.other.awaitGrant(behind);
		// Its list has been answered, too.
		this.one.store.ping();
		assertThat(this.one.attempt(waiting)).isInstanceOf(AttemptResult.Queued.class);
		assertThat(this.one.grants).doesNotContainKey(waiting);
	}

	@Test
	void readersBehindAWriterOfTheirJvmAreAllGrantedTheLock() {
		useFourTimes(this.one);
		Ticket writer = this.one.hold(this.again);
		Ticket first = reader(this.one, this.again);
		Ticket second = reader(this.one, this.again);
		assertThat(nodes.server.watchers(this.placeFolder).keySet()).isSubsetOf(this.placeFolder);
		this.one.release(writer);
		this.one.awaitGrant(first);
		this.one.awaitGrant(second);
	}

	@Test
	void aTicketBehindOneThatGivesUpWaitsForTheHolder() {
		useFourTimes(this.one);
		Ticket holder = this.one.hold(this.again);
		Ticket first = this.one.queue(this.again);
		Ticket second = this.one.queue(this.again);
		Answers.of(this.one.store.cancel(first));
		assertThat(nodes.server.watchers(this.placeFolder).keySet()).isSubsetOf(this.placeFolder);
		assertThat(this.one.grants).isEmpty();
		this.one.release(holder);
		this.one.awaitGrant(second);
	}

	@Test
	void aTicketBehindOneWhoseGrantAnOperatorEndsIsGrantedTheLockByItsNextAttempt() {
		useFourTimes(this.one);
		Ticket holder = this.one.ticket(this.again);
		long token = BareNode.granted(this.one.attempt(holder)).firstToken();
		Ticket waiting = this.one.queue(this.again);
		this.other.inspection().end(this.again, token);
		BareNode.granted(this.one.attempt(waiting));
		assertThat(this.one.release(holder)).isFalse();
	}

	@Test
	void aReleaseThatQueuesTheNextTicketIsAnsweredByItsGrant() {
		useFourTimes(this.one);
		Ticket holder = this.one.hold(this.again);
		Ticket next = this.one.ticket(this.again);
		int before = this.lists.get();
		ReleaseResult result = Answers.of(this.one.store.release(holder, 0, new Successor(next, StoreNode.LEASE)));
		assertThat(result.released()).isTrue();
		assertThat(result.next()).isInstanceOf(Grant.class);
		assertThat(this.lists).hasValue(before);
	}

	@Test
	void aListThatTheClientHasReadInPartWhenAnErrorCameIsNoProofOfTheFirstPlace() {
		useFourTimes(this.other);
		Ticket holder = this.other.hold(this.again);
		Ticket waiting = this.one.ticket(this.again);
		int doubts = this.one.retrySignals.get();
		this.outOfMemory.set(true);
		assertThatThrownBy(() -> this.one.attempt(waiting)).isInstanceOf(LockBackendException.class);
		// The attempt fails before the client knows that it has no connection.
		await().until(() -> this.one.retrySignals.get() > doubts);
		assertThat(this.one.attempt(waiting)).isInstanceOf(AttemptResult.Queued.class);
		assertThat(this.one.grants).isEmpty();
		this.other.release(holder);
		this.one.awaitGrant(waiting);
	}

	/**
	 * A list of which the client reads one name, the newest, before its memory is full.
	 */
	private static final class HalfReadList extends GetChildren2Response {

		@Override
		public void deserialize(InputArchive archive, String tag) throws IOException {
			super.deserialize(archive, tag);
			Comparator<String> byNumber = Comparator.comparingInt(NodeQueue::number);
			setChildren(List.of(getChildren().stream().max(byNumber).orElseThrow()));
			setStat(null);
			throw new OutOfMemoryError("of a test");
		}

	}

	/** Counts the requests of the store, and the lists of the lock's folder. */
	private final class CountingClient extends ZooKeeper {

		CountingClient(String servers, int timeout, Watcher watcher) throws Exception {
			super(servers, timeout, watcher);
		}

		@Override
		public void getChildren(String path, boolean watch, AsyncCallback.Children2Callback callback, Object context) {
			QueueTests.this.lists.incrementAndGet();
			QueueTests.this.requests.incrementAndGet();
			if (!QueueTests.this.outOfMemory.getAndSet(false)) {
				super.getChildren(path, watch, callback, context);
				return;
			}
			RequestHeader header = new RequestHeader();
			header.setType(ZooDefs.OpCode.getChildren2);
			this.cnxn.queuePacket(header, new ReplyHeader(), new GetChildren2Request(path, watch), new HalfReadList(),
					callback, path, path, context, null);
		}

		@Override
		public void create(String path, byte[] data, List<ACL> acl, CreateMode mode,
				AsyncCallback.Create2Callback callback, Object context, long timeToLive) {
			QueueTests.this.requests.incrementAndGet();
			super.create(path, data, acl, mode, callback, context, timeToLive);
		}

		@Override
		public void getData(String path, Watcher watcher, AsyncCallback.DataCallback callback, Object context) {
			QueueTests.this.requests.incrementAndGet();
			super.getData(path, watcher, callback, context);
		}

		@Override
		public void delete(String path, int version, AsyncCallback.VoidCallback callback, Object context) {
			QueueTests.this.requests.incrementAndGet();
			super.delete(path, version, callback, context);
		}

	}

}
