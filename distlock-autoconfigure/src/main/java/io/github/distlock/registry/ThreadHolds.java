package io.github.distlock.registry;

import org.jspecify.annotations.Nullable;

/**
 * The locks of one thread, at most one of each key. A lost lock remains until it is
 * closed. This is a hash table with open addressing: it costs one reference a lock, since
 * each hold knows its key. Only its own thread uses it.
 */
final class ThreadHolds {

	private static final int INITIAL_CAPACITY = 4;

	/**
	 * Each hold is at the index of its key's hash, or behind it without an empty slot
	 * between. At most three quarters of the slots are used, so each search ends at an
	 * empty slot.
	 */
	private @Nullable Hold[] table = new Hold[INITIAL_CAPACITY];

	private int size;

	@Nullable Hold get(String key) {
		return this.table[find(key)];
	}

	int size() {
		return this.size;
	}

	boolean isEmpty() {
		return this.size == 0;
	}

	/** Add a hold, or replace an earlier one of the same key. */
	void put(Hold hold) {
		if (this.size >= this.table.length / 4 * 3) {
			grow();
		}
		int index = find(hold.key());
		if (this.table[index] == null) {
			this.size++;
		}
		this.table[index] = hold;
	}

	/** Remove a hold, but no other one of the same key. */
	void remove(Hold hold) {
		int gap = find(hold.key());
		if (this.table[gap] != hold) {
			return;
		}
		this.size--;
		this.table[gap] = null;
		// The holds behind may be there only because this slot was taken.
		Hold follower;
		for (int index = next(gap); (follower = this.table[index]) != null; index = next(index)) {
			this.table[index] = null;
			this.table[find(follower.key())] = follower;
		}
	}

	/** Leave out the holds that other threads have closed. */
	private void grow() {
		@Nullable Hold[] old = this.table;
		int open = 0;
		for (Hold hold : old) {
			open += (hold != null && !hold.isOver()) ? 1 : 0;
		}
		this.table = new Hold[(open >= old.length / 2) ? old.length * 2 : old.length];
		this.size = open;
		for (Hold hold : old) {
			if (hold != null && !hold.isOver()) {
				this.table[find(hold.key())] = hold;
			}
		}
	}

	/** Return the index of a key, or of the empty slot where it belongs. */
	private int find(String key) {
		int hash = key.hashCode();
		int index = (hash ^ (hash >>> 16)) & (this.table.length - 1);
		for (Hold hold; (hold = this.table[index]) != null; index = next(index)) {
			if (hold.key().equals(key)) {
				return index;
			}
		}
		return index;
	}

	private int next(int index) {
		return (index + 1) & (this.table.length - 1);
	}

}
