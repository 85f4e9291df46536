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
 * The waiting tickets of this JVM that belong to one caller each, by key, oldest first.
 * The tickets of a key share the last failure of the store, since only the oldest retries
 * at intervals. Entries are created and removed only inside the atomic operations of the
 * map. Thread-safe.
 */
final class TicketOrder {

	private final ConcurrentMap<String, KeyOrder> orders = new ConcurrentHashMap<>();

	void add(String key, long number) {
		this.orders.compute(key, (sameKey, existing) -> {
			KeyOrder order = (existing != null) ? existing : new KeyOrder();
			order.numbers.add(number);
			return order;
		});
	}

	void remove(String key, long number) {
		this.orders.computeIfPresent(key, (sameKey, order) -> {
			order.numbers.remove(number);
			return order.numbers.isEmpty() ? null : order;
		});
	}

	boolean isOldest(String key, long number) {
		KeyOrder order = this.orders.get(key);
		Long oldest = (order != null) ? order.numbers.ceiling(Long.MIN_VALUE) : null;
		return oldest == null || oldest >= number;
	}

	Set<String> keys() {
		return this.orders.keySet();
	}

	Collection<Long> of(String key) {
		KeyOrder order = this.orders.get(key);
		return (order != null) ? order.numbers : List.of();
	}

	/** Set the last failure of the store, or {@code null} if it has answered. */
	void setFailure(String key, @Nullable LockBackendException failure) {
		KeyOrder order = this.orders.get(key);
		if (order != null && order.failure != failure) {
			order.failure = failure;
		}
	}

	@Nullable LockBackendException failure(String key) {
		KeyOrder order = this.orders.get(key);
		return (order != null) ? order.failure : null;
	}

	private static final class KeyOrder {

		private final ConcurrentSkipListSet<Long> numbers = new ConcurrentSkipListSet<>();

		private volatile @Nullable LockBackendException failure;

	}

}
