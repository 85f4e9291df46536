package io.github.distlock.waiting;

/**
 * Receives what becomes of a release that no caller waits for.
 */
public interface ReleaseObserver {

	/**
	 * The store no longer knew the holder: the lock had been lost. Must not block.
	 */
	void gone();

	/**
	 * The store has not answered, and the release is repeated. Must not block.
	 */
	void unanswered();

}
