package io.github.distlock.aop;

import io.github.distlock.LockRequest;

/**
 * What an annotation says, read and checked: once for each method.
 *
 * @param where the annotated method
 * @param result when the work of the method is done
 * @param onClass whether the annotation is that of a class
 * @param condition whether a call needs the lock; evaluated before the key
 * @param key gives the key of a call
 * @param template the request of each call, but for its key
 * @param withoutLock what its caller gets if the lock is not to be had
 * @param registry qualifier or bean name of the registry, empty for the default one
 */
record LockDefinition(LockedMethod where, ReturnKind result, boolean onClass, Condition condition, KeySource key,
		LockRequest template, FailurePolicy withoutLock, String registry) {

	BeanLocks.Place place() {
		return new BeanLocks.Place(this.where, this.onClass);
	}

	/** Label of the lock. */
	String name() {
		return this.template.label();
	}

}
