package io.github.distlock.model;

import java.util.Arrays;

/** Writes a state as bytes, under a renaming. */
final class StateWriter {

	private final Renaming renaming;

	private byte[] bytes = new byte[256];

	private int size;

	StateWriter(Renaming renaming) {
		this.renaming = renaming;
	}

	Renaming renaming() {
		return this.renaming;
	}

	StateWriter number(int value) {
		if (this.size == this.bytes.length) {
			this.bytes = Arrays.copyOf(this.bytes, this.size * 2);
		}
		this.bytes[this.size++] = (byte) value;
		return this;
	}

	StateWriter flag(boolean value) {
		return number(value ? 1 : 0);
	}

	StateWriter ticket(int ticket) {
		return number(this.renaming.ticket(ticket));
	}

	StateWriter entry(int entry) {
		return number(this.renaming.newEntries()[entry]);
	}

	int size() {
		return this.size;
	}

	/**
	 * Sort records that are equally long and end here.
	 * @param from where the first one begins
	 * @param count how many there are
	 */
	void sort(int from, int count) {
		int length = (count > 1) ? (this.size - from) / count : 0;
		for (int end = from + length; count > 1 && end < this.size; end += length) {
			byte[] moved = Arrays.copyOfRange(this.bytes, end, end + length);
			int place = end;
			while (place > from && Arrays.compare(this.bytes, place - length, place, moved, 0, length) > 0) {
				System.arraycopy(this.bytes, place - length, this.bytes, place, length);
				place -= length;
			}
			System.arraycopy(moved, 0, this.bytes, place, length);
		}
	}

	/** Begin again. */
	StateWriter clear() {
		this.size = 0;
		return this;
	}

	boolean isLessThan(StateWriter other) {
		return Arrays.compare(this.bytes, 0, this.size, other.bytes, 0, other.size) < 0;
	}

	long fingerprint() {
		return FingerprintTable.fingerprintOf(this.bytes, this.size);
	}

	byte[] bytes() {
		return Arrays.copyOf(this.bytes, this.size);
	}

}
