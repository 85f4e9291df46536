package io.github.distlock.model;

import java.util.Arrays;

/**
 * The states that were seen, as fingerprints of 64 bits, each with the state from which
 * it was reached first. A collision could hide a state, with a chance of about one in a
 * million at ten million states.
 */
final class FingerprintTable {

	private long[] fingerprints = new long[1 << 12];

	private int[] parents = new int[1 << 12];

	/** The fingerprints again, each where a search for it begins; zero is a free slot. */
	private long[] slots = new long[1 << 13];

	int size;

	long fingerprint(int state) {
		return this.fingerprints[state];
	}

	int parent(int state) {
		return this.parents[state];
	}

	/** Add a state. Answers whether it is new; then it is the last one. */
	boolean add(long fingerprint, int parent) {
		if (this.size * 2 > this.slots.length) {
			this.slots = new long[this.slots.length * 2];
			for (int i = 0; i < this.size; i++) {
				this.slots[slot(this.fingerprints[i])] = this.fingerprints[i];
			}
		}
		int slot = slot(fingerprint);
		if (this.slots[slot] == fingerprint) {
			return false;
		}
		if (this.size == this.fingerprints.length) {
			this.fingerprints = Arrays.copyOf(this.fingerprints, this.size * 2);
			this.parents = Arrays.copyOf(this.parents, this.size * 2);
		}
		this.fingerprints[this.size] = fingerprint;
		this.parents[this.size++] = parent;
		this.slots[slot] = fingerprint;
		return true;
	}

	/** The slot of this state, or the free one where it belongs. */
	private int slot(long fingerprint) {
		int mask = this.slots.length - 1;
		int slot = (int) fingerprint & mask;
		while (this.slots[slot] != 0 && this.slots[slot] != fingerprint) {
			slot = (slot + 1) & mask;
		}
		return slot;
	}

	static long fingerprintOf(byte[] bytes, int length) {
		long hash = 0x9E3779B97F4A7C15L ^ length;
		for (int i = 0; i < length; i++) {
			hash ^= bytes[i] & 0xff;
			hash *= 0xff51afd7ed558ccdL;
			hash ^= hash >>> 32;
		}
		hash *= 0xc4ceb9fe1a85ec53L;
		hash ^= hash >>> 29;
		hash *= 0x9E3779B97F4A7C15L;
		hash ^= hash >>> 32;
		return (hash != 0) ? hash : 1;
	}

}
