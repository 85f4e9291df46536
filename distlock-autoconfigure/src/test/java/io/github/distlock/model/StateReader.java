package io.github.distlock.model;

/** Reads what a {@link StateWriter} has written. */
final class StateReader {

	private final byte[] bytes;

	private int position;

	StateReader(byte[] bytes) {
		this.bytes = bytes;
	}

	int number() {
		return this.bytes[this.position++];
	}

	boolean flag() {
		return number() != 0;
	}

	<E extends Enum<E>> E constant(E[] constants) {
		return constants[number()];
	}

}
