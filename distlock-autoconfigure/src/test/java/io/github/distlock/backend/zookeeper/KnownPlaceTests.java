package io.github.distlock.backend.zookeeper;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.github.distlock.LockBackendException;
import io.github.distlock.LockMode;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockStore.Successor;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.Ticket;
import io.github.distlock.contract.Answers;
import io.github.distlock.testing.TcpProxy;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryNTimes;
import org.apache.jute.InputArchive;
import org.apache.zookeeper.AsyncCallback;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.proto.GetChildren2Request;
import org.apache.zookeeper.proto.GetChildren2Response;
import org.apache.zookeeper.proto.ReplyHeader;
import org.apache.zookeeper.proto.RequestHeader;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/**
 * Tickets whose place in the queue this JVM may know without a list, and what makes its
 * knowledge void.
 */
class KnownPlaceTests {

	private static final Duration SESSION = Duration.ofSeconds(30);

	private static final String FOLDER = "/distlock/again";

	@AutoClose
	private final BareNodes nodes = new BareNodes(SESSION);

	private final TcpProxy proxy = this.nodes.proxy;

	private final AtomicInteger lists = new AtomicInteger();

	private final AtomicInteger requests = new AtomicInteger();

	/** Whether the client has no memory for the next list. */
	private final AtomicBoolean outOfMemory = new AtomicBoolean();

	private final BareNode one = this.nodes.node(CuratorFrameworkFactory.builder()
		.connectString(this.nodes.proxyAddress())
		.sessionTimeoutMs((int) SESSION.toMillis())
		.connectionTimeoutMs(10_000)
		.retryPolicy(new RetryNTimes(0, 0))
		.zookeeperFactory((servers, timeout, watcher, readOnly) -> new CountingClient(servers, timeout, watcher))
		.build());

	private final BareNode other = this.nodes.node();

	/** Acquire and release the lock, with the nodes 0 to 3 of a new folder. */
	private static void useFourTimes(BareNode node) {
		for (int i = 0; i < 4; i++) {
			assertThat(node.release(node.hold("again"))).isTrue();
		}
	}

	private int watchers() {
		return (int) this.nodes.server.watchers(FOLDER)
			.keySet()
			.stream()
			.filter((path) -> !path.equals(FOLDER))
			.count();
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
		this.other.client.delete().forPath(FOLDER);
		for (int i = 0; i < 3; i++) {
			this.other.release(this.other.hold("again"));
		}
		// Node 3, so that the next one has the number that would be the next in the old
		// folder.
		Ticket holder = this.other.hold("again");
		Ticket waiting = this.one.queue("again");
		this.other.release(holder);
		this.one.awaitGrant(waiting);
	}

	@Test
	void theNumbersOfAFolderThatIsNewAfterADisconnectionMeanNothing() throws Exception {
		useFourTimes(this.one);
		int doubts = this.one.retrySignals.get();
		this.proxy.refuse(true);
		this.other.client.delete().forPath(FOLDER);
		for (int i = 0; i < 3; i++) {
			this.other.release(this.other.hold("again"));
		}
		this.other.hold("again");
		this.proxy.refuse(false);
		await().until(() -> this.one.retrySignals.get() > doubts);
		this.one.queue("again");
	}

	@Test
	void readersBeforeAWriterAreNotPassed() {
		useFourTimes(this.one);
		Ticket first = this.one.ticket("again", LockMode.READ);
		Ticket second = this.one.ticket("again", LockMode.READ);
		BareNode.granted(this.one.attempt(first));
		BareNode.granted(this.one.attempt(second));
		Ticket writer = this.one.queue("again");
		this.one.release(second);
		assertThat(this.one.attempt(writer)).isInstanceOf(AttemptResult.Queued.class);
		assertThat(this.one.grants).isEmpty();
		this.one.release(first);
		this.one.awaitGrant(writer);
	}

