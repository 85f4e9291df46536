package io.github.distlock.test.audit;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

import io.github.distlock.test.audit.CodePlaces.CodePlace;

/**
 * A lock that the application has, or had.
 *
 * @param lock what is the same lock to the audit
 * @param key its key, without a prefix
 * @param token its fencing token
 * @param shared whether others may have it at the same time: readers, permits
 * @param place where it was acquired
 * @param thread the thread that did, of the library if no code of the application runs
 * @param used whether a statement was sent under it, so the call that acquired it has all
 * of its locks
 * @param released where it was released, empty before; makes each grant unequal to others
 */
record AuditedLock(Lock lock, String key, long token, boolean shared, CodePlace place, Thread thread,
		AtomicBoolean used, AtomicReference<CodePlace> released) {

	/**
	 * What is the same lock to the audit.
	 *
	 * @param registry the name of the store
	 * @param shape the shape of the key
	 */
	record Lock(String registry, String shape) {

		@Override
		public String toString() {
			return "'" + this.shape + "'" + (this.registry.isEmpty() ? "" : " (" + this.registry + ")");
		}

	}

}
