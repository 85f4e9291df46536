package io.github.distlock.transaction;

/**
 * What happens if a locked method is called inside an active transaction. Such a
 * transaction may have read data before the lock was acquired, and it commits after the
 * method has returned.
 */
public enum OnActiveTransaction {

	/**
	 * The lock is kept until the transaction has completed, and the commit guard checks
	 * it like any other lock. One warning is logged for each method.
	 */
	KEEP,

	/** The call is rejected with {@link io.github.distlock.LockDefinitionException}. */
	FAIL,

	/** The lock is released when the method returns, before the commit. */
	RELEASE

}
