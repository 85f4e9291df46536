package io.github.distlock.test.audit;

import java.util.Collections;
import java.util.List;
import java.util.Map;

import io.github.distlock.test.audit.CodePlaces.CodePlace;
import io.github.distlock.test.audit.SqlStatement.SqlKind;

import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The statements of a connection since its transaction began. Used by one thread at a
 * time, like a connection.
 *
 * @param findings gets what is found
 * @param statements its statements, also those that are not judged
 */
record WatchedTransaction(Map<String, String> findings, List<Access> statements) {

	/** Whether the transaction has locked rows of the tables of a statement. */
	boolean hasLockedRows(SqlStatement sql) {
		return this.statements.stream()
			.anyMatch((read) -> read.sql().kind() == SqlKind.LOCKING_READ
					&& read.sql().tables().containsAll(sql.tables()));
	}

	void add(Access access) {
		this.statements.add(access);
		if (!access.isJudged()) {
			return;
		}
		List<Access> reads = this.statements.stream()
			.filter((read) -> read.sql().kind() == SqlKind.READ && read.sql().meets(access.sql()))
			.toList();
		boolean readUnderLock = reads.stream().anyMatch((read) -> !isApart(read, access));
		for (Access read : reads) {
			if (read.isReleased() && isApart(read, access)) {
				reportLate("read", read, access.place(), access.describe("written", read.place()));
			}
			else if (!readUnderLock && !access.locks().isEmpty()) {
				report(access, read.place(), ": read before the lock, written under it."
						+ read.describe("read", access.place()) + access.describe("written", read.place())
						+ "\n  What was read may have changed when the lock was acquired. Write @DistributedLock on the"
						+ " method that begins the transaction, or read again under the lock");
			}
		}
	}

	/** The transaction is about to commit. */
	void commit(CodePlace place) {
		this.statements.stream()
			.filter((access) -> access.isJudged() && access.isReleased())
			.forEach((write) -> reportLate("written", write, place, "\n  committed: " + place.text()));
		this.statements.clear();
	}

	private void reportLate(String verb, Access access, CodePlace other, String after) {
		AuditedLock grant = access.grants().iterator().next();
		String released = "\n  " + grant.lock() + " released: " + grant.released().get().text() + after;
		report(access, other,
				": committed after the release of its lock." + access.describe(verb, other) + released
						+ "\n  The next holder may read the old state. Write @DistributedLock"
						+ " and @Transactional on one method, or leave distlock.transaction.on-active at keep");
	}

	/** Report once for each table, method with the transaction, and places in it. */
	private void report(Access access, CodePlace other, String text) {
		String method = TransactionSynchronizationManager.getCurrentTransactionName();
		this.findings.putIfAbsent(access.table() + access.place().beside(other) + other.beside(access.place()) + method,
				access.table() + text + ((method != null) ? "\n  The transaction is that of " + method : ""));
	}

	private static boolean isApart(Access one, Access other) {
		return Collections.disjoint(one.grants(), other.grants());
	}

}
