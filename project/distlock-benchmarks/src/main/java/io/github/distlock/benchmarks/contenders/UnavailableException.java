package io.github.distlock.benchmarks.contenders;

/**
 * A contender cannot be measured here; the message says why.
 */
public final class UnavailableException extends RuntimeException {

	private static final long serialVersionUID = 1;

	/**
	 * Say why.
	 * @param message the reason
	 */
	public UnavailableException(String message) {
		super(message);
	}

}
