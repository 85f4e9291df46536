package io.github.distlock.test.audit;

import java.util.Collections;
import java.util.List;
import java.util.Map;

import io.github.distlock.test.audit.CodePlaces.CodePlace;
import io.github.distlock.test.audit.SqlStatement.SqlKind;

/**
 * The statements of a connection since its transaction began. Used by one thread at a
 * time, like a connection.
 *
 * @param findings gets what is found
 * @param reads the statements that are not judged
 * @param writes those that are
 */
record WatchedTransaction(Map<String, String> findings, List<Access> reads, List<Access> writes) {

	/** Whether the transaction has locked rows of the tables of a statement. */
	boolean hasLockedRows(SqlStatement sql) {
		return this.reads.stream()
			.anyMatch((read) -> read.sql().kind() == SqlKind.LOCKING_READ
					&& read.sql().tables().containsAll(sql.tables()));
	}

	void add(Access access) {
		if (!access.isJudged()) {
			this.reads.add(access);
			return;
		}
		this.writes.add(access);
		List<Access> reads = this.reads.stream()
			.filter((read) -> read.sql().kind() == SqlKind.READ && read.sql().meets(access.sql()))
			.toList();
		boolean readUnderLock = reads.stream().anyMatch((read) -> !isApart(read, access));
		for (Access read : reads) {
			if (read.isReleased() && isApart(read, access)) {
				reportLate(read, read.describe("read", access.place()), access.describe("written", read.place()));
			}
			else if (!readUnderLock && !access.locks().isEmpty()) {
				this.findings.putIfAbsent("early " + read.place().text() + access.place().text(), access.table()
						+ ": read before the lock, written under it." + read.describe("read", access.place())
						+ access.describe("written", read.place())
						+ "\n  What was read may have changed when the lock was acquired. Write @DistributedLock on the"
						+ " method that begins the transaction, or read again under the lock");
			}
		}
	}

	/** The transaction is about to commit. */
	void commit(CodePlace place) {
		for (Access write : this.writes) {
			if (write.isReleased()) {
				reportLate(write, write.describe("written", place), "\n  committed: " + place.text());
			}
		}
		clear();
	}

	void clear() {
		this.reads.clear();
		this.writes.clear();
	}

	private void reportLate(Access access, String before, String after) {
		AuditedLock grant = access.grants().iterator().next();
		this.findings.putIfAbsent("late " + access.place().text(),
				access.table() + ": committed after the release of its lock." + before + "\n  " + grant.lock()
						+ " released: " + grant.released().get().text() + after
						+ "\n  The next holder may read the old state. Write @DistributedLock"
						+ " and @Transactional on one method, or leave distlock.transaction.on-active at keep");
	}

	private static boolean isApart(Access one, Access other) {
		return Collections.disjoint(one.grants(), other.grants());
	}

}
