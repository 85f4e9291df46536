package io.github.distlock.smoke;

/**
 * A test class that another test starts, because it cannot be compiled on every line.
 */
interface Slice {

	/** Check what the test slice offers. */
	void check();

}
