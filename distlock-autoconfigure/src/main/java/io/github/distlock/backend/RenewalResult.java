package io.github.distlock.backend;

/**
 * What a store answers for one lease of a batch.
 */
public sealed interface RenewalResult {

	/**
	 * The lease goes on.
	 *
	 * @param validity until when
	 */
	record Renewed(Validity validity) implements RenewalResult {
	}

	/**
	 * The ticket does not hold the lock.
	 *
	 * @param takenOver whether the store knows that another ticket holds it
	 */
	record Gone(boolean takenOver) implements RenewalResult {

		/**
		 * The ticket does not hold the lock, and the store does not tell whether another
		 * one does.
		 */
		public Gone() {
			this(false);
		}

	}

	/**
	 * The outcome is not known.
	 *
	 * @param cause why
	 */
	record Unknown(RuntimeException cause) implements RenewalResult {
	}

}
