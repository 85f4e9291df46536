package io.github.distlock.backend.zookeeper;

import java.time.Duration;

import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.zookeeper.ZooKeeperTicket.TicketNode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a ticket decides when its node is found to be the first, and is removed at the
 * same time.
 */
class ZooKeeperTicketTests {

	@RegisterExtension
	static final BareNodes nodes = new BareNodes(Duration.ofSeconds(8));

	private ZooKeeperTicket ticket;

	private TicketNode node;

	private TicketNode later;

	@BeforeEach
	void createNode() throws Exception {
		BareNode jvm = nodes.node();
		ZooKeeperSession session = new ZooKeeperSession(jvm.client, jvm.client.getZookeeperClient().getZooKeeper(),
				TimeSource.SYSTEM);
		this.ticket = new ZooKeeperTicket(jvm.ticket("key"), new KeyFolder("/distlock/key"));
		String prefix = "/distlock/key/" + LockPaths.nodePrefix(this.ticket.ticket());
		this.node = TicketNode.created(prefix + "0000000000", 7, session);
		this.later = TicketNode.created(prefix + "0000000001", 8, session);
		this.ticket.created(this.node, true);
	}

	@Test
	void aTicketDoesNotHoldTheLockByANodeThatWasRemoved() {
		assertThat(this.ticket.removed(this.node)).isFalse();
		assertThat(this.ticket.hold(this.node)).isFalse();
		assertThat(this.ticket.isHeld()).isFalse();
	}

	@Test
	void theRemovalOfANodeTellsThatTheTicketHeldTheLockByIt() {
		assertThat(this.ticket.hold(this.node)).isTrue();
		assertThat(this.ticket.removed(this.node)).isTrue();
		assertThat(this.ticket.isHeld()).isFalse();
		assertThat(this.ticket.removed(this.node)).isFalse();
	}

	@Test
	void whatIsFoundAboutAnEarlierNodeDoesNotConcernTheLaterOne() {
		this.ticket.created(this.later, true);
		assertThat(this.ticket.hold(this.node)).isFalse();
		assertThat(this.ticket.hold(this.later)).isTrue();
		assertThat(this.ticket.hold(this.node)).isFalse();
		assertThat(this.ticket.removed(this.node)).isFalse();
		assertThat(this.ticket.isHeld()).isTrue();
	}

	@Test
	void anAbandonedTicketDoesNotHoldTheLock() {
		this.ticket.abandon();
		assertThat(this.ticket.hold(this.node)).isFalse();
	}

}
