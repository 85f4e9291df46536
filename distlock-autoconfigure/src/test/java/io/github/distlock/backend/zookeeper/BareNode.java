package io.github.distlock.backend.zookeeper;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.github.distlock.LockInstance;
import io.github.distlock.LockMode;
import io.github.distlock.backend.AttemptOptions;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockSignals;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.StoreInspection;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.contract.Answers;
import org.apache.curator.framework.CuratorFramework;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The store of one JVM, without a registry, with a client of its own.
 */
final class BareNode implements LockSignals, AutoCloseable {

	private static final AtomicLong numbers = new AtomicLong();

	final CuratorFramework client;

	final ZooKeeperLockBackend backend;

	final LockStore store;

	final Map<Ticket, Grant> grants = new ConcurrentHashMap<>();

	final Queue<Ticket> ticketsInDoubt = new ConcurrentLinkedQueue<>();

	/** The tickets of each signal that renewals are needed. */
	final Queue<Collection<Ticket>> doubtSignals = new ConcurrentLinkedQueue<>();

	final AtomicInteger retrySignals = new AtomicInteger();

	final LockInstance self = new LockInstance(UUID.randomUUID().toString(), "shop", "host-7", 4711L);

	BareNode(CuratorFramework client, TimeSource clock) {
		this(client, clock, Duration.ofSeconds(2));
	}

	BareNode(CuratorFramework client, TimeSource clock, Duration commandTimeout) {
		this.client = client;
		client.start();
		this.backend = new ZooKeeperLockBackend(client,
				new ZooKeeperBackendSettings(ZooKeeperStoreUnderTest.ROOT, commandTimeout, 17), clock);
		this.store = this.backend.open(new StoreContext(this.self, this));
	}

	BareNode(CuratorFramework client) {
		this(client, TimeSource.SYSTEM);
	}

	Ticket ticket(String key) {
		return ticket(key, LockMode.EXCLUSIVE);
	}

	Ticket ticket(String key, LockMode mode) {
		return new Ticket(key, mode, this.self.text(), numbers.incrementAndGet(), mode == LockMode.READ);
	}

	AttemptResult attempt(Ticket ticket) {
		return Answers.of(this.store.attempt(ticket, Duration.ofSeconds(30), AttemptOptions.queue(true)));
	}

	AttemptResult attemptOnce(String key) {
		return Answers.of(this.store.attempt(ticket(key), Duration.ofSeconds(30), AttemptOptions.queue(false)));
	}

	Ticket hold(String key) {
		Ticket ticket = ticket(key);
		granted(attempt(ticket));
		return ticket;
	}

	Ticket queue(String key) {
		Ticket ticket = ticket(key);
		assertThat(attempt(ticket)).isInstanceOf(AttemptResult.Queued.class);
		return ticket;
	}

	StoreInspection inspection() {
		return Objects.requireNonNull(this.store.inspection());
	}

	boolean release(Ticket ticket) {
		return Answers.of(this.store.release(ticket, 0, null)).released();
	}

	Grant awaitGrant(Ticket ticket) {
		await().atMost(Duration.ofSeconds(20)).until(() -> this.grants.containsKey(ticket));
		return Objects.requireNonNull(this.grants.get(ticket));
	}

	static Grant granted(AttemptResult result) {
		assertThat(result).isInstanceOf(AttemptResult.Granted.class);
		return ((AttemptResult.Granted) result).grant();
	}

	@Override
	public void granted(Ticket ticket, Grant grant) {
		this.grants.put(ticket, grant);
	}

	@Override
	public void retry(Ticket ticket) {
	}

	@Override
	public void retryAll() {
		this.retrySignals.incrementAndGet();
	}

	@Override
	public void renewNow(Collection<Ticket> tickets) {
		this.doubtSignals.add(tickets);
		this.ticketsInDoubt.addAll(tickets);
	}

	/** Close the store, and end its session. */
	@Override
	public void close() {
		this.store.close();
		this.client.close();
	}

}
