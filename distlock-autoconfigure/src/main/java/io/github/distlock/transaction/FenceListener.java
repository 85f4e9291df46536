package io.github.distlock.transaction;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

import javax.sql.DataSource;

import io.github.distlock.HeldLock;
import io.github.distlock.LockBackendException;
import io.github.distlock.LockContext;
import io.github.distlock.LockLostException;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.backend.ControlledLock;
import io.github.distlock.backend.ControlledLock.FencedGrant;
import org.jspecify.annotations.Nullable;

import org.springframework.core.Ordered;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.PessimisticLockingFailureException;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.support.SQLExceptionSubclassTranslator;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Writes the tokens of the locks into the transactions of one manager, as their first
 * statement.
 */
final class FenceListener implements TransactionExecutionListener {

	static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

	private static final Duration FOREVER = Duration.ofMillis(Integer.MAX_VALUE);

	private static final int REPETITIONS = 5;

	/**
	 * Of two tokens of one lock the higher one first, so that the lower one is refused.
	 */
	private static final Comparator<Row> ORDER = Comparator.comparing((Row row) -> row.grant().backend())
		.thenComparing((row) -> row.grant().key())
		.thenComparing((row) -> row.grant().token(), Comparator.reverseOrder());

	private final TransactionFence fence;

	private final AbstractPlatformTransactionManager manager;

	private final String managerName;

	private final DataSource dataSource;

	/** What its transactions take, if it is the database of the store. */
	private final @Nullable TransactionLocks locks;

	/**
	 * The transactions from their begin until the last that the manager or Spring tells
	 * of them. One that never completes keeps its connection, too.
	 */
	private final Map<TransactionExecution, FencedTransaction> open = new ConcurrentHashMap<>();

	FenceListener(TransactionFence fence, AbstractPlatformTransactionManager manager, String managerName,
			DataSource dataSource) {
		this.fence = fence;
		this.manager = manager;
		this.managerName = managerName;
		this.dataSource = dataSource;
		TransactionLocks taken = fence.locks();
		this.locks = (taken != null && taken.dataSource() == dataSource) ? taken : null;
	}

	boolean takesLocks(TransactionManager other) {
		return this.manager == other && this.locks != null;
	}

	String managerName() {
		return this.managerName;
	}

	DataSource dataSource() {
		return this.dataSource;
	}

	/**
	 * A read-only transaction cannot write. The lock's first one in this database is
	 * preceded by a transaction that writes the token, so that it reads what earlier
	 * holders have committed, and no more of them can. An exception leaks nothing here.
	 */
	@Override
	public void beforeBegin(TransactionExecution transaction) {
		if (!transaction.isReadOnly() || transaction.isNested()) {
			return;
		}
		List<Row> unwritten = rows(LockContext.all());
		unwritten.removeIf((row) -> row.isTaken() || this.fence.isWritten(this.dataSource, row.grant()));
		if (unwritten.isEmpty()) {
			return;
		}
		try (Connection connection = this.dataSource.getConnection()) {
			boolean autoCommit = connection.getAutoCommit();
			connection.setAutoCommit(true);
			try {
				unwritten.forEach((row) -> repeatAfterDeadlock(() -> raise(connection, row, LONGEST_WAIT)));
			}
			finally {
				connection.setAutoCommit(autoCommit);
			}
		}
		catch (SQLException ex) {
			throw failure(unwritten.get(0), LONGEST_WAIT, ex);
		}
		unwritten.forEach((row) -> this.fence.committed(this.dataSource, row.grant()));
	}

	@Override
	public void afterBegin(TransactionExecution transaction, @Nullable Throwable beginFailure) {
		if (beginFailure != null || transaction.isNested()
				|| !(transaction instanceof DefaultTransactionStatus status)) {
			return;
		}
		FencedTransaction begun = new FencedTransaction(status);
		boolean written = false;
		try {
			TransactionSynchronizationManager.registerSynchronization(begun);
			this.open.put(status, begun);
			repeatAfterDeadlock(() -> begun.begin(LockContext.all()));
			written = true;
			begun.isFirst = false;
		}
		finally {
			if (!written) {
				this.open.remove(status);
				begun.end();
				rollBack(status);
			}
		}
	}

