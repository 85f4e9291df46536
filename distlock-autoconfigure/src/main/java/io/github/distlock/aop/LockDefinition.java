package io.github.distlock.aop;

import io.github.distlock.LockRequest;
import io.github.distlock.OnFailure;

/**
 * What an annotation says, read and checked: once for each method.
 *
 * @param where the annotated method
 * @param onClass whether the annotation is that of a class
 * @param key gives the key of a call
 * @param template the request of each call, but for its key
 * @param onFailure what happens without the lock
 * @param registry qualifier or bean name of the registry, empty for the default one
 */
record LockDefinition(LockedMethod where, boolean onClass, KeySource key, LockRequest template, OnFailure onFailure,
		String registry) {

	/** Label of the lock. */
	String name() {
		return this.template.label();
	}

}
