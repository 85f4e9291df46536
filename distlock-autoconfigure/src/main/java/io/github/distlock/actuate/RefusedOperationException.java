package io.github.distlock.actuate;

/**
 * An operation of the endpoint was refused. The message contains no value that is masked
 * for the caller.
 */
final class RefusedOperationException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final int status;

	RefusedOperationException(int status, String reason) {
		super(reason);
		this.status = status;
	}

	/** Create the refusal of a request of a caller that does not see the values. */
	static RefusedOperationException masked(String consequence) {
		return new RefusedOperationException(403,
				"The values of this endpoint are masked for this user, so " + consequence
						+ ": see management.endpoint.distlocks.show-values and management.endpoint.distlocks.roles");
	}

	/** Return the status of HTTP. */
	int status() {
		return this.status;
	}

}
