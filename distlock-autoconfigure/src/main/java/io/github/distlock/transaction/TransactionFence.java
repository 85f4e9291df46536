package io.github.distlock.transaction;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

import javax.sql.DataSource;

import io.github.distlock.backend.ControlledLock.FencedGrant;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.ResourceTransactionManager;

/**
 * Lets databases refuse the transactions of earlier holders. Each transaction that begins
 * under a lock writes the lock's token into the table {@code distlock_fence} of its own
 * database, as its first statement. If a later holder has written a higher token, the
 * transaction is refused. The row stays locked until the commit, so a later holder waits
 * for a commit that is under way.
 */
public final class TransactionFence {

	private static final Log logger = LogFactory.getLog(TransactionFence.class);

	/** A forgotten one costs a statement more. */
	private static final int REMEMBERED_COMMITS = 10_000;

	private static final String UNSUPPORTED = " is not supported: use PostgreSQL, MariaDB, MySQL or H2";

	private final String keyPrefix;

	private final FenceTable table;

	private final Set<String> required;

	private final Function<DataSource, String> creation;

	/** Whether tokens are written. */
	private final boolean writes;

	private final @Nullable TransactionLocks locks;

	private final List<FenceListener> listeners = new ArrayList<>();

	/**
	 * What open transactions have written. A transaction that begins under the same grant
	 * would wait for its own caller, or for that of its parent.
	 */
	private final Map<Written, TransactionStatus> open = new ConcurrentHashMap<>();

	/** What has been committed. Guarded by its own lock. */
	private final Map<Written, Boolean> committed = Collections.synchronizedMap(new LinkedHashMap<>() {

		@Override
		protected boolean removeEldestEntry(Map.Entry<Written, Boolean> eldest) {
			return size() > REMEMBERED_COMMITS;
		}

	});

	private final AtomicLong passed = new AtomicLong();

	private final AtomicLong refused = new AtomicLong();

	private final AtomicLong failed = new AtomicLong();

	/**
	 * Create the fence.
	 * @param keyPrefix the prefix of all keys in the lock stores
	 * @param table the name of the table
	 * @param required the names of the transaction managers that must be fenced
	 * @param creation creates the table in a database, if it is to be created, and
	 * returns why that has failed
	 * @param writes whether tokens are written
	 * @param locks the locks that transactions take, {@code null} without the store
	 * {@code transaction}
	 */
	public TransactionFence(String keyPrefix, String table, Collection<String> required,
			Function<DataSource, String> creation, boolean writes, @Nullable TransactionLocks locks) {
		this.keyPrefix = keyPrefix;
		this.table = new FenceTable(table);
		this.required = Set.copyOf(required);
		this.creation = creation;
		this.writes = writes;
		this.locks = locks;
	}

	@Nullable TransactionLocks locks() {
		return this.locks;
	}

	/** Whether the transactions of a manager take locks of the store transaction. */
	boolean takesLocks(TransactionManager manager) {
		return this.listeners.stream().anyMatch((listener) -> listener.takesLocks(manager));
	}

	boolean writes() {
		return this.writes;
	}

	/** Fence the transactions of a manager, or warn that they are not. */
	void fence(TransactionManager manager, String name) {
		DataSource dataSource = dataSource(manager);
		if (dataSource != null && manager instanceof AbstractPlatformTransactionManager platform && platform
			.getTransactionSynchronization() != AbstractPlatformTransactionManager.SYNCHRONIZATION_NEVER) {
			FenceListener listener = new FenceListener(this, platform, name, dataSource);
			platform.addListener(listener);
			this.listeners.add(listener);
			return;
		}
		if (this.writes) {
			logger.warn("Transactions of the transaction manager '" + name + "' (" + manager.getClass().getName()
					+ ") are not fenced: only a JdbcTransactionManager, a DataSourceTransactionManager or a"
					+ " JpaTransactionManager with a DataSource can be");
		}
	}

	private static @Nullable DataSource dataSource(TransactionManager manager) {
		if (TransactionBoundary.JPA && manager instanceof JpaTransactionManager jpa) {
			return jpa.getDataSource();
		}
		return (manager instanceof ResourceTransactionManager owner
				&& owner.getResourceFactory() instanceof DataSource dataSource) ? dataSource : null;
	}

