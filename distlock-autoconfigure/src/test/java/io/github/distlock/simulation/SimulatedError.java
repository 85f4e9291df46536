package io.github.distlock.simulation;

/** An error that a fault throws at the seam to the store. */
@SuppressWarnings("serial")
final class SimulatedError extends Error {

	SimulatedError(String message) {
		super(message);
	}

}
