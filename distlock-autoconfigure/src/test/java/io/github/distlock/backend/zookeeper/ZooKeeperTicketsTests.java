package io.github.distlock.backend.zookeeper;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.distlock.LockMode;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.zookeeper.ZooKeeperTicket.TicketNode;
import io.github.distlock.testing.TcpProxy;
import io.github.distlock.testing.ZooKeeperTestServer;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.CreateMode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What the replies to deletions say about the places in a queue. Here the test decides
 * when a deletion is repeated.
 */
class ZooKeeperTicketsTests implements ZooKeeperConnection.SessionListener {

	private static final Duration SESSION = Duration.ofSeconds(20);

	private static final String FOLDER = "/distlock/key";

	private final ZooKeeperTestServer server = ZooKeeperTestServer.start();

	private final TcpProxy proxy = new TcpProxy(this.server.port());

	private final CuratorFramework client = ZooKeeperTestServer.client("127.0.0.1:" + this.proxy.port(), SESSION);

	private final CuratorFramework other = ZooKeeperTestServer.client(this.server.connectString(), SESSION);

	private final ZooKeeperConnection connection = new ZooKeeperConnection(this.client,
			new ClientSession(this.client, TimeSource.SYSTEM), Duration.ofSeconds(5), TimeSource.SYSTEM, this);

	private final ZooKeeperTickets tickets = new ZooKeeperTickets(this.connection, new LockPaths("/distlock"),
			(ticket) -> {
			});

	@BeforeEach
	void start() {
		this.client.start();
		this.other.start();
		this.connection.start();
	}

	@AfterEach
	void stop() {
		this.connection.close();
		this.client.close();
		this.other.close();
		this.proxy.close();
		this.server.close();
	}

	private ZooKeeperTicket ticket(int number) {
		return this.tickets.obtain(new Ticket("key", LockMode.EXCLUSIVE, "one", number, false));
	}

	private static <T> T reply(CompletableFuture<T> reply) throws Exception {
		return reply.get(20, TimeUnit.SECONDS);
	}

	/** The replies to earlier commands and the events before them have been received. */
	private void sync() throws Exception {
		reply(session().commands().sync("/"));
	}

	private ZooKeeperSession session() {
		return this.connection.await(this.connection.send("test", CompletableFuture::completedFuture));
	}

	private TicketNode create(ZooKeeperTicket ticket) throws Exception {
		return reply(this.tickets.obtainNode(ticket, session()));
	}

	private void holdAndRelease(ZooKeeperTicket ticket) throws Exception {
		TicketNode node = create(ticket);
		this.tickets.watchFolderIfUseful(ticket, session());
		sync();
		assertThat(ticket.hold(node)).isTrue();
		ticket.keyFolder().holds(ticket, node, this.connection.disconnects());
		assertThat(reply(this.tickets.delete(ticket))).isTrue();
	}

	private void disconnect() {
		this.proxy.refuse(true);
		await().atMost(Duration.ofSeconds(20)).until(() -> this.connection.connectedSession() == null);
	}

	private void connectAgain() throws Exception {
		this.proxy.refuse(false);
		await().atMost(Duration.ofSeconds(20)).until(() -> this.connection.connectedSession() != null);
		sync();
	}

	@Test
	void aRepeatedDeletionSaysNothingAboutTheNodesOfANewFolder() throws Exception {
		ZooKeeperTicket first = ticket(1);
		ZooKeeperTicket givenUp = ticket(2);
		holdAndRelease(first);
		assertThat(create(givenUp).number()).isOne();
		this.proxy.mute();
		CompletableFuture<Boolean> deletion = this.tickets.delete(givenUp);
		await().until(() -> this.other.getChildren().forPath(FOLDER).isEmpty());
		disconnect();
		assertThat(deletion).failsWithin(Duration.ofSeconds(20));
		this.other.delete().forPath(FOLDER);
		this.other.create().forPath(FOLDER);
		connectAgain();
		ZooKeeperTicket again = ticket(3);
		holdAndRelease(again);
		String holder = this.other.create()
			.withMode(CreateMode.EPHEMERAL_SEQUENTIAL)
			.forPath(FOLDER + "/other:1" + LockPaths.SEPARATOR);
		assertThat(NodeQueue.sequence(holder.substring(FOLDER.length() + 1))).isOne();
		assertThat(reply(this.tickets.delete(givenUp))).isTrue();
		ZooKeeperTicket waiting = ticket(4);
		TicketNode node = create(waiting);
		assertThat(node.number()).isEqualTo(2);
		assertThat(waiting.keyFolder().isFirst(waiting, node, this.connection.disconnects())).isFalse();
	}

	@Override
	public void sessionInDoubt() {
	}

	@Override
	public void stillConnected() {
	}

	@Override
	public void connected(boolean newSession) {
	}

}
