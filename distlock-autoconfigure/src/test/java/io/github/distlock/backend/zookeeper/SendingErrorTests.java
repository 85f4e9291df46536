package io.github.distlock.backend.zookeeper;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Ticket;
import io.github.distlock.testing.ZooKeeperTestServer;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryNTimes;
import org.apache.zookeeper.AsyncCallback;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

/**
 * A command that the client cannot send, as when the stack is exhausted.
 */
class SendingErrorTests {

	private static final Duration SESSION = Duration.ofSeconds(8);

	private final ZooKeeperTestServer server = ZooKeeperTestServer.start();

	/** The number of deletions that are still to fail. */
	private final AtomicInteger failures = new AtomicInteger();

	private final BareNode other = new BareNode(ZooKeeperTestServer.client(this.server.connectString(), SESSION));

	private final BareNode node = new BareNode(CuratorFrameworkFactory.builder()
		.connectString(this.server.connectString())
		.sessionTimeoutMs((int) SESSION.toMillis())
		.connectionTimeoutMs(2000)
		.retryPolicy(new RetryNTimes(0, 0))
		.zookeeperFactory((servers, timeout, watcher, readOnly) -> new FailingClient(servers, timeout, watcher))
		.build());

	@AfterEach
	void stop() {
		this.node.close();
		this.other.close();
		this.server.close();
	}

	@Test
	void anErrorWhileANodeIsDeletedLeavesNoLockBehind() {
		Ticket ticket = this.node.hold("error");
		this.failures.set(1);
		assertThat(catchThrowable(() -> this.node.release(ticket))).isNotNull();
		assertThat(this.failures).hasValue(0);
		await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
			catchThrowable(() -> this.node.release(ticket));
			assertThat(this.other.attemptOnce("error")).isInstanceOf(AttemptResult.Granted.class);
		});
	}

	private final class FailingClient extends ZooKeeper {

		FailingClient(String servers, int timeout, Watcher watcher) throws Exception {
			super(servers, timeout, watcher);
		}

		@Override
		public void delete(String path, int version, AsyncCallback.VoidCallback callback, Object context) {
			if (SendingErrorTests.this.failures.getAndUpdate((left) -> Math.max(0, left - 1)) > 0) {
				throw new StackOverflowError();
			}
			super.delete(path, version, callback, context);
		}

	}

}
