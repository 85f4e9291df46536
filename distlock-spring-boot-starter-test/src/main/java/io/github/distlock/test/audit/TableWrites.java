package io.github.distlock.test.audit;

import java.util.Collections;
import java.util.List;
import java.util.Map;

import io.github.distlock.test.audit.SqlStatement.SqlKind;

/**
 * The writes of all tables, and those that have no lock in common. Thread-safe.
 *
 * @param findings gets what is found
 * @param writes one for each place with the same statement and locks, only grows
 */
record TableWrites(Map<String, String> findings, Map<List<Object>, Access> writes) {

	void add(Access write) {
		List<Object> name = List.of(write.place().frames(), write.sql(), write.locks(), write.safe());
		// Before: of two threads, one sees the write of the other.
		if (this.writes.putIfAbsent(name, write) == null) {
			for (Access other : this.writes.values()) {
				judge(write, other);
				judge(other, write);
			}
		}
	}

	private void judge(Access write, Access locked) {
		if (locked.sql().kind() == SqlKind.INSERT || locked.locks().isEmpty()
				|| !Collections.disjoint(write.locks(), locked.locks())
				|| !write.sql().meets(locked.sql()) && !locked.sql().meets(write.sql())) {
			return;
		}
		// Without lines, which may be several.
		String method = write.place().beside(locked.place()).replaceAll(" \\([^)]*\\)", "");
		String places = write.describe("written", locked.place()) + locked.describe("written", write.place());
		String safe = (write.isUnderKeysFromCode() && locked.isUnderKeysFromCode())
				? "has a key from code, like the other one, perhaps for another row" : write.safe();
		if (!safe.isEmpty()) {
			this.findings.putIfAbsent(Access.NOTE + write.table() + method,
					write.table() + ", a note:" + places + "\n  The first is not judged, since it " + safe);
			return;
		}
		// Two methods with different locks are one finding, whichever came first.
		int locks = write.locks().hashCode() + locked.locks().hashCode();
		this.findings.putIfAbsent("write " + write.table() + (write.locks().isEmpty() ? method : locks),
				write.table() + ": no lock covers all writes." + places
						+ "\n  One may overwrite what the other has written. Write @DistributedLock with the key of "
						+ locked.locks().iterator().next() + " on " + method + ", or on its caller");
	}

}