	/**
	 * If a new row is rolled back, InnoDB gives its lock to those that wait for it, as
	 * locks of the gap into which each wants to insert. What ends by that deadlock has
	 * done nothing else yet.
	 */
	private static void repeatAfterDeadlock(Runnable firstStatements) {
		for (int left = REPETITIONS;; left--) {
			try {
				firstStatements.run();
				return;
			}
			catch (PessimisticLockingFailureException | LockNotAcquiredException ex) {
				if (left == 0 || !FenceTable.isDeadlock(ex.getCause())) {
					throw ex;
				}
			}
		}
	}

	/**
	 * Roll back a transaction that does not begin: Spring would leave it bound to the
	 * thread. The caller of this listener resumes what was suspended.
	 */
	private void rollBack(DefaultTransactionStatus status) {
		this.manager.rollback(new DefaultTransactionStatus(status.getTransactionName(), status.getTransaction(), true,
				status.isNewSynchronization(), false, status.isReadOnly(), status.isDebug(), null));
	}

	@Override
	public void beforeCommit(TransactionExecution transaction) {
		FencedTransaction committing = this.open.get(transaction);
		if (committing != null) {
			committing.completeWrites();
		}
	}

	/** A commit that came before the first statement of the next holder stands. */
	@Override
	public void afterCommit(TransactionExecution transaction, @Nullable Throwable commitFailure) {
		FencedTransaction committed = this.open.remove(transaction);
		if (committed != null && commitFailure == null) {
			committed.written.stream()
				.filter((row) -> !row.isTaken())
				.forEach((row) -> this.fence.committed(this.dataSource, row.grant()));
			if (committed.lost != null) {
				throw committed.lost;
			}
		}
	}

	/** What was written after the savepoint of a nested transaction is gone with it. */
	@Override
	public void afterRollback(TransactionExecution transaction, @Nullable Throwable rollbackFailure) {
		if (transaction.isNested() && rollbackFailure == null) {
			current().forEach(FencedTransaction::writeAgain);
		}
	}

	/**
	 * Write the tokens of locks that are kept for the transactions of this thread.
	 * @throws LockLostException if a lock is lost, or a later holder has written; the
	 * transaction cannot commit any more
	 */
	static void keep(Collection<HeldLock> locks) {
		current().forEach((transaction) -> transaction.keep(locks));
	}

	/** Return whether a transaction of this thread can take locks. */
	static boolean isOpen(TransactionLocks locks) {
		return current().stream().anyMatch((transaction) -> transaction.locks() == locks);
	}

	private static List<FencedTransaction> current() {
		return TransactionSynchronizationManager.isSynchronizationActive()
				? TransactionSynchronizationManager.getSynchronizations()
					.stream()
					.filter(FencedTransaction.class::isInstance)
					.map(FencedTransaction.class::cast)
					.filter((transaction) -> !transaction.ended && !transaction.status.isCompleted())
					.toList()
				: List.of();
	}

	/** Locks that were released have covered their own work. */
	private List<Row> rows(Collection<HeldLock> locks) {
		List<Row> rows = new ArrayList<>();
		for (HeldLock lock : locks) {
			FencedGrant grant = ControlledLock.fencedGrant(lock);
			if (grant != null && !lock.isReleased() && (grant.backend().equals(TransactionLocks.STORE)
					? this.locks != null && this.locks.contains(lock) : this.fence.writes())) {
				rows.add(Row.of(grant, lock));
			}
		}
		rows.sort(ORDER);
		return rows;
	}

	private void raise(Connection connection, Row row, Duration longest) {
		FencedGrant grant = row.grant();
		Duration lease = grant.leaseTime();
		Duration limit = (lease != null && lease.compareTo(longest) < 0) ? lease : longest;
		long found;
		try {
			found = this.fence.table().raise(connection, this.fence.key(grant), grant.token(), limit);
		}
		catch (SQLException ex) {
			throw failure(row, limit, ex);
		}
		this.fence.count(found > grant.token());
		if (found > grant.token()) {
			throw new LockLostException("Lock '" + grant.key() + "' (token " + grant.token()
					+ ") was lost: a later holder (token " + found + ") has written to the database of the transaction"
					+ " manager '" + this.managerName + "', so the transaction is refused. Try again. If there is"
					+ " no later holder, the lock store gives lower tokens than before, since it is another one or has"
					+ " lost its data: delete the row of the lock from " + this.fence.table());
		}
	}

