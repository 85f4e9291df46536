package io.github.distlock.transaction;

/**
 * What happens when a locked method is entered inside a running transaction, which may
 * have read before the lock was there and commits after the method has returned.
 */
public enum OnActiveTransaction {

	/**
	 * The lock is kept until the transaction has completed, and the commit guard asks it
	 * like any other. One warning for each method.
	 */
	KEEP,

	/** The call is refused with {@link io.github.distlock.LockDefinitionException}. */
	FAIL,

	/** The lock is released when the method returns, before the commit. */
	RELEASE

}
