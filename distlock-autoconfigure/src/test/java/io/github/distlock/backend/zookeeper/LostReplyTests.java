package io.github.distlock.backend.zookeeper;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.Objects;
import java.util.concurrent.CompletionStage;

import io.github.distlock.LockBackendException;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockStore.Successor;
import io.github.distlock.backend.ReleaseResult;
import io.github.distlock.backend.Ticket;
import io.github.distlock.contract.Answers;
import io.github.distlock.testing.TcpProxy;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryNTimes;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Commands that ZooKeeper has executed, but whose replies were lost.
 */
@Execution(ExecutionMode.CONCURRENT)
class LostReplyTests {

	private static final Duration SESSION = Duration.ofSeconds(60);

	private static final String FOLDER = "/distlock/lost";

	@AutoClose
	private final BareNodes nodes = new BareNodes(SESSION);

	private final TcpProxy proxy = this.nodes.proxy;

	private final BareNode one = this.nodes.proxied();

	private final BareNode other = this.nodes.node();

	@BeforeEach
	void createFolder() {
		this.one.release(this.one.hold("lost"));
	}

	private long nodes() {
		return ZooKeeperStoreUnderTest.itemsBelow(this.other.client, FOLDER);
	}

	private void loseReplies(Runnable command) {
		this.proxy.mute();
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(command::run)
			.withMessageContaining("'lost'")
			.withMessageContaining(this.nodes.proxyAddress())
			.withMessageContaining("distlock.zookeeper.command-timeout");
		this.proxy.cut();
	}

	/** Repeats the command until the store replies, as the registry does. */
	private static <T> T answered(Callable<T> command) {
		return await().ignoreException(LockBackendException.class).until(command, Objects::nonNull);
	}

	@Test
	void anAttemptWhoseReplyWasLostFindsItsOwnNode() throws Exception {
		Ticket ticket = this.one.ticket("lost");
		loseReplies(() -> this.one.attempt(ticket));
		String name = this.other.client.getChildren().forPath(FOLDER).get(0);
		Grant grant = BareNode.granted(answered(() -> this.one.attempt(ticket)));
		assertThat(this.other.client.getChildren().forPath(FOLDER)).containsExactly(name);
		assertThat(grant.firstToken())
			.isEqualTo(this.other.client.checkExists().forPath(FOLDER + "/" + name).getCzxid() * 64);
		assertThat(this.one.release(ticket)).isTrue();
		assertThat(this.other.attemptOnce("lost")).isInstanceOf(Grant.class);
	}

	@Test
	void aFailedReleaseIsRepeatedWithoutAnotherCall() {
		Ticket ticket = this.one.hold("lost");
		this.proxy.refuse(true);
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> this.one.release(ticket));
		assertThat(nodes()).isEqualTo(1);
		this.proxy.refuse(false);
		await().until(() -> nodes() == 0);
	}

	@Test
	void aReleaseWhoseReplyWasLostHasReleased() {
		Ticket ticket = this.one.hold("lost");
		Ticket next = this.one.ticket("lost");
		loseReplies(() -> Answers.of(this.one.store.release(ticket, 0, new Successor(next, Duration.ofSeconds(30)))));
		assertThat(answered(() -> this.one.attempt(next))).isInstanceOf(Grant.class);
		assertThat(nodes()).isEqualTo(1);
	}

	@Test
	void aReleaseThatNoThreadWaitsForFailsWithItsConnection() {
		Ticket ticket = this.one.hold("lost");
		this.proxy.mute();
		CompletionStage<ReleaseResult> release = this.one.store.release(ticket, 0, null);
		this.proxy.cut();
		assertThat(release.toCompletableFuture()).failsWithin(Duration.ofSeconds(30))
			.withThrowableThat()
			.withCauseInstanceOf(LockBackendException.class)
			.withMessageContaining("release of lock 'lost'");
		await().until(() -> nodes() == 0);
	}

	@Test
	void aClientThatRepeatsCommandsByItselfLeavesNoSecondNode() {
		CuratorFramework stubborn = CuratorFrameworkFactory.builder()
			.connectString(this.nodes.proxyAddress())
			.sessionTimeoutMs((int) SESSION.toMillis())
			.retryPolicy(new RetryNTimes(100, 100))
			.build();
		BareNode node = this.nodes.hasty(stubborn);
		node.release(node.hold("lost"));
		Ticket ticket = node.ticket("lost");
		loseReplies(() -> node.attempt(ticket));
		// The client creates a second node, behind the first.
		assertThat(answered(() -> BareNode.granted(node.attempt(ticket)))).isNotNull();
		assertThat(nodes()).isEqualTo(1);
		assertThat(node.release(ticket)).isTrue();
		assertThat(nodes()).isZero();
		Ticket unwanted = node.ticket("lost");
		loseReplies(() -> node.attempt(unwanted));
		answered(() -> {
			Answers.of(node.store.cancel(unwanted));
			return true;
		});
		assertThat(nodes()).isZero();
	}

}