	private RuntimeException failure(Row written, Duration limit, SQLException cause) {
		this.fence.failed();
		HeldLock lock = written.lock();
		String row = "row of lock '" + lock.key() + "' in " + this.fence.table();
		if (FenceTable.isLockTimeout(cause) && !lock.isHeld()) {
			return new LockLostException(lock.key(), lock.fencingToken(), "while it waited for the " + row,
					lock.lossCause(), "The transaction is refused", cause);
		}
		if (FenceTable.isLockTimeout(cause)) {
			return new LockBackendException("A transaction of an earlier holder is still open: the " + row
					+ " was not free within " + limit + ". The lock was not lost. Let the database end idle"
					+ " transactions, and find the session that holds the row", cause);
		}
		DataAccessException translated = new SQLExceptionSubclassTranslator().translate("Write the " + row, null,
				cause);
		if (translated instanceof BadSqlGrammarException) {
			return new LockBackendException("The " + row
					+ " cannot be written, so no transaction under a lock may begin: " + this.fence.remedy(), cause);
		}
		return (translated != null) ? translated
				: new LockBackendException(cause.getMessage() + ". The " + row + " was not written", cause);
	}

	/** What a transaction writes for a lock. */
	private record Row(FencedGrant grant, HeldLock lock) {

		/** A lock without a token covers other transactions of its thread only. */
		static Row of(FencedGrant grant, HeldLock lock) {
			return new Row(grant.backend().equals(TransactionLocks.STORE)
					? new FencedGrant(grant.backend(), grant.key(), Thread.currentThread().getId(), grant.leaseTime())
					: grant, lock);
		}

		/** Whether the transaction is the lock, and not only fenced. */
		boolean isTaken() {
			return this.grant.backend().equals(TransactionLocks.STORE);
		}

	}

	/**
	 * A transaction that is open. Used by its thread alone. It is also a synchronization:
	 * Spring tells these of savepoints, and before other callbacks of the end.
	 */
	private final class FencedTransaction implements TransactionSynchronization {

		private final DefaultTransactionStatus status;

		private final List<Row> written = new ArrayList<>();

		/** Another open transaction has written their tokens. */
		private final List<Row> covered = new ArrayList<>();

		/** Whether it has read nothing yet. */
		private boolean isFirst = true;

		/** What had been written when they were set. */
		private final Map<Object, List<Row>> savepoints = new WeakHashMap<>();

		private boolean savepointRolledBack;

		private boolean refused;

		private boolean ended;

		private @Nullable LockLostException lost;

		private FencedTransaction(DefaultTransactionStatus status) {
			this.status = status;
		}

		private @Nullable TransactionLocks locks() {
			return FenceListener.this.locks;
		}

		/** May be repeated. */
		private void begin(Collection<HeldLock> locks) {
			uncover();
			this.written.clear();
			this.covered.clear();
			write(locks);
		}

		/** Write what no open transaction of the same grants has written. */
		private void write(Collection<HeldLock> locks) {
			rows(locks).stream().filter((row) -> row.isTaken() || !this.status.isReadOnly()).forEach(this::write);
		}

		private void write(Row row) {
			if (FenceListener.this.fence.cover(FenceListener.this.dataSource, row.grant(), this.status)) {
				this.written.add(row);
				raise(row);
			}
			else if (locks() != null && row.isTaken()) {
				locks().cover(row.lock());
			}
			else {
				this.covered.add(row);
			}
		}

