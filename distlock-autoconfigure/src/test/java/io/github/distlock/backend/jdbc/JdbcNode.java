package io.github.distlock.backend.jdbc;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

import javax.sql.DataSource;

import io.github.distlock.LockInstance;
import io.github.distlock.LockMode;
import io.github.distlock.backend.AttemptOptions;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.StoreInspection;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.jdbc.JdbcBackendSettings.TableNames;
import io.github.distlock.contract.Answers;
import io.github.distlock.testing.NoSignals;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The store of one JVM, used without a registry.
 */
final class JdbcNode extends NoSignals implements AutoCloseable {

	static final Duration LEASE = Duration.ofSeconds(30);

	final LockStore store;

	final Queue<Ticket> granted = new ConcurrentLinkedQueue<>();

	final Queue<Ticket> retried = new ConcurrentLinkedQueue<>();

	final Queue<Ticket> doubted = new ConcurrentLinkedQueue<>();

	private final AtomicLong numbers = new AtomicLong();

	/** The first tokens of the grants that an operator has ended. */
	final Map<Ticket, Long> ended = new ConcurrentHashMap<>();

	private final String instance;

	JdbcNode(LockBackend backend) {
		this(backend, LockInstance.of(UUID.randomUUID().toString()));
	}

	JdbcNode(LockBackend backend, LockInstance self) {
		this.instance = self.text();
		this.store = backend.open(new StoreContext(self, this));
	}

	/** A node whose tickets name an application, a host and a process. */
	static JdbcNode named(DataSource dataSource, String prefix, boolean rows) {
		JdbcBackendSettings settings = settings(prefix, 10, TableNames.DEFAULT);
		return new JdbcNode(
				rows ? JdbcBackend.row(dataSource, settings, TimeSource.SYSTEM)
						: JdbcBackend.lease(dataSource, settings, TimeSource.SYSTEM),
				new LockInstance(UUID.randomUUID().toString().substring(0, 8), "order-service", "host-7", 4711L));
	}

	StoreInspection inspection() {
		return Objects.requireNonNull(this.store.inspection());
	}

	String instance() {
		return this.instance;
	}

	static JdbcNode lease(DataSource dataSource) {
		return lease(dataSource, TableNames.DEFAULT);
	}

	static JdbcNode lease(DataSource dataSource, TableNames tables) {
		return new JdbcNode(JdbcBackend.lease(dataSource, settings("distlock:", 10, tables), TimeSource.SYSTEM));
	}

	/**
	 * A failed attempt counts as a waiting JVM for twice the poll interval: longer than a
	 * test.
	 */
	private static JdbcBackendSettings settings(String prefix, int connections, TableNames tables) {
		return new JdbcBackendSettings(prefix, Duration.ofSeconds(2), Duration.ofSeconds(30), 17, 3, connections, true,
				tables);
	}

	static JdbcNode row(DataSource dataSource) {
		return row(dataSource, 10);
	}

	static JdbcNode row(DataSource dataSource, int connections) {
		return new JdbcNode(
				JdbcBackend.row(dataSource, settings("distlock:", connections, TableNames.DEFAULT), TimeSource.SYSTEM));
	}

	Ticket ticket(String key) {
		return new Ticket(key, LockMode.EXCLUSIVE, this.instance, this.numbers.incrementAndGet(), false);
	}

	AttemptResult attempt(Ticket ticket) {
		return Answers.of(this.store.attempt(ticket, LEASE, AttemptOptions.queue(true)));
	}

	AttemptResult attemptOnce(String key) {
		return Answers.of(this.store.attempt(ticket(key), LEASE, AttemptOptions.queue(false)));
	}

	Grant take(Ticket ticket) {
		AttemptResult result = attempt(ticket);
		assertThat(result).isInstanceOf(AttemptResult.Granted.class);
		return ((AttemptResult.Granted) result).grant();
	}

	/**
	 * Whether a waiting ticket has the lock now: it was told so, or its next attempt gets
	 * it.
	 */
	boolean has(Ticket ticket) {
		return this.granted.contains(ticket) || attempt(ticket) instanceof AttemptResult.Granted;
	}

	boolean release(Ticket ticket) {
		return Answers.of(this.store.release(ticket, 0, null)).released();
	}

	@Override
	public void granted(Ticket ticket, Grant grant) {
		this.granted.add(ticket);
	}

	@Override
	public void retry(Ticket ticket) {
		this.retried.add(ticket);
	}

	@Override
	public void renewNow(Collection<Ticket> tickets) {
		this.doubted.addAll(tickets);
	}

	@Override
	public void ended(Ticket ticket, long grantToken) {
		this.ended.put(ticket, grantToken);
	}

	@Override
	public void close() {
		this.store.close();
	}

}
