package io.github.distlock.registry;

import java.util.HashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * The locks of each thread, at most one of each key. A lost lock remains until it is
 * closed. All methods concern the calling thread, and only that thread uses what it finds
 * here.
 * <p>
 * A thread that has used a lock keeps its map, a class of the JDK: one of this library
 * would keep the class loader of an application alive in the threads of a pool. So a
 * cycle neither adds nor removes a thread-local variable.
 */
final class ThreadHolds {

	private final ThreadLocal<Map<String, Hold>> holds = ThreadLocal.withInitial(HashMap::new);

	/** Return the lock of a key. */
	@Nullable Hold get(String key) {
		return this.holds.get().get(key);
	}

	/** Return how many locks there are, lost ones included. */
	int size() {
		return this.holds.get().size();
	}

	/** Add a lock, or replace an earlier one of the same key. */
	void put(Hold hold) {
		Map<String, Hold> own = this.holds.get();
		if (Integer.bitCount(own.size()) == 1) {
			// Leave out the holds that other threads have closed. Each time the size has
			// doubled is enough.
			own.values().removeIf(Hold::isOver);
		}
		own.put(hold.key(), hold);
	}

	/** Remove a lock, but no other one of the same key. */
	void remove(Hold hold) {
		this.holds.get().remove(hold.key(), hold);
	}

}
