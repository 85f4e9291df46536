package io.github.distlock.backend.zookeeper;

import java.time.Duration;
import java.util.Objects;

import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.zookeeper.KeyFolder.Place;
import io.github.distlock.backend.zookeeper.ZooKeeperTicket.TicketNode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a JVM knows about a queue after its session has expired, and a ticket has a node
 * that may not be its only one.
 */
class KeyFolderTests {

	private static final String FOLDER = "/distlock/key";

	private static final int DISCONNECTS = 1;

	@RegisterExtension
	static final BareNodes nodes = new BareNodes(Duration.ofSeconds(8));

	private final KeyFolder folder = new KeyFolder(FOLDER);

	private BareNode jvm;

	private ZooKeeperSession expired;

	private ZooKeeperSession session;

	@BeforeEach
	void createSessions() throws Exception {
		this.jvm = nodes.node();
		this.expired = createSession();
		this.session = createSession();
	}

	private ZooKeeperSession createSession() throws Exception {
		return new ZooKeeperSession(this.jvm.client, this.jvm.client.getZookeeperClient().getZooKeeper(),
				TimeSource.SYSTEM);
	}

	private ZooKeeperTicket ticket() {
		return new ZooKeeperTicket(this.jvm.ticket("key"), this.folder);
	}

	private TicketNode node(ZooKeeperTicket ticket, int number, ZooKeeperSession owner) {
		String prefix = FOLDER + "/" + LockPaths.nodePrefix(ticket.ticket());
		return TicketNode.created(prefix + "%010d".formatted(number), number, owner);
	}

	/** A creation with one reply, on a connection that was not lost. */
	private TicketNode createOnly(ZooKeeperTicket ticket, int number, ZooKeeperSession owner) {
		TicketNode node = node(ticket, number, owner);
		ticket.created(node, true);
		this.folder.created(ticket, node);
		return node;
	}

	/** A creation that may have left another node. */
	private TicketNode createPerhapsTwice(ZooKeeperTicket ticket, int number) {
		TicketNode node = node(ticket, number, this.session);
		ticket.created(node, false);
		return node;
	}

	private void holdAndRelease(int number) {
		ZooKeeperTicket ticket = ticket();
		this.folder.holds(ticket, createOnly(ticket, number, this.session), DISCONNECTS);
		this.folder.removed(ticket, true);
	}

	private void watch() {
		this.folder.watched(Objects.requireNonNull(this.folder.requestWatch(this.session, DISCONNECTS)), true);
	}

	private Place place(ZooKeeperTicket ticket, TicketNode node) {
		return this.folder.place(ticket, node, DISCONNECTS);
	}

	@Test
	void aTicketIsBehindAnotherOneOfThisJvm() {
		ZooKeeperTicket before = ticket();
		ZooKeeperTicket ticket = ticket();
		createOnly(before, 5, this.session);
		assertThat(place(ticket, createOnly(ticket, 6, this.session))).isEqualTo(Place.BEHIND_OWN);
		assertThat(this.folder.removed(before, true)).isSameAs(ticket);
	}

	@Test
	void aTicketIsNotBehindTheNodeThatAnotherOneHadInAnEarlierSession() {
		ZooKeeperTicket before = ticket();
		ZooKeeperTicket ticket = ticket();
		createOnly(before, 5, this.expired);
		createPerhapsTwice(before, 9);
		assertThat(place(ticket, createOnly(ticket, 6, this.session))).isEqualTo(Place.UNKNOWN);
	}

	@Test
	void theNextNumberIsFirstAfterARelease() {
		holdAndRelease(3);
		watch();
		holdAndRelease(4);
		ZooKeeperTicket ticket = ticket();
		assertThat(place(ticket, createOnly(ticket, 5, this.session))).isEqualTo(Place.FIRST);
	}

	@Test
	void theDeletionOfALaterNodeSaysNothingAboutTheNumberThatATicketHadInAnEarlierSession() {
		ZooKeeperTicket renamed = ticket();
		createOnly(renamed, 5, this.expired);
		holdAndRelease(3);
		watch();
		holdAndRelease(4);
		createPerhapsTwice(renamed, 9);
		this.folder.removed(renamed, true);
		ZooKeeperTicket ticket = ticket();
		assertThat(place(ticket, createOnly(ticket, 6, this.session))).isEqualTo(Place.UNKNOWN);
	}

	@Test
	void aNodeThatMayNotBeTheOnlyOneIsNotTakenForTheEarlierOneWithItsNumber() {
		ZooKeeperTicket ticket = ticket();
		createOnly(ticket, 5, this.expired);
		holdAndRelease(3);
		watch();
		holdAndRelease(4);
		assertThat(place(ticket, createPerhapsTwice(ticket, 5))).isEqualTo(Place.UNKNOWN);
	}

}
