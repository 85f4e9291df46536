package io.github.distlock.actuate;

/**
 * An operation of the endpoint was refused. The message contains no value that is masked
 * for the caller.
 */
final class RefusedOperationException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final Refusal refusal;

	RefusedOperationException(Refusal refusal, String reason) {
		super(reason);
		this.refusal = refusal;
	}

	/** Create the refusal of a request of a caller that does not see the values. */
	static RefusedOperationException masked(String consequence) {
		return new RefusedOperationException(Refusal.FORBIDDEN,
				"The values of this endpoint are masked for this user, so " + consequence
						+ ": see management.endpoint.distlocks.show-values and management.endpoint.distlocks.roles");
	}

	Refusal refusal() {
		return this.refusal;
	}

	/**
	 * Why an operation was refused.
	 */
	enum Refusal {

		/** The parameters do not say what to do. */
		INVALID(400),

		/**
		 * The caller may not see the values, and therefore may neither ask for a single
		 * lock nor release anything.
		 */
		FORBIDDEN(403),

		/** The registry does not exist, or the lock is not held. */
		NOT_FOUND(404),

		/** Another grant holds the lock. */
		CONFLICT(409),

		/** The store cannot do this. */
		UNSUPPORTED(501),

		/** The store does not answer. */
		UNAVAILABLE(503);

		private final int status;

		Refusal(int status) {
			this.status = status;
		}

		/** Return the status of HTTP. */
		int status() {
			return this.status;
		}

	}

}
