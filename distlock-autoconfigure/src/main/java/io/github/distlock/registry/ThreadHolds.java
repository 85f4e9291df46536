package io.github.distlock.registry;

import org.jspecify.annotations.Nullable;

/**
 * What one thread holds, or has lost without having left yet: at most one hold of a key.
 * A hash table of nothing but references, since each hold knows its key. Only its own
 * thread touches it.
 */
final class ThreadHolds {

	private static final int SMALLEST = 4;

	/**
	 * Each stands at the place of its key's hash or behind it, without a gap between.
	 * There is always a gap at the end: three quarters are filled at most.
	 */
	private @Nullable Hold[] table = new Hold[SMALLEST];

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

	/** Put a hold in the place of an earlier one of the same key, if there is one. */
	void put(Hold hold) {
		if (this.size >= this.table.length / 4 * 3) {
			makeRoom();
		}
		int place = find(hold.key());
		if (this.table[place] == null) {
			this.size++;
		}
		this.table[place] = hold;
	}

	/** Remove this hold, but no other of the same key. */
	void remove(Hold hold) {
		int gap = find(hold.key());
		if (this.table[gap] != hold) {
			return;
		}
		this.size--;
		this.table[gap] = null;
		// Those behind may be there only because this place was taken.
		Hold behind;
		for (int place = next(gap); (behind = this.table[place]) != null; place = next(place)) {
			this.table[place] = null;
			this.table[find(behind.key())] = behind;
		}
	}

	/** Other threads may have closed some for this one: those are not taken along. */
	private void makeRoom() {
		@Nullable Hold[] before = this.table;
		int open = 0;
		for (Hold hold : before) {
			open += (hold != null && !hold.isOver()) ? 1 : 0;
		}
		this.table = new Hold[(open >= before.length / 2) ? before.length * 2 : before.length];
		this.size = open;
		for (Hold hold : before) {
			if (hold != null && !hold.isOver()) {
				this.table[find(hold.key())] = hold;
			}
		}
	}

	/** The place of a key, or the gap where it belongs. */
	private int find(String key) {
		int hash = key.hashCode();
		int place = (hash ^ (hash >>> 16)) & (this.table.length - 1);
		for (Hold hold; (hold = this.table[place]) != null; place = next(place)) {
			if (hold.key().equals(key)) {
				return place;
			}
		}
		return place;
	}

	private int next(int place) {
		return (place + 1) & (this.table.length - 1);
	}

}
