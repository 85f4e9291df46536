package io.github.distlock.waiting;

import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ConcurrentSkipListSet;

import io.github.distlock.LockBackendException;
import org.jspecify.annotations.Nullable;

/**
 * The tickets of this JVM that wait and belong to one caller each, by key, oldest first,
 * and what they know of the store in common, since only the oldest asks it. A line is
 * made and removed inside the map's own atomic operations alone. Thread-safe.
 */
final class TicketOrder {

	private final ConcurrentMap<String, Line> lines = new ConcurrentHashMap<>();

	void join(String key, long number) {
		this.lines.compute(key, (same, known) -> {
			Line line = (known != null) ? known : new Line();
			line.numbers.add(number);
			return line;
		});
	}

	void leave(String key, long number) {
		this.lines.computeIfPresent(key, (same, line) -> {
			line.numbers.remove(number);
			return line.numbers.isEmpty() ? null : line;
		});
	}

	boolean isOldest(String key, long number) {
		Line line = this.lines.get(key);
		Long oldest = (line != null) ? line.numbers.ceiling(Long.MIN_VALUE) : null;
		return oldest == null || oldest >= number;
	}

	Set<String> keys() {
		return this.lines.keySet();
	}

	Collection<Long> of(String key) {
		Line line = this.lines.get(key);
		return (line != null) ? line.numbers : List.of();
	}

	/** The store did not answer, or ({@code null}) did. */
	void tell(String key, @Nullable LockBackendException failure) {
		Line line = this.lines.get(key);
		if (line != null && line.failure != failure) {
			line.failure = failure;
		}
	}

	@Nullable LockBackendException failure(String key) {
		Line line = this.lines.get(key);
		return (line != null) ? line.failure : null;
	}

	private static final class Line {

		private final ConcurrentSkipListSet<Long> numbers = new ConcurrentSkipListSet<>();

		private volatile @Nullable LockBackendException failure;

	}

}
