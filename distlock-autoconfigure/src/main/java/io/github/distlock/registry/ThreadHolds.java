package io.github.distlock.registry;

import org.jspecify.annotations.Nullable;

/**
 * The locks of one thread, at most one of each key. A lost lock remains until it is
 * closed. The first lock needs no table. Several are in a hash table with open
 * addressing, which costs one reference a lock, since each hold knows its key. Only its
 * own thread uses it.
 */
final class ThreadHolds {

	private static final int INITIAL_CAPACITY = 4;

	/** The hold, if there is one only. Not used as soon as there is a table. */
	private @Nullable Hold only;

	/**
	 * {@code null} until there is a second hold. Each hold is at the index of its key's
	 * hash, or behind it without an empty slot between. At most three quarters of the
	 * slots are used, so each search ends at an empty slot.
	 */
	private @Nullable Hold @Nullable [] table;

	private int size;

	@Nullable Hold get(String key) {
		@Nullable Hold[] several = this.table;
		if (several != null) {
			return several[find(several, key)];
		}
		Hold single = this.only;
		return (single != null && single.key().equals(key)) ? single : null;
	}

	int size() {
		return this.size;
	}

	boolean isEmpty() {
		return this.size == 0;
	}

	/** Add a hold, or replace an earlier one of the same key. */
	void put(Hold hold) {
		@Nullable Hold[] several = this.table;
		if (several == null) {
			Hold single = this.only;
			if (single == null || single.isOver() || single.key().equals(hold.key())) {
				this.only = hold;
				this.size = 1;
				return;
			}
			several = new Hold[INITIAL_CAPACITY];
			several[find(several, single.key())] = single;
			this.only = null;
		}
		else if (this.size >= several.length / 4 * 3) {
			several = grown(several);
		}
		int index = find(several, hold.key());
		if (several[index] == null) {
			this.size++;
		}
		several[index] = hold;
		this.table = several;
	}

	/** Remove a hold, but no other one of the same key. */
	void remove(Hold hold) {
		@Nullable Hold[] several = this.table;
		if (several != null) {
			remove(several, hold);
		}
		else if (this.only == hold) {
			this.only = null;
			this.size = 0;
		}
	}

	private void remove(@Nullable Hold[] several, Hold hold) {
		int gap = find(several, hold.key());
		if (several[gap] != hold) {
			return;
		}
		this.size--;
		several[gap] = null;
		// The holds behind may be there only because this slot was taken.
		Hold follower;
		for (int index = next(several, gap); (follower = several[index]) != null; index = next(several, index)) {
			several[index] = null;
			several[find(several, follower.key())] = follower;
		}
	}

	/** Leave out the holds that other threads have closed. */
	private @Nullable Hold[] grown(@Nullable Hold[] old) {
		int open = 0;
		for (Hold hold : old) {
			open += (hold != null && !hold.isOver()) ? 1 : 0;
		}
		@Nullable Hold[] larger = new Hold[(open >= old.length / 2) ? old.length * 2 : old.length];
		this.size = open;
		for (Hold hold : old) {
			if (hold != null && !hold.isOver()) {
				larger[find(larger, hold.key())] = hold;
			}
		}
		return larger;
	}

	/** Return the index of a key, or of the empty slot where it belongs. */
	private static int find(@Nullable Hold[] several, String key) {
		int hash = key.hashCode();
		int index = (hash ^ (hash >>> 16)) & (several.length - 1);
		for (Hold hold; (hold = several[index]) != null; index = next(several, index)) {
			if (hold.key().equals(key)) {
				return index;
			}
		}
		return index;
	}

	private static int next(@Nullable Hold[] several, int index) {
		return (index + 1) & (several.length - 1);
	}

}
