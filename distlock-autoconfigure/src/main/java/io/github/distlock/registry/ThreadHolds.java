package io.github.distlock.registry;

import org.jspecify.annotations.Nullable;

/**
 * The locks of each thread, at most one of each key. A lost lock remains until it is
 * closed. All methods concern the calling thread, and only that thread uses what it finds
 * here.
 * <p>
 * A thread that has used a lock keeps one slot: an array, since a class of this library
 * would keep the class loader of an application alive in the threads of a pool. An empty
 * slot refers to nothing. So a cycle neither adds nor removes a thread-local variable.
 */
final class ThreadHolds {

	/**
	 * The slot of a thread has {@code null}, or the only {@link Hold}, or a
	 * {@link Table}.
	 */
	private final ThreadLocal<@Nullable Object[]> slots = ThreadLocal.withInitial(() -> new Object[1]);

	/** Return the lock of a key. */
	@Nullable Hold get(String key) {
		Object holds = this.slots.get()[0];
		if (holds instanceof Table table) {
			return table.get(key);
		}
		return (holds instanceof Hold only && only.key().equals(key)) ? only : null;
	}

	/** Return how many locks there are, lost ones included. */
	int size() {
		Object holds = this.slots.get()[0];
		if (holds instanceof Table table) {
			return table.size;
		}
		return (holds != null) ? 1 : 0;
	}

	/** Add a lock, or replace an earlier one of the same key. */
	void put(Hold hold) {
		@Nullable Object[] slot = this.slots.get();
		Object holds = slot[0];
		if (holds instanceof Table table) {
			table.put(hold);
		}
		else if (holds instanceof Hold only && !only.isOver() && !only.key().equals(hold.key())) {
			slot[0] = new Table(only, hold);
		}
		else {
			slot[0] = hold;
		}
	}

	/** Remove a lock, but no other one of the same key. */
	void remove(Hold hold) {
		@Nullable Object[] slot = this.slots.get();
		Object holds = slot[0];
		if (holds instanceof Table table) {
			table.remove(hold);
		}
		if (holds == hold || (holds instanceof Table table && table.size == 0)) {
			slot[0] = null;
		}
	}

	/**
	 * Several locks, in a hash table with open addressing, which costs one reference a
	 * lock, since each hold knows its key.
	 */
	private static final class Table {

		private static final int INITIAL_CAPACITY = 4;

		/**
		 * Each hold is at the index of its key's hash, or behind it without an empty slot
		 * between. At most three quarters of the slots are used, so each search ends at
		 * an empty slot.
		 */
		private @Nullable Hold[] holds = new Hold[INITIAL_CAPACITY];

		private int size;

		Table(Hold first, Hold second) {
			put(first);
			put(second);
		}

		@Nullable Hold get(String key) {
			return this.holds[find(this.holds, key)];
		}

		void put(Hold hold) {
			if (this.size >= this.holds.length / 4 * 3) {
				grow();
			}
			int index = find(this.holds, hold.key());
			if (this.holds[index] == null) {
				this.size++;
			}
			this.holds[index] = hold;
		}

		void remove(Hold hold) {
			int gap = find(this.holds, hold.key());
			if (this.holds[gap] != hold) {
				return;
			}
			this.size--;
			this.holds[gap] = null;
			// The holds behind may be there only because this slot was taken.
			Hold follower;
			for (int index = next(this.holds, gap); (follower = this.holds[index]) != null; index = next(this.holds,
					index)) {
				this.holds[index] = null;
				this.holds[find(this.holds, follower.key())] = follower;
			}
		}

		/** Leave out the holds that other threads have closed. */
		private void grow() {
			@Nullable Hold[] old = this.holds;
			int open = 0;
			for (Hold hold : old) {
				open += (hold != null && !hold.isOver()) ? 1 : 0;
			}
			@Nullable Hold[] larger = new Hold[(open >= old.length / 2) ? old.length * 2 : old.length];
			int moved = 0;
			for (Hold hold : old) {
				if (hold != null && !hold.isOver()) {
					larger[find(larger, hold.key())] = hold;
					moved++;
				}
			}
			this.size = moved;
			this.holds = larger;
		}

		/** Return the index of a key, or of the empty slot where it belongs. */
		private static int find(@Nullable Hold[] holds, String key) {
			int hash = key.hashCode();
			int index = (hash ^ (hash >>> 16)) & (holds.length - 1);
			for (Hold hold; (hold = holds[index]) != null; index = next(holds, index)) {
				if (hold.key().equals(key)) {
					return index;
				}
			}
			return index;
		}

		private static int next(@Nullable Hold[] holds, int index) {
			return (index + 1) & (holds.length - 1);
		}

	}

}
