package io.github.distlock.aop;

import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;

/**
 * One lock that a call needs.
 *
 * @param definition the annotation that asks for it
 * @param registry where it is kept
 * @param request what to ask the registry for
 */
record WantedLock(LockDefinition definition, LockRegistry registry, LockRequest request) {

	/**
	 * Whether the call is skipped without it: then listeners are told so, and no
	 * exception is made.
	 */
	boolean isSkipped() {
		return this.definition.withoutLock() instanceof SkippedResult;
	}

}
