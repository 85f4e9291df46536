package io.github.distlock.aot;

import io.github.distlock.DistributedLock;
import io.github.distlock.LockException;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.OnFailure;

/**
 * Methods whose lock is taken by another caller.
 */
class FailureWork {

	static final String KEY = "taken";

	@DistributedLock(key = "'taken'", waitTime = "0", fallback = "busy")
	String withFallback(int id) {
		return "ran " + id;
	}

	private String busy(int id, LockNotAcquiredException ex) {
		return "busy " + id;
	}

	@DistributedLock(key = "'taken'", waitTime = "0", fallback = "inherited")
	String withPublicFallback() {
		return "ran";
	}

	public String inherited(LockException ex) {
		return "inherited";
	}

	@DistributedLock(key = "'taken'", waitTime = "0", onFailure = OnFailure.SKIP)
	void skipped() {
		throw new IllegalStateException("ran");
	}

	@DistributedLock(key = "'taken'", waitTime = "0")
	String handled() {
		return "ran";
	}

}