		/** On the connection of the transaction, never on a second one. */
		private void raise(Row row) {
			DataSource source = FenceListener.this.dataSource;
			if (!(TransactionSynchronizationManager.getResource(source) instanceof ConnectionHolder holder)) {
				throw new LockBackendException("The transaction manager '" + FenceListener.this.managerName
						+ "' has bound no connection of its DataSource, so its transactions cannot be fenced: set"
						+ " distlock.transaction.fence=false, or use a JpaTransactionManager whose JpaDialect provides"
						+ " the JDBC connection");
			}
			Date deadline = holder.getDeadline();
			Duration rest = (deadline != null)
					? Duration.ofMillis(Math.max(1, deadline.getTime() - System.currentTimeMillis())) : LONGEST_WAIT;
			Connection connection = DataSourceUtils.getConnection(source);
			try {
				if (FenceListener.this.locks != null && row.isTaken()) {
					FenceListener.this.locks.take(connection, row.lock(), row.grant().key(), this.isFirst,
							(deadline != null) ? rest : FOREVER);
					return;
				}
				FenceListener.this.raise(connection, row, (rest.compareTo(LONGEST_WAIT) < 0) ? rest : LONGEST_WAIT);
			}
			finally {
				DataSourceUtils.releaseConnection(connection, source);
			}
		}

		/**
		 * If this fails, the transaction must not commit, unless the only problem is a
		 * lock that it would have taken: then it has only not that lock.
		 */
		private void keep(Collection<HeldLock> locks) {
			boolean before = this.refused;
			this.refused = true;
			LockLostException loss = loss("while its transaction was open",
					"The transaction acquires no further lock, and is rolled back");
			if (loss != null) {
				throw loss;
			}
			try {
				write(locks);
				this.refused = before;
			}
			catch (LockNotAcquiredException ex) {
				this.refused = before || ex.getCause() != null;
				throw ex;
			}
			finally {
				forget((row) -> locks.contains(row.lock()) && !Objects.requireNonNull(locks()).isTaken(row.lock()));
			}
		}

		private @Nullable LockLostException loss(String when, String consequence) {
			return this.written.stream()
				.map(Row::lock)
				.filter((lock) -> !lock.isHeld() && !lock.isReleased())
				.findFirst()
				.map((lock) -> new LockLostException(lock.key(), lock.fencingToken(), when, lock.lossCause(),
						consequence, null))
				.orElse(null);
		}

		/** The last moment at which the transaction can be refused. */
		private void completeWrites() {
			if (this.refused) {
				throw new LockLostException("A lock that was kept for the transaction was refused, so the transaction"
						+ " is rolled back. The exception of that call says why");
			}
			writeAgain();
			List<Row> uncovered = List.copyOf(this.covered);
			this.covered.clear();
			uncovered.stream().filter((row) -> !row.lock().isReleased()).forEach(this::write);
		}

		private void writeAgain() {
			if (this.savepointRolledBack && !this.refused) {
				this.written.stream().filter((row) -> !row.isTaken()).sorted(ORDER).forEach(this::raise);
				this.savepointRolledBack = false;
			}
		}

		private void end() {
			if (!this.ended) {
				uncover();
				this.ended = true;
			}
		}

		private void uncover() {
			this.written.forEach(this::uncover);
		}

		private void uncover(Row row) {
			FenceListener.this.fence.uncover(FenceListener.this.dataSource, row.grant(), this.status);
		}

		/** Locks that the transaction does not have. */
		private void forget(Predicate<Row> condition) {
			List<Row> forgotten = this.written.stream().filter(Row::isTaken).filter(condition).toList();
			forgotten.forEach(this::uncover);
			this.written.removeAll(forgotten);
		}

		/**
		 * Before the callbacks of the application, which may take long, and begin
		 * transactions. Each transaction has its own synchronizations, and an end.
		 */
		@Override
		public int getOrder() {
			return Ordered.HIGHEST_PRECEDENCE;
		}

		@Override
		public void afterCommit() {
			end();
			this.lost = loss("before its commit was confirmed",
					"The transaction has committed, before that of any later holder. Check the state before you try again");
		}

		@Override
		public void afterCompletion(int completion) {
			end();
			if (completion != STATUS_COMMITTED) {
				FenceListener.this.open.remove(this.status);
			}
		}

		/** Of a nested transaction, or of the application. */
		@Override
		public void savepoint(Object savepoint) {
			this.savepoints.put(savepoint, List.copyOf(this.written));
		}

		/** The database gives back the locks that were taken since. */
		@Override
		public void savepointRollback(Object savepoint) {
			this.savepointRolledBack = true;
			List<Row> before = this.savepoints.getOrDefault(savepoint, this.written);
			forget((row) -> !before.contains(row));
		}

	}

}
