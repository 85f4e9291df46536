package io.github.distlock.backend.zookeeper;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.distlock.HeldLock;
import io.github.distlock.LockBackendException;
import io.github.distlock.LockLostException;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.LockRequest;
import io.github.distlock.registry.RegistrySettings.ReleaseMode;
import io.github.distlock.testing.HotKey;
import io.github.distlock.testing.ZooKeeperTestServer;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingCluster;
import org.apache.zookeeper.client.FourLetterWordMain;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * An ensemble of three servers whose leader is killed, under a user with the documented
 * rights.
 */
class EnsembleTests {

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
				RegistryNode node = new RegistryNode(
						LeastAccessTests.client(ensemble.getConnectString(), SESSION, "distlock:right"),
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
