package io.github.distlock.backend.zookeeper;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import io.github.distlock.LockMode;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Ticket;
import io.github.distlock.contract.Answers;
import io.github.distlock.testing.ZooKeeperTestServer;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryNTimes;
import org.apache.zookeeper.AsyncCallback;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterEach;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A thread that is preempted between two steps of a watch.
 */
class WatchOrderTests {

	private static final Duration SESSION = Duration.ofSeconds(8);

	private final ZooKeeperTestServer server = ZooKeeperTestServer.start();

	/** The action of another thread before the next watch is removed. */
	private final AtomicReference<@Nullable Runnable> beforeUnwatch = new AtomicReference<>();

	private final AtomicReference<CountDownLatch> watchSent = new AtomicReference<>(new CountDownLatch(1));

	private final BareNode holder = new BareNode(ZooKeeperTestServer.client(this.server.connectString(), SESSION));

	private final BareNode node = new BareNode(CuratorFrameworkFactory.builder()
		.connectString(this.server.connectString())
		.sessionTimeoutMs((int) SESSION.toMillis())
		.connectionTimeoutMs(2000)
		.retryPolicy(new RetryNTimes(0, 0))
		.zookeeperFactory((servers, timeout, watcher, readOnly) -> new PreemptedClient(servers, timeout, watcher))
		.build());

	@AfterEach
	void stop() {
		this.node.close();
		this.holder.close();
		this.server.close();
	}

	private Ticket reader() {
		Ticket reader = this.node.ticket("order", LockMode.READ);
		assertThat(this.node.attempt(reader)).isInstanceOf(AttemptResult.Queued.class);
		return reader;
	}

	@Test
	void aReaderThatArrivesWhileAnotherGivesUpKeepsItsWatch() throws Exception {
		Ticket writer = this.holder.hold("order");
		Ticket first = reader();
		CompletableFuture<Ticket> second = new CompletableFuture<>();
		this.watchSent.set(new CountDownLatch(1));
		this.beforeUnwatch.set(() -> CompletableFuture.runAsync(() -> second.complete(reader())));
		Answers.of(this.node.store.cancel(first));
		Ticket waiting = second.get(20, TimeUnit.SECONDS);
		this.holder.release(writer);
		// Without a registry the ticket is never attempted again: only the watch can
		// signal.
		assertThat(this.node.awaitGrant(waiting).firstToken()).isPositive();
	}

	/** Lets another thread run before a watch is removed. */
	private final class PreemptedClient extends ZooKeeper {

		private volatile boolean overtaken;

		PreemptedClient(String servers, int timeout, Watcher watcher) throws Exception {
			super(servers, timeout, watcher);
		}

		@Override
		public void getData(String path, Watcher watcher, AsyncCallback.DataCallback callback, Object context) {
			super.getData(path, watcher, callback, context);
			WatchOrderTests.this.watchSent.get().countDown();
		}

		@Override
		public void removeAllWatches(String path, Watcher.WatcherType type, boolean local,
				AsyncCallback.VoidCallback callback, Object context) {
			Runnable other = WatchOrderTests.this.beforeUnwatch.getAndSet(null);
			if (other != null) {
				other.run();
				try {
					// If the order is kept, the other thread waits for this one.
					this.overtaken = WatchOrderTests.this.watchSent.get().await(1, TimeUnit.SECONDS);
				}
				catch (InterruptedException ex) {
					Thread.currentThread().interrupt();
				}
			}
			super.removeAllWatches(path, type, local, callback, context);
		}

	}

}
