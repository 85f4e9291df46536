package io.github.distlock.backend.zookeeper;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.curator.retry.RetryNTimes;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingCluster;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.client.FourLetterWordMain;
import org.apache.zookeeper.data.ACL;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import io.github.distlock.HeldLock;
import io.github.distlock.LockBackendException;
import io.github.distlock.LockLostException;
import io.github.distlock.LockMode;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.StoreInspection.EndResult;
import io.github.distlock.backend.Ticket;
import io.github.distlock.registry.RegistrySettings.ReleaseMode;
import io.github.distlock.testing.HotKey;
import io.github.distlock.testing.ZooKeeperTestServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Clients that log in as a user, whose nodes only this user may create, read and delete;
 * and such clients of an ensemble of three servers whose leader is killed.
 */
class LeastAccessTests {

	@AutoClose
	private static final ZooKeeperTestServer server = ZooKeeperTestServer.start();

	@Test
	void theUserLocksAndNoOtherClientReadsOrEndsALock() throws Exception {
		try (BareNode holder = new BareNode(client("distlock:right"));
				BareNode other = new BareNode(client("distlock:right"));
				CuratorFramework stranger = client("distlock:wrong")) {
			holder.store.verify();
			Ticket writer = holder.ticket("k", LockMode.WRITE);
			Grant grant = BareNode.granted(holder.attempt(writer));
			Ticket reader = other.ticket("k", LockMode.READ);
			assertThat(other.attempt(reader)).isInstanceOf(AttemptResult.Queued.class);
			stranger.start();
			assertRefused(() -> stranger.getChildren().forPath(ZooKeeperStoreUnderTest.ROOT));
			assertRefused(() -> stranger.getChildren().forPath(ZooKeeperStoreUnderTest.ROOT + "/k"));
			String node = ZooKeeperStoreUnderTest.ROOT + "/k/"
					+ holder.client.getChildren().forPath(ZooKeeperStoreUnderTest.ROOT + "/k").get(0);
			assertRefused(() -> stranger.delete().forPath(node));
			assertRefused(() -> stranger.create().forPath(ZooKeeperStoreUnderTest.ROOT + "/k/forged"));
			assertThat(holder.release(writer)).isTrue();
			Grant next = other.awaitGrant(reader);
			assertThat(next.firstToken()).isGreaterThan(grant.firstToken());
			assertThat(holder.inspection().end("k", next.firstToken())).isEqualTo(EndResult.ENDED);
		}
	}

	@Test
	void aClientWithoutTheRightsIsToldWhichNodeItMayNotUse() {
		try (BareNode owner = new BareNode(client("distlock:right"));
				BareNode stranger = new BareNode(client("distlock:wrong"))) {
			owner.store.verify();
			assertThatExceptionOfType(LockBackendException.class).isThrownBy(stranger.store::verify)
				.withMessageContaining("NoAuth")
				.withMessageContaining(ZooKeeperStoreUnderTest.ROOT);
			assertThatExceptionOfType(LockBackendException.class)
				.isThrownBy(() -> stranger.attempt(stranger.ticket("k")))
				.withMessageContaining("NoAuth")
				.withMessageContaining(ZooKeeperStoreUnderTest.ROOT);
		}
	}

	private static void assertRefused(ThrowingCallable command) {
		assertThatExceptionOfType(KeeperException.NoAuthException.class).isThrownBy(command);
	}

	private static CuratorFramework client(String login) {
		return client(server.connectString(), Duration.ofSeconds(30), login);
	}

	/** A client that logs in; it may not write to the nodes that it creates. */
	static CuratorFramework client(String connectString, Duration session, String login) {
		ZooKeeperTestServer.disableLogging();
		return CuratorFrameworkFactory.builder()
			.connectString(connectString)
			.sessionTimeoutMs((int) session.toMillis())
			.retryPolicy(new RetryNTimes(0, 0))
			.authorization("digest", login.getBytes(StandardCharsets.UTF_8))
			.aclProvider(new OwnNodes())
			.build();
	}

	/** Only the user that created a node may use it. */
	private static final class OwnNodes implements ACLProvider {

		@Override
		public List<ACL> getDefaultAcl() {
			// ZooKeeper asks the list whether it contains null, which List.of rejects.
			return Collections.singletonList(new ACL(Perms.CREATE | Perms.READ | Perms.DELETE, Ids.AUTH_IDS));
		}

		@Override
		public List<ACL> getAclForPath(String path) {
			return getDefaultAcl();
		}

	}

	private static final Duration SESSION = Duration.ofSeconds(15);

	private final HotKey key = new HotKey("ensemble");

	private final AtomicInteger entries = new AtomicInteger();

	private final AtomicBoolean stop = new AtomicBoolean();

	@Test
	void exclusionHoldsAndWaitersContinueWhenTheLeaderIsKilled() throws Exception {
		ZooKeeperTestServer.disableLogging();
		System.setProperty("zookeeper.4lw.commands.whitelist", "*");
		Files.createDirectories(Path.of(System.getProperty("java.io.tmpdir")));
		ExecutorService threads = Executors.newCachedThreadPool();
		List<RegistryNode> nodes = new ArrayList<>();
		try (TestingCluster ensemble = new TestingCluster(3)) {
			ensemble.start();
			List<Future<?>> workers = new ArrayList<>();
			for (int i = 0; i < 3; i++) {
				RegistryNode node = new RegistryNode(client(ensemble.getConnectString(), SESSION, "distlock:right"),
						ReleaseMode.CONFIRMED);
				nodes.add(node);
				workers.add(threads.submit(() -> work(node)));
				workers.add(threads.submit(() -> work(node)));
			}
			await().atMost(Duration.ofSeconds(30)).until(() -> this.entries.get() > 100);
			assertThat(ensemble.killServer(leader(ensemble))).isTrue();
			int atDeath = this.entries.get();
			await().atMost(Duration.ofSeconds(60)).until(() -> this.entries.get() > atDeath + 100);
			this.stop.set(true);
			for (Future<?> worker : workers) {
				worker.get(60, TimeUnit.SECONDS);
			}
			nodes.forEach(RegistryNode::close);
		}
		finally {
			this.stop.set(true);
			threads.shutdownNow();
		}
		assertThat(this.key.violations()).isEmpty();
	}

	private void work(RegistryNode node) {
		while (!this.stop.get()) {
			try (HeldLock lock = node.registry.acquire(LockRequest.of(this.key.name()))) {
				this.key.entered(lock);
				Thread.yield();
				this.entries.addAndGet(lock.isHeld() ? 1 : 0);
				this.key.leaving(lock);
			}
			catch (LockBackendException | LockLostException | LockNotAcquiredException ex) {
				// Expected while there is no leader.
			}
		}
	}

	private static InstanceSpec leader(TestingCluster ensemble) throws Exception {
		for (InstanceSpec instance : ensemble.getInstances()) {
			if (FourLetterWordMain.send4LetterWord("127.0.0.1", instance.getPort(), "srvr").contains("Mode: leader")) {
				return instance;
			}
		}
		throw new IllegalStateException("There is no leader");
	}

}
