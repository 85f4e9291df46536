package io.github.distlock.sample.inventory;

import org.jspecify.annotations.Nullable;

/**
 * The answer to one order. A refusal because nothing is left is an answer, not an error.
 *
 * @param accepted whether a unit was sold
 * @param serial the serial number of the sold unit, or {@code null} for a refusal
 */
public record Deduction(boolean accepted, @Nullable Long serial) {

	/**
	 * A unit was sold.
	 * @param serial its number
	 * @return the answer
	 */
	public static Deduction sold(long serial) {
		return new Deduction(true, serial);
	}

	/**
	 * Nothing is left.
	 * @return the answer
	 */
	public static Deduction soldOut() {
		return new Deduction(false, null);
	}

}
