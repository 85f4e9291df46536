package io.github.distlock.sample.lab.records;

import java.util.function.BooleanSupplier;

/**
 * The time between reading the stock and writing it back. Under a correct lock, two stays
 * that wrote never overlap.
 */
public interface Stay {

	/** A stay that leaves no record. */
	Stay UNRECORDED = (value, serial, write) -> write.getAsBoolean();

	/**
	 * Write the stock, and record what became of it: written, or refused. Inside a
	 * transaction that is known, and recorded, at its end.
	 * @param value the stock to be written
	 * @param serial the number of the sold unit
	 * @param write writes; {@code false} if the database refused it
	 * @return what {@code write} returned
	 */
	boolean write(long value, long serial, BooleanSupplier write);

}
