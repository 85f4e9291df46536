package io.github.distlock.aop;

import java.time.Duration;

import io.github.distlock.LockMode;
import io.github.distlock.LockRequest;
import io.github.distlock.OnFailure;
import org.jspecify.annotations.Nullable;

/**
 * What an annotation says, read and checked: once for each method.
 *
 * @param where the annotated method
 * @param onClass whether the annotation is that of a class
 * @param name label of the lock
 * @param key gives the key of a call
 * @param waitTime as in {@link LockRequest}
 * @param leaseTime as in {@link LockRequest}
 * @param fair whether the order of arrival holds over all JVMs
 * @param onFailure what happens without the lock
 * @param registry qualifier or bean name of the registry, empty for the default one
 */
record LockDefinition(LockedMethod where, boolean onClass, String name, KeySource key, @Nullable Duration waitTime,
		@Nullable Duration leaseTime, boolean fair, OnFailure onFailure, String registry) {

	/** The annotation offers no other yet. */
	LockMode mode() {
		return LockMode.EXCLUSIVE;
	}

	LockRequest request(String evaluatedKey) {
		return new LockRequest(evaluatedKey, mode(), this.waitTime, this.leaseTime, this.fair, this.name);
	}

}
