package io.github.distlock.backend.zookeeper;

import java.time.Duration;
import java.util.Collection;
import java.util.Objects;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.distlock.LockInstance;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.testing.StoreNode;
import org.apache.curator.framework.CuratorFramework;

import static org.awaitility.Awaitility.await;

/**
 * The store of one JVM, without a registry, with a client of its own.
 */
final class BareNode extends StoreNode {

	final CuratorFramework client;

	/** The tickets of each signal that renewals are needed. */
	final Queue<Collection<Ticket>> doubtSignals = new ConcurrentLinkedQueue<>();

	final AtomicInteger retrySignals = new AtomicInteger();

	BareNode(CuratorFramework client) {
		// Longer than a machine pauses.
		this(client, Duration.ofSeconds(20));
	}

	BareNode(CuratorFramework client, Duration commandTimeout) {
		super(backend(client, commandTimeout), new LockInstance(UUID.randomUUID().toString(), "shop", "host-7", 4711L));
		this.client = client;
	}

	private static ZooKeeperLockBackend backend(CuratorFramework client, Duration commandTimeout) {
		client.start();
		return new ZooKeeperLockBackend(client,
				new ZooKeeperBackendSettings(ZooKeeperStoreUnderTest.ROOT, commandTimeout, 17), TimeSource.SYSTEM);
	}

	Grant awaitGrant(Ticket ticket) {
		await().until(() -> this.grants.containsKey(ticket));
		return Objects.requireNonNull(this.grants.get(ticket));
	}

	@Override
	public void retryAll() {
		this.retrySignals.incrementAndGet();
	}

	@Override
	public void renewNow(Collection<Ticket> tickets) {
		this.doubtSignals.add(tickets);
		super.renewNow(tickets);
	}

	/** Close the store, and end its session. */
	@Override
	public void close() {
		super.close();
		this.client.close();
	}

}
