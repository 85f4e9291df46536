package io.github.distlock.backend.zookeeper;

import java.time.Duration;

import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.zookeeper.ZooKeeperSession.TicketNode;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a ticket decides when its node is found to be the first, and is removed at the
 * same time.
 */
class ZooKeeperTicketTests {

	@AutoClose
	@RegisterExtension
	static final BareNodes nodes = new BareNodes(Duration.ofSeconds(30));

	private ZooKeeperTicket ticket;

	private TicketNode node;

	private TicketNode later;

	@BeforeEach
	void createNode() throws Exception {
		BareNode jvm = nodes.node();
		ZooKeeperSession session = new ZooKeeperSession(jvm.client, jvm.client.getZookeeperClient().getZooKeeper(),
				TimeSource.SYSTEM);
		ZooKeeperConnection connection = new ZooKeeperConnection(jvm.client, Duration.ofSeconds(2), TimeSource.SYSTEM,
				(ZooKeeperLockStore) jvm.store);
		this.ticket = new ZooKeeperTicket(jvm.ticket("key"), new KeyFolder("/distlock/key"), connection, (deleting) -> {
		}, (gone) -> {
		});
		String prefix = "/distlock/key/" + LockPaths.nodePrefix(this.ticket.ticket());
		this.node = new TicketNode(prefix + "0000000000", 7 * 64, session);
		this.later = new TicketNode(prefix + "0000000001", 8 * 64, session);
		this.ticket.created(this.node, true);
	}

	@Test
	void aTicketDoesNotHoldTheLockByANodeThatWasRemoved() {
		this.ticket.removed(this.node);
		assertThat(this.ticket.hold(this.node)).isFalse();
		assertThat(this.ticket.isHeld()).isFalse();
	}

	@Test
	void aTicketWhoseNodeIsRemovedDoesNotHoldTheLockAnyMore() {
		assertThat(this.ticket.hold(this.node)).isTrue();
		this.ticket.removed(this.node);
		assertThat(this.ticket.isHeld()).isFalse();
	}

	@Test
	void whatIsFoundAboutAnEarlierNodeDoesNotConcernTheLaterOne() {
		this.ticket.created(this.later, true);
		assertThat(this.ticket.hold(this.node)).isFalse();
		assertThat(this.ticket.hold(this.later)).isTrue();
		assertThat(this.ticket.hold(this.node)).isFalse();
		this.ticket.removed(this.node);
		assertThat(this.ticket.isHeld()).isTrue();
	}

	@Test
	void aLaterNodeIsNotHeldBecauseAnEarlierOneWas() {
		assertThat(this.ticket.hold(this.node)).isTrue();
		this.ticket.created(this.later, true);
		assertThat(this.ticket.isHeld()).as("else its removal would count as that of the first node").isFalse();
	}

	@Test
	void anAbandonedTicketDoesNotHoldTheLockAndGetsNoNode() {
		this.ticket.abandon();
		assertThat(this.ticket.hold(this.node)).isFalse();
		assertThat(this.ticket.obtainNode(this.node.session())).isCompletedExceptionally();
	}

}
