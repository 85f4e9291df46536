package io.github.distlock.test.audit;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.distlock.test.audit.CodePlaces.CodePlace;
import io.github.distlock.test.audit.SqlStatement.SqlKind;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The audit of one application context. Thread-safe.
 *
 * @param places finds the code that sends a statement
 * @param locks the locks of the application
 * @param findings what was found, by names; what begins with {@link Access#NOTE} is only
 * printed
 * @param reported the names of what was reported
 * @param tables the writes of each table
 * @param statements how many were judged
 */
record LockAudit(CodePlaces places, AuditedLocks locks, Map<String, String> findings, Set<String> reported,
		TableWrites tables, AtomicInteger statements) {

	private static final Log logger = LogFactory.getLog(LockAudit.class);

	/**
	 * The current thread sends a statement.
	 * @param transaction the transaction of its connection, {@code null} without one
	 */
	void statement(String text, @Nullable WatchedTransaction transaction) {
		SqlStatement sql = SqlStatement.of(text);
		CodePlace place = this.places.current();
		if (sql.kind() == SqlKind.OTHER || place.ignored() || place.unguarded() || place.test()) {
			return;
		}
		this.statements.incrementAndGet();
		if (sql.kind() == SqlKind.UNKNOWN) {
			this.findings.putIfAbsent(Access.NOTE + text,
					"A note: not understood and not judged: " + text + "\n  sent: " + place.text());
			return;
		}
		boolean rows = transaction != null && transaction.hasLockedRows(sql);
		Access access = new Access(sql, place, this.locks.current(), rows ? "has locked its rows before" : sql.safe());
		access.grants().forEach((grant) -> grant.used().set(true));
		if (transaction != null && (!CodePlaces.isInTransactionOfTest() || sql.kind() == SqlKind.LOCKING_READ)) {
			transaction.add(access);
		}
		if (sql.kind() == SqlKind.WRITE || sql.kind() == SqlKind.INSERT) {
			this.tables.add(access);
		}
	}

	/** Print what does not fail, and return the new findings that do. */
	List<String> report(Class<?> test) {
		List<String> names = this.findings.keySet().stream().sorted().filter(this.reported::add).toList();
		logger.info("@AuditLocks at the end of " + test.getName() + ": " + this.statements + " statements were judged,"
				+ " in transactions of tests not for reads before a lock and commits after its release.");
		names.stream()
			.filter((name) -> name.startsWith(Access.NOTE))
			.forEach((name) -> logger.info(this.findings.get(name)));
		return names.stream().filter((name) -> !name.startsWith(Access.NOTE)).map(this.findings::get).toList();
	}

}
