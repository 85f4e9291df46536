package io.github.distlock.aop;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import io.github.distlock.LockMode;
import io.github.distlock.LockRequest;
import org.jspecify.annotations.Nullable;

/**
 * Sorts the locks of a call by registry, then by key. All calls acquire their locks in
 * this order, so that no two of them wait for each other. Merges requests for the same
 * lock.
 */
final class LockOrder {

	private LockOrder() {
	}

	/**
	 * Sort and merge the locks of a call.
	 * @param targets the locks in the order of the annotations
	 * @param registries knows the rank of each registry
	 * @return the same locks, without duplicates
	 */
	static List<LockTarget> of(List<LockTarget> targets, RegistryResolver registries) {
		List<LockTarget> sorted = new ArrayList<>(targets);
		// Stable: of equal locks, the first annotation comes first.
		sorted.sort(Comparator.comparing((LockTarget lock) -> registries.rank(lock.definition()))
			.thenComparing((lock) -> lock.request().key()));
		List<LockTarget> merged = new ArrayList<>(sorted.size());
		for (LockTarget lock : sorted) {
			int last = merged.size() - 1;
			if (last >= 0 && isSame(merged.get(last), lock)) {
				merged.set(last, merge(merged.get(last), lock));
			}
			else {
				merged.add(lock);
			}
		}
		return merged;
	}

	private static boolean isSame(LockTarget one, LockTarget other) {
		return one.registry() == other.registry() && one.request().key().equals(other.request().key());
	}

	/**
	 * Combine two requests for the same lock so that both annotations are satisfied.
	 * Attributes that cannot be combined are those of the first one.
	 */
	private static LockTarget merge(LockTarget first, LockTarget second) {
		LockRequest one = first.request();
		LockRequest other = second.request();
		LockMode mode = (strength(one.mode()) >= strength(other.mode())) ? one.mode() : other.mode();
		Duration minHold = longer(one.minHold(), other.minHold());
		Duration lease = lesser(one.leaseTime(), other.leaseTime());
		// One annotation may have a longer minHold than the leaseTime of the other one.
		LockRequest request = new LockRequest(one.key(), mode, one.waitTime(),
				(lease != null) ? longer(lease, minHold) : null, one.fair() || other.fair(), one.name(), minHold, null,
				lesser(one.maxWaiting(), other.maxWaiting()));
		Duration keep = lesser(one.keep(), other.keep());
		return new LockTarget(first.definition(), first.registry(),
				(keep != null && (keep.isZero() || request.isKeepable())) ? request.keep(keep) : request);
	}

	private static int strength(LockMode mode) {
		return switch (mode) {
			case READ -> 0;
			case WRITE -> 1;
			case EXCLUSIVE -> 2;
		};
	}

	private static <T extends Comparable<T>> @Nullable T lesser(@Nullable T one, @Nullable T other) {
		return Stream.of(one, other).filter(Objects::nonNull).min(Comparator.naturalOrder()).orElse(null);
	}

	private static @Nullable Duration longer(@Nullable Duration one, @Nullable Duration other) {
		return Stream.of(one, other).filter(Objects::nonNull).max(Comparator.naturalOrder()).orElse(null);
	}

}
