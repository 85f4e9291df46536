package io.github.distlock.aop;

import io.github.distlock.LockRequest;

/**
 * The definition of a lock: the attributes of one annotation on one method, read and
 * checked.
 *
 * @param method the annotated method
 * @param returnKind when the work of the method is done
 * @param condition whether a call needs the lock; evaluated before the key
 * @param key determines the keys of a call
 * @param template the request of each call, without its key
 * @param failurePolicy determines what the caller gets without the lock
 * @param registry qualifier or bean name of the registry, empty for the default one
 */
record LockDefinition(LockedMethod method, ReturnKind returnKind, Condition condition, KeySource key,
		LockRequest template, FailurePolicy failurePolicy, String registry) {

	/** Label of the lock. */
	String name() {
		return this.template.label();
	}

}
