package io.github.distlock.backend.zookeeper;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.github.distlock.LockInstance;
import io.github.distlock.backend.InstanceEntry;
import io.github.distlock.backend.StoreCalls;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;

/**
 * The entries of instances: an ephemeral node for each, so it ends with the session that
 * holds the instance's locks.
 */
final class InstanceNodes {

	private final LockInstance self;

	private final LockPaths paths;

	private final ZooKeeperConnection connection;

	/** Whether the entry is wanted: then it is created again in a new session. */
	private volatile boolean announced;

	InstanceNodes(LockInstance self, LockPaths paths, ZooKeeperConnection connection) {
		this.self = self;
		this.paths = paths;
		this.connection = connection;
	}

	/** Write the entry of this instance, unless only its id is known. */
	void announce() {
		if (this.self.isResolved()) {
			String command = "announcement of instance '" + this.self.id() + "'";
			ZooKeeperSession session = this.connection.session(command);
			this.announced = true;
			this.connection.await(announce(session), command);
		}
	}

	private CompletableFuture<Boolean> announce(ZooKeeperSession session) {
		byte[] data = InstanceEntry.encode(this.self).getBytes(StandardCharsets.UTF_8);
		AsyncZooKeeper commands = session.commands();
		return commands.write(entry(), data, AsyncZooKeeper.ANY_VERSION)
			.exceptionallyCompose((failure) -> mayNotWrite(failure) ? commands.stat(entry())
					: CompletableFuture.failedFuture(failure))
			.thenCompose((stat) -> create(session, data, stat));
	}

	/** To create and delete nodes is sufficient for locks. */
	private static boolean mayNotWrite(Throwable failure) {
		return StoreCalls.unwrap(failure) instanceof KeeperException.NoAuthException;
	}

	private CompletableFuture<Boolean> create(ZooKeeperSession session, byte[] data, Optional<Stat> existing) {
		if (existing.isPresent() && session.hasId(existing.get().getEphemeralOwner())) {
			return CompletableFuture.completedFuture(true);
		}
		AsyncZooKeeper commands = session.commands();
		// The server may not have noticed yet that the session before has ended.
		CompletableFuture<Boolean> cleared = existing.isPresent() ? commands.delete(entry())
				: CompletableFuture.completedFuture(false);
		return cleared.thenCompose((deleted) -> commands.createIfMissing(entry(), data))
			.thenCompose(
					(created) -> this.announced ? CompletableFuture.completedFuture(true) : commands.delete(entry()));
	}

	/** The client has connected. Must not block. */
	void connected() {
		ZooKeeperSession session = this.connection.connectedSession();
		if (this.announced && session != null) {
			announce(session);
		}
	}

	/** Remove the entry of this instance. */
	void withdraw() {
		if (this.announced) {
			String command = "removal of instance '" + this.self.id() + "'";
			this.announced = false;
			this.connection.await(this.connection.session(command).commands().delete(entry()), command);
		}
	}

	/** The store is closed, while the client may live on. Does not block. */
	void close() {
		ZooKeeperSession session = this.connection.connectedSession();
		if (this.announced && session != null) {
			session.commands().delete(entry());
		}
		this.announced = false;
	}

	/** The entries of all instances. */
	List<InstanceEntry> all() {
		String command = "list of instances";
		AsyncZooKeeper commands = this.connection.session(command).commands();
		return this.connection
			.await(commands.children(this.paths.instances())
				.thenCompose((names) -> commands.readAll(this.paths.instances(), names)), command)
			.stream()
			.flatMap(Optional::stream)
			.flatMap((node) -> Optional.ofNullable(InstanceEntry.decode(node.text()))
				.map((instance) -> new InstanceEntry(instance, Instant.ofEpochMilli(node.stat().getMtime())))
				.stream())
			.toList();
	}

	private String entry() {
		return this.paths.instance(this.self.id());
	}

}
