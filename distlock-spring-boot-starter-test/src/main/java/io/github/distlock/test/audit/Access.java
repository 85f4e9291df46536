package io.github.distlock.test.audit;

import java.util.Set;
import java.util.stream.Collectors;

import io.github.distlock.test.audit.AuditedLock.Lock;
import io.github.distlock.test.audit.CodePlaces.CodePlace;
import io.github.distlock.test.audit.SqlStatement.SqlKind;

/**
 * A statement of the application.
 *
 * @param sql what it does
 * @param place where it was sent
 * @param grants the locks under which it was sent
 * @param safe why it needs no lock, empty without such a reason
 */
record Access(SqlStatement sql, CodePlace place, Set<AuditedLock> grants, String safe) {

	/** Begins the name of a finding that is only printed. */
	static final String NOTE = "note ";

	String table() {
		return "Table '" + String.join(", ", this.sql.tables()) + "'";
	}

	/** The locks that exclude all others. */
	Set<Lock> locks() {
		return this.grants.stream()
			.filter((grant) -> !grant.shared())
			.map(AuditedLock::lock)
			.collect(Collectors.toSet());
	}

	/** Whether it is a write for which a lock counts. */
	boolean isJudged() {
		return this.sql.kind() == SqlKind.WRITE && this.safe.isEmpty();
	}

	/** Whether all its locks have keys from code, of no known shape. */
	boolean isUnderKeysFromCode() {
		return !this.grants.isEmpty() && this.grants.stream()
			.allMatch((grant) -> !grant.place().annotated() && grant.lock().shape().equals(grant.key()));
	}

	/** Whether it was sent under locks of which none is held any more. */
	boolean isReleased() {
		return !locks().isEmpty() && this.grants.stream().allMatch((grant) -> grant.released().get() != null);
	}

	/** Return words such as <code>written under 'stock-*': Stock.deduct</code>. */
	String describe(String verb, CodePlace other) {
		String under = this.grants.stream()
			.map((grant) -> grant.lock() + (grant.shared() ? " shared" : ""))
			.distinct()
			.collect(Collectors.joining(" and "));
		return "\n  " + verb + (under.isEmpty() ? " without a lock: " : " under " + under + ": ")
				+ this.place.beside(other);
	}

}
