package io.github.distlock.test.audit;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.distlock.HeldLock;
import io.github.distlock.LockContext;
import io.github.distlock.test.audit.AuditedLock.Lock;

/**
 * Which locks are acquired under which others: two in both orders wait for each other.
 * Thread-safe.
 *
 * @param findings gets what is found
 * @param nestings one for each pair of locks and their gates, only grows
 */
record LockOrder(Map<String, String> findings, Map<List<Object>, Nesting> nestings) {

	/** A thread acquires a lock, and may have waited for it, while it has others. */
	void acquired(AuditedLock inner, Set<AuditedLock> held) {
		for (AuditedLock outer : held) {
			if (inner.place().asynchronous() || outer.shared() && inner.shared() || isSorted(outer, inner)) {
				continue;
			}
			Set<Lock> gates = held.stream()
				.filter((grant) -> grant != outer)
				.map(AuditedLock::lock)
				.filter((lock) -> !lock.shape().contains("*"))
				.collect(Collectors.toSet());
			Nesting nesting = new Nesting(outer, inner, gates);
			List<Object> name = List.of(outer.lock(), inner.lock(), gates);
			// Before: of two threads, one sees the order of the other.
			if (!outer.lock().equals(inner.lock()) && this.nestings.putIfAbsent(name, nesting) == null) {
				follow(List.of(nesting));
			}
			if (outer.lock().equals(inner.lock()) && !outer.key().equals(inner.key())) {
				this.findings.putIfAbsent(Access.NOTE + inner.lock(), "A warning: lock " + inner.lock()
						+ " for two keys, '" + outer.key() + "' and '" + inner.key() + "'." + nesting.describe()
						+ "\n  Two such calls may wait for each other. Sort the keys, as one @DistributedLock does");
			}
		}
	}

	/** Whether one call acquires both, since that sorts its locks. */
	private static boolean isSorted(AuditedLock outer, AuditedLock inner) {
		return outer.place().annotated() && inner.place().annotated()
				&& outer.place().text().equals(inner.place().text()) && !outer.used().get()
				&& (outer.key().compareTo(inner.key()) < 0 || !outer.lock().registry().equals(inner.lock().registry()))
				&& LockContext.all().stream().map(HeldLock::key).noneMatch(outer.key()::equals);
	}

	/** Follow the order until it returns to its begin. */
	private void follow(List<Nesting> path) {
		Lock end = path.get(path.size() - 1).inner.lock();
		if (end.equals(path.get(0).outer.lock())) {
			String locks = path.stream()
				.map((each) -> each.inner.lock().toString())
				.sorted()
				.collect(Collectors.joining(", "));
			this.findings.putIfAbsent("order " + locks, "Locks " + locks + ": acquired in a circle."
					+ path.stream().map(Nesting::describe).collect(Collectors.joining())
					+ "\n  Calls at the same time wait for each other. Acquire them in one order everywhere: write all"
					+ " @DistributedLock annotations on the outer method, which sorts its locks");
			return;
		}
		this.nestings.values()
			.stream()
			.filter((next) -> next.outer.lock().equals(end) && path.stream().allMatch(next::mayMeet))
			.forEach((next) -> follow(Stream.concat(path.stream(), Stream.of(next)).toList()));
	}

	/**
	 * A lock that was acquired under another one.
	 *
	 * @param gates the other locks that were held, of those with one key
	 */
	record Nesting(AuditedLock outer, AuditedLock inner, Set<Lock> gates) {

		/** Whether both may happen at once: not below a common lock with one key. */
		boolean mayMeet(Nesting other) {
			return !this.inner.lock().equals(other.inner.lock()) && Collections.disjoint(this.gates, other.gates);
		}

		String describe() {
			return "\n  " + this.outer.lock() + " acquired: " + this.outer.place().text() + "\n    then "
					+ this.inner.lock() + ": " + this.inner.place().text();
		}

	}

}
