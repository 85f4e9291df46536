package io.github.distlock.test.audit;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

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
 * @param read the statements by their text
 * @param statements how many were judged
 * @param testStatements how many of them in transactions of tests
 */
record LockAudit(CodePlaces places, AuditedLocks locks, Map<String, String> findings, Set<String> reported,
		TableWrites tables, Map<String, SqlStatement> read, AtomicInteger statements, AtomicInteger testStatements) {

	private static final Log logger = LogFactory.getLog(LockAudit.class);

	/**
	 * The current thread sends a statement.
	 * @param transaction the transaction of its connection, {@code null} without one
	 */
	void statement(String text, @Nullable WatchedTransaction transaction) {
		SqlStatement sql = this.read.computeIfAbsent(text, SqlStatement::of);
		CodePlace place = this.places.current();
		if (sql.kind() == SqlKind.OTHER || !place.isJudged()) {
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
		boolean test = AuditedLocks.isInTransactionOfTest();
		this.testStatements.addAndGet(test ? 1 : 0);
		if (transaction != null && (!test || sql.kind() == SqlKind.LOCKING_READ)) {
			transaction.add(access);
		}
		if (sql.kind() == SqlKind.WRITE || sql.kind() == SqlKind.INSERT) {
			this.tables.add(access);
		}
	}

	/** Print what does not fail, and return the new findings that do. */
	List<String> report(Class<?> test) {
		List<String> names = this.findings.keySet().stream().sorted().filter(this.reported::add).toList();
		String notes = names.stream()
			.filter((name) -> name.startsWith(Access.NOTE))
			.map((name) -> "\n\n" + this.findings.get(name))
			.collect(Collectors.joining());
		String transactions = " Of " + this.testStatements
				+ ", in transactions of tests, it was not judged whether they read"
				+ " before a lock or commit after its release.";
		logger.info("@AuditLocks at the end of " + test.getName() + ": " + this.statements + " statements were judged."
				+ ((this.testStatements.get() > 0) ? transactions : "") + notes);
		return names.stream().filter((name) -> !name.startsWith(Access.NOTE)).map(this.findings::get).toList();
	}

}
