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

	StateWriter all(byte[] more) {
		for (byte each : more) {
			number(each);
		}
		return this;
	}

	byte[] bytes() {
		return Arrays.copyOf(this.bytes, this.size);
	}

}
