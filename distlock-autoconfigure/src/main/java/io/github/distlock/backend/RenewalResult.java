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
	 * @param refused whether the store has answered with an error that another lease of
	 * the batch may have caused. The lease is then sent alone at once; after silence it
	 * is sent later
	 */
	record Unknown(RuntimeException cause, boolean refused) implements RenewalResult {

		/**
		 * Create the result of a renewal without an answer.
		 * @param cause the failure
		 */
		public Unknown(RuntimeException cause) {
			this(cause, false);
		}

	}

}
