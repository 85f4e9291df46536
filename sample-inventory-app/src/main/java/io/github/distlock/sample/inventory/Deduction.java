package io.github.distlock.sample.inventory;

import org.jspecify.annotations.Nullable;

/**
 * The answer to one order. A refusal because nothing is left is an answer, not an error.
 *
 * @param accepted whether a unit was sold
 * @param serial the serial number of the sold unit, or {@code null} for a refusal
 */
record Deduction(boolean accepted, @Nullable Long serial) {

	static Deduction sold(long serial) {
		return new Deduction(true, serial);
	}

	static Deduction soldOut() {
		return new Deduction(false, null);
	}

}
