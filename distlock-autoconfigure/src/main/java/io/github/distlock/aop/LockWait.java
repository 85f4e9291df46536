package io.github.distlock.aop;

import io.github.distlock.LockRequest;

/**
 * The wait times of the locks of one call, which all began at one moment.
 */
final class LockWait {

	/**
	 * Say what to ask the registry for next.
	 * @param wanted the lock whose turn it is
	 * @return the request, with what is left of its wait time
	 */
	LockRequest request(WantedLock wanted) {
		return wanted.request();
	}

}
