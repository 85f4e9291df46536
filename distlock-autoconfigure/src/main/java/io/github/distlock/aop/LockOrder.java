package io.github.distlock.aop;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import io.github.distlock.LockMode;
import io.github.distlock.LockRequest;
import org.jspecify.annotations.Nullable;

/**
 * The one order in which all methods take locks, so that no two of them wait for each
 * other: by registry, then by key. What is wanted twice is taken once.
 */
final class LockOrder {

	private final RegistryResolver registries;

	LockOrder(RegistryResolver registries) {
		this.registries = registries;
	}

	/**
	 * Put locks in order.
	 * @param wanted what the annotations of a method ask for, as they are written
	 * @return the same locks, each once
	 */
	List<LockTarget> of(List<LockTarget> wanted) {
		List<LockTarget> sorted = new ArrayList<>(wanted);
		// Stable: what was written first comes first among equals.
		sorted.sort(Comparator.comparing((LockTarget lock) -> this.registries.rank(lock.definition()))
			.thenComparing((lock) -> lock.request().key()));
		List<LockTarget> once = new ArrayList<>(sorted.size());
		for (LockTarget lock : sorted) {
			int last = once.size() - 1;
			if (last >= 0 && isSame(once.get(last), lock)) {
				once.set(last, both(once.get(last), lock));
			}
			else {
				once.add(lock);
			}
		}
		return once;
	}

	private static boolean isSame(LockTarget one, LockTarget other) {
		return one.registry() == other.registry() && one.request().key().equals(other.request().key());
	}

	/** What both annotations are content with; otherwise what the first one says. */
	private static LockTarget both(LockTarget first, LockTarget second) {
		LockRequest one = first.request();
		LockRequest other = second.request();
		LockMode mode = (strength(one.mode()) >= strength(other.mode())) ? one.mode() : other.mode();
		Duration minHold = longer(one.minHold(), other.minHold());
		Duration lease = shorter(one.leaseTime(), other.leaseTime());
		// Of two annotations, each sound, one may ask for longer than the other allows.
		LockRequest request = new LockRequest(one.key(), mode, one.waitTime(),
				(lease != null) ? longer(lease, minHold) : null, one.fair() || other.fair(), one.name(), minHold);
		return new LockTarget(first.definition(), first.registry(), request);
	}

	private static int strength(LockMode mode) {
		return switch (mode) {
			case READ -> 0;
			case WRITE -> 1;
			case EXCLUSIVE -> 2;
		};
	}

	private static @Nullable Duration shorter(@Nullable Duration one, @Nullable Duration other) {
		if (one == null || other == null) {
			return (one != null) ? one : other;
		}
		return (one.compareTo(other) <= 0) ? one : other;
	}

	private static @Nullable Duration longer(@Nullable Duration one, @Nullable Duration other) {
		if (one == null || other == null) {
			return (one != null) ? one : other;
		}
		return (one.compareTo(other) >= 0) ? one : other;
	}

}
