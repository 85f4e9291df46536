package io.github.distlock.backend;

/**
 * The answer of a store for one lease of a batch.
 */
public sealed interface RenewalResult {

	/**
	 * The lease was renewed.
	 *
	 * @param validity how long it is valid now
	 */
	record Extended(Validity validity) implements RenewalResult {
	}

	/**
	 * The ticket does not hold the lock.
	 *
	 * @param takenOver whether the store knows that another ticket holds it
	 */
	record Gone(boolean takenOver) implements RenewalResult {
	}

	/**
	 * The outcome is not known.
	 *
	 * @param cause the failure
	 */
	record Unknown(RuntimeException cause) implements RenewalResult {
	}

}