	@Test
	void aFairCycleInOneJvmListsTwiceAndWatchesNothing() {
		useFourTimes(this.one);
		Ticket holder = this.one.hold("again");
		Ticket waiting = this.one.queue("again");
		int before = this.requests.get();
		for (int i = 0; i < 5; i++) {
			Ticket last = this.one.queue("again");
			this.one.release(holder);
			this.one.awaitGrant(waiting);
			assertThat(this.one.grants).doesNotContainKey(last);
			holder = waiting;
			waiting = last;
		}
		assertThat(this.requests).hasValue(before + 5 * 4);
		assertThat(watchers()).isZero();
	}

	@Test
	void aTicketWhoseNodeAnOperatorDeletesIsNotGrantedTheLockByTheReleaseBefore() throws Exception {
		useFourTimes(this.one);
		Ticket holder = this.one.hold("again");
		Ticket waiting = this.one.queue("again");
		Ticket behind = this.other.queue("again");
		for (String name : this.other.client.getChildren().forPath(FOLDER)) {
			if (name.startsWith(waiting.token() + LockPaths.SEPARATOR)) {
				this.other.client.delete().forPath(FOLDER + "/" + name);
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
		Ticket writer = this.one.hold("again");
		Ticket first = this.one.ticket("again", LockMode.READ);
		Ticket second = this.one.ticket("again", LockMode.READ);
		assertThat(this.one.attempt(first)).isInstanceOf(AttemptResult.Queued.class);
		assertThat(this.one.attempt(second)).isInstanceOf(AttemptResult.Queued.class);
		assertThat(watchers()).isZero();
		this.one.release(writer);
		this.one.awaitGrant(first);
		this.one.awaitGrant(second);
	}

	@Test
	void aTicketBehindOneThatGivesUpWaitsForTheHolder() {
		useFourTimes(this.one);
		Ticket holder = this.one.hold("again");
		Ticket first = this.one.queue("again");
		Ticket second = this.one.queue("again");
		Answers.of(this.one.store.cancel(first));
		assertThat(watchers()).isZero();
		assertThat(this.one.grants).isEmpty();
		this.one.release(holder);
		this.one.awaitGrant(second);
	}

	@Test
	void aTicketBehindOneWhoseGrantAnOperatorEndsIsGrantedTheLockByItsNextAttempt() {
		useFourTimes(this.one);
		Ticket holder = this.one.ticket("again");
		long token = BareNode.granted(this.one.attempt(holder)).firstToken();
		Ticket waiting = this.one.queue("again");
		this.other.inspection().end("again", token);
		BareNode.granted(this.one.attempt(waiting));
		assertThat(this.one.release(holder)).isFalse();
	}

	@Test
	void aReleaseThatQueuesTheNextTicketIsAnsweredByItsGrant() {
		useFourTimes(this.one);
		Ticket holder = this.one.hold("again");
		Ticket next = this.one.ticket("again");
		int before = this.lists.get();
		ReleaseResult result = Answers.of(this.one.store.release(holder, 0, new Successor(next, SESSION)));
		assertThat(result.released()).isTrue();
		assertThat(result.next()).isInstanceOf(Grant.class);
		assertThat(this.lists).hasValue(before);
	}

	@Test
	void aListThatTheClientHasReadInPartWhenAnErrorCameIsNoProofOfTheFirstPlace() {
		useFourTimes(this.other);
		Ticket holder = this.other.hold("again");
		Ticket waiting = this.one.ticket("again");
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
			KnownPlaceTests.this.lists.incrementAndGet();
			KnownPlaceTests.this.requests.incrementAndGet();
			if (!KnownPlaceTests.this.outOfMemory.getAndSet(false)) {
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
			KnownPlaceTests.this.requests.incrementAndGet();
			super.create(path, data, acl, mode, callback, context, timeToLive);
		}

		@Override
		public void getData(String path, Watcher watcher, AsyncCallback.DataCallback callback, Object context) {
			KnownPlaceTests.this.requests.incrementAndGet();
			super.getData(path, watcher, callback, context);
		}

		@Override
		public void delete(String path, int version, AsyncCallback.VoidCallback callback, Object context) {
			KnownPlaceTests.this.requests.incrementAndGet();
			super.delete(path, version, callback, context);
		}

	}

}