	/**
	 * Create the table in each database, and check that it can be written. To be called
	 * when the application has created its own tables.
	 * @return what must fail the start, empty if nothing must
	 */
	public String verify() {
		List<String> missing = new ArrayList<>(this.required);
		this.listeners.forEach((listener) -> missing.remove(listener.managerName()));
		if (!missing.isEmpty() || this.listeners.isEmpty()) {
			return "distlock.transaction.fence is true, but "
					+ (missing.isEmpty() ? "no transaction manager" : "the transaction manager " + missing)
					+ " can be fenced.";
		}
		int unsupported = 0;
		for (FenceListener listener : this.listeners) {
			String problem = check(listener.dataSource());
			unsupported += (problem != null && problem.contains(UNSUPPORTED)) ? 1 : 0;
			if (problem != null
					&& (unsupported == this.listeners.size() || this.required.contains(listener.managerName()))) {
				return "distlock.transaction.fence is true, but the transaction manager '" + listener.managerName()
						+ "' cannot be fenced: " + problem + ".";
			}
			if (problem != null) {
				logger.error("The transactions of '" + listener.managerName() + "' cannot be fenced: " + problem);
			}
		}
		return "";
	}

	private @Nullable String check(DataSource dataSource) {
		String creationFailure = this.creation.apply(dataSource);
		try (Connection connection = dataSource.getConnection()) {
			if (FenceTable.platform(connection) == null) {
				return connection.getMetaData().getDatabaseProductName() + UNSUPPORTED;
			}
			boolean autoCommit = connection.getAutoCommit();
			connection.setAutoCommit(false);
			try {
				this.table.raise(connection, key(new FencedGrant("", UUID.randomUUID().toString(), 0, null)), 0,
						FenceListener.LONGEST_WAIT);
			}
			finally {
				connection.rollback();
				connection.setAutoCommit(autoCommit);
			}
			return null;
		}
		catch (SQLException | RuntimeException ex) {
			return ex.getMessage() + creationFailure + ". Until it is corrected, they are refused under a lock: "
					+ remedy();
		}
	}

	/** What to do if the table cannot be written. */
	String remedy() {
		return "run the script io/github/distlock/transaction/fence-<database>.sql of the jar, or set"
				+ " distlock.jdbc.initialize-schema=always, and grant SELECT, INSERT, UPDATE and DELETE on "
				+ this.table;
	}

	FenceTable table() {
		return this.table;
	}

	/**
	 * The key of a row. Different locks have different rows: the lengths say where a part
	 * ends.
	 */
	byte[] key(FencedGrant grant) {
		return (grant.backend().length() + ":" + grant.backend() + this.keyPrefix.length() + ":" + this.keyPrefix
				+ grant.key())
			.getBytes(StandardCharsets.UTF_8);
	}

	/** Return whether an open transaction has written this, or a committed one. */
	boolean isWritten(DataSource dataSource, FencedGrant grant) {
		Written written = Written.of(dataSource, grant);
		return this.open.containsKey(written) || this.committed.containsKey(written);
	}

	/**
	 * A transaction is about to write.
	 * @return whether no other open transaction has
	 */
	boolean cover(DataSource dataSource, FencedGrant grant, TransactionStatus transaction) {
		Written written = Written.of(dataSource, grant);
		TransactionStatus first = this.open.putIfAbsent(written, transaction);
		// An error may have left one that is not open any more.
		return first == null || (first.isCompleted() && this.open.replace(written, first, transaction));
	}

	void uncover(DataSource dataSource, FencedGrant grant, TransactionStatus transaction) {
		this.open.remove(Written.of(dataSource, grant), transaction);
	}

	void committed(DataSource dataSource, FencedGrant grant) {
		this.committed.put(Written.of(dataSource, grant), true);
	}

	void count(boolean isRefused) {
		(isRefused ? this.refused : this.passed).incrementAndGet();
	}

	void failed() {
		this.failed.incrementAndGet();
	}

	/**
	 * Return how many tokens were compared, by the outcome.
	 * @return the numbers, which only rise, by {@code passed}, {@code refused} and
	 * {@code failed}
	 */
	public Map<String, AtomicLong> outcomes() {
		return this.writes ? Map.of("passed", this.passed, "refused", this.refused, "failed", this.failed) : Map.of();
	}

	/** A token in the row of a lock. */
	private record Written(DataSource dataSource, String backend, String key, long token) {

		private static Written of(DataSource dataSource, FencedGrant grant) {
			return new Written(dataSource, grant.backend(), grant.key(), grant.token());
		}

	}

}
