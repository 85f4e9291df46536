package io.github.distlock.model;

import java.util.Arrays;
import java.util.List;

/**
 * Writes a state as bytes, under a renaming, or reads it again. Each method gets a value
 * and returns it; while the form is read, it returns the one that was written.
 */
final class StateForm {

	final Renaming renaming;

	private byte[] bytes = new byte[256];

	private int size;

	/** Whether it is read, and what of it was read. */
	private boolean reading;

	private int position;

	StateForm(Renaming renaming) {
		this.renaming = renaming;
	}

	/** What another form has written. */
	StateForm(byte[] written, Renaming renaming) {
		this(renaming);
		this.bytes = written;
		this.reading = true;
	}

	int number(int value) {
		if (this.reading) {
			return this.bytes[this.position++];
		}
		if (this.size == this.bytes.length) {
			this.bytes = Arrays.copyOf(this.bytes, this.size * 2);
		}
		this.bytes[this.size++] = (byte) value;
		return value;
	}

	boolean flag(boolean value) {
		return number(value ? 1 : 0) != 0;
	}

	<E extends Enum<E>> E constant(E value) {
		int ordinal = number(value.ordinal());
		return this.reading ? value.getDeclaringClass().getEnumConstants()[ordinal] : value;
	}

	int ticket(int ticket) {
		return renamed(ticket, this.renaming.ticket(ticket));
	}

	int entry(int entry) {
		return renamed(entry, this.renaming.newEntries()[entry]);
	}

	private int renamed(int value, int written) {
		int passed = number(written);
		return this.reading ? passed : value;
	}

	/** The claim of a JVM, see {@link StoreState#claim}. */
	int claim(int claim) {
		return renamed(claim, (claim == 0) ? 0 : this.renaming.jvm(claim - 1) + 1);
	}

	/** What is on the wire has no order. */
	void sorted(List<Packet> items) {
		int count = number(items.size());
		int from = this.size;
		for (int i = 0; i < count; i++) {
			if (this.reading) {
				items.add(new Packet(0, Verb.CANCEL, 0));
			}
			items.get(i).pass(this);
		}
		if (!this.reading) {
			sort(from, count);
		}
	}

	/** Sort records that are equally long and end here. */
	private void sort(int from, int count) {
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

	StateForm clear() {
		this.size = 0;
		return this;
	}

	boolean isLessThan(StateForm other) {
		return Arrays.compare(this.bytes, 0, this.size, other.bytes, 0, other.size) < 0;
	}

	long fingerprint() {
		return FingerprintTable.fingerprintOf(this.bytes, this.size);
	}

	byte[] bytes() {
		return Arrays.copyOf(this.bytes, this.size);
	}

}
