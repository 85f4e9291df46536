package io.github.distlock.backend.zookeeper;

import java.time.Duration;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockBackend.Successor;
import io.github.distlock.backend.Ticket;
import io.github.distlock.testing.TcpProxy;
import io.github.distlock.testing.ZooKeeperTestServer;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryNTimes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Commands that ZooKeeper has executed although nobody was told.
 */
class LostReplyTests {

	private static final Duration SESSION = Duration.ofSeconds(20);

	private static final String FOLDER = "/distlock/lost";

	private static ZooKeeperTestServer server;

	private TcpProxy proxy;

	private BareNode one;

	private BareNode other;

	@BeforeAll
	static void startServer() {
		server = ZooKeeperTestServer.start();
	}

	@AfterAll
	static void stopServer() {
		server.close();
	}

	@BeforeEach
	void startNodes() {
		this.proxy = new TcpProxy(server.port());
		this.one = new BareNode(ZooKeeperTestServer.client("127.0.0.1:" + this.proxy.port(), SESSION));
		this.other = new BareNode(ZooKeeperTestServer.client(server.connectString(), SESSION));
		// The folder is there from now on.
		this.one.release(this.one.hold("lost"));
	}

	@AfterEach
	void stopNodes() {
		this.one.close();
		this.other.close();
		this.proxy.close();
	}

	private long nodes() {
		return ZooKeeperStore.itemsBelow(this.other.client, FOLDER);
	}

	private void loseReplies(Runnable command) {
		this.proxy.mute();
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(command::run)
			.withMessageContaining("'lost'")
			.withMessageContaining("127.0.0.1:" + this.proxy.port())
			.withMessageContaining("distlock.zookeeper.command-timeout");
		this.proxy.cut();
	}

	/** As the registry does. */
	private AttemptResult attemptUntilAnswered(Ticket ticket) {
		AttemptResult[] result = new AttemptResult[1];
		await().ignoreException(LockBackendException.class).atMost(Duration.ofSeconds(15)).until(() -> {
			result[0] = this.one.attempt(ticket);
			return true;
		});
		return result[0];
	}

	@Test
	void anAttemptWhoseReplyWasLostFindsItsOwnNode() throws Exception {
		Ticket ticket = this.one.ticket("lost");
		loseReplies(() -> this.one.attempt(ticket));
		String name = this.other.client.getChildren().forPath(FOLDER).get(0);
		Grant grant = BareNode.granted(attemptUntilAnswered(ticket));
		assertThat(this.other.client.getChildren().forPath(FOLDER)).containsExactly(name);
		assertThat(grant.firstToken())
			.isEqualTo(this.other.client.checkExists().forPath(FOLDER + "/" + name).getCzxid() * 64);
		assertThat(this.one.release(ticket)).isTrue();
		assertThat(this.other.attemptOnce("lost")).isInstanceOf(AttemptResult.Granted.class);
	}

	@Test
	void anAttemptWhoseReplyWasLostAndThatIsCancelledLeavesNothing() {
		Ticket ticket = this.one.ticket("lost");
		loseReplies(() -> this.one.attempt(ticket));
		assertThat(nodes()).isEqualTo(1);
		await().ignoreException(LockBackendException.class).atMost(Duration.ofSeconds(15)).until(() -> {
			this.one.backend.cancel(ticket);
			return true;
		});
		assertThat(nodes()).isZero();
	}

	@Test
	void aTicketThatCannotBeCancelledIsForgottenWithoutBeingAskedAgain() {
		Ticket ticket = this.one.ticket("lost");
		loseReplies(() -> this.one.attempt(ticket));
		this.proxy.refuse(true);
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> this.one.backend.cancel(ticket))
			.withMessageContaining("127.0.0.1:" + this.proxy.port());
		assertThat(nodes()).isEqualTo(1);
		this.proxy.refuse(false);
		await().atMost(Duration.ofSeconds(15)).until(() -> nodes() == 0);
	}

	@Test
	void aReleaseThatNobodyAnsweredIsMadeUpForWithoutBeingAskedAgain() {
		Ticket ticket = this.one.hold("lost");
		this.proxy.refuse(true);
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> this.one.release(ticket));
		assertThat(nodes()).isEqualTo(1);
		this.proxy.refuse(false);
		await().atMost(Duration.ofSeconds(15)).until(() -> nodes() == 0);
	}

	@Test
	void aReleaseWhoseReplyWasLostHasReleased() {
		Ticket ticket = this.one.hold("lost");
		Ticket next = this.one.ticket("lost");
		loseReplies(() -> this.one.backend.release(ticket, 0, new Successor(next, Duration.ofSeconds(30))));
		assertThat(attemptUntilAnswered(next)).isInstanceOf(AttemptResult.Granted.class);
		assertThat(nodes()).isEqualTo(1);
	}

	@Test
	void aClientThatRepeatsCommandsByItselfLeavesNoSecondNode() {
		CuratorFramework stubborn = CuratorFrameworkFactory.builder()
			.connectString("127.0.0.1:" + this.proxy.port())
			.sessionTimeoutMs((int) SESSION.toMillis())
			.retryPolicy(new RetryNTimes(100, 100))
			.build();
		try (BareNode node = new BareNode(stubborn)) {
			node.release(node.hold("lost"));
			this.proxy.mute();
			Ticket ticket = node.ticket("lost");
			assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> node.attempt(ticket));
			this.proxy.cut();
			// The client has created a second node by now, behind the first.
			await().atMost(Duration.ofSeconds(15)).until(() -> nodes() == 2);
			BareNode.granted(node.attempt(ticket));
			assertThat(nodes()).isEqualTo(1);
			assertThat(node.release(ticket)).isTrue();
			this.proxy.mute();
			Ticket unwanted = node.ticket("lost");
			assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> node.attempt(unwanted));
			this.proxy.cut();
			await().atMost(Duration.ofSeconds(15)).until(() -> nodes() == 2);
			node.backend.cancel(unwanted);
			assertThat(nodes()).isZero();
		}
	}

}
