package io.github.distlock.backend.jdbc;

import java.time.Duration;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

import javax.sql.DataSource;

import io.github.distlock.LockMode;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.LockSignals;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The store of one JVM, used without a registry.
 */
final class JdbcNode implements LockSignals, AutoCloseable {

	static final Duration LEASE = Duration.ofSeconds(30);

	final LockStore store;

	final Queue<Ticket> granted = new ConcurrentLinkedQueue<>();

	final Queue<Ticket> doubted = new ConcurrentLinkedQueue<>();

	private final AtomicLong numbers = new AtomicLong();

	private final String instance = UUID.randomUUID().toString();

	private JdbcNode(LockBackend backend) {
		this.store = backend.open(new StoreContext(this.instance, this));
	}

	static JdbcNode lease(DataSource dataSource) {
		return new JdbcNode(new JdbcLeaseBackend(dataSource, settings(10), TimeSource.SYSTEM));
	}

	/** A node with this number of reserved connections, or the default. */
	static JdbcNode leaseWithReserve(DataSource dataSource, @Nullable Integer reserved) {
		return new JdbcNode(new JdbcLeaseBackend(dataSource,
				new JdbcBackendSettings("distlock:", Duration.ofSeconds(2), Duration.ofSeconds(30), 10, 17, reserved),
				TimeSource.SYSTEM));
	}

	/** A node with at most one connection at a time. */
	static JdbcNode leaseByOne(DataSource dataSource) {
		return new JdbcNode(new JdbcLeaseBackend(dataSource, settings(1), TimeSource.SYSTEM));
	}

	/**
	 * A failed attempt counts as a waiting JVM for twice the poll interval: longer than a
	 * test.
	 */
	private static JdbcBackendSettings settings(int connections) {
		return new JdbcBackendSettings("distlock:", Duration.ofSeconds(2), Duration.ofSeconds(30), connections, 17);
	}

	static JdbcNode row(DataSource dataSource) {
		return row(dataSource, 10);
	}

	static JdbcNode row(DataSource dataSource, int connections) {
		return new JdbcNode(new JdbcRowBackend(dataSource, settings(connections), TimeSource.SYSTEM));
	}

	Ticket ticket(String key) {
		return new Ticket(key, LockMode.EXCLUSIVE, this.instance, this.numbers.incrementAndGet(), false);
	}

	AttemptResult attempt(Ticket ticket) {
		return this.store.attempt(ticket, LEASE, true);
	}

	AttemptResult attemptOnce(String key) {
		return this.store.attempt(ticket(key), LEASE, false);
	}

	Grant take(Ticket ticket) {
		AttemptResult result = attempt(ticket);
		assertThat(result).isInstanceOf(AttemptResult.Granted.class);
		return ((AttemptResult.Granted) result).grant();
	}

	boolean release(Ticket ticket) {
		return this.store.release(ticket, 0, null).released();
	}

	@Override
	public void granted(Ticket ticket, Grant grant) {
		this.granted.add(ticket);
	}

	@Override
	public void retry(Ticket ticket) {
	}

	@Override
	public void retryAll() {
	}

	@Override
	public void renewNow(Ticket ticket) {
		this.doubted.add(ticket);
	}

	@Override
	public void close() {
		this.store.close();
	}

}
