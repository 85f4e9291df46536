package io.github.distlock.aop;

import java.lang.reflect.Method;

import io.github.distlock.DistributedLock;
import org.jspecify.annotations.Nullable;

/**
 * An annotation that applies to a method of a bean class.
 *
 * @param method the method
 * @param attributes the annotation, with aliases and composed annotations merged
 * @param annotated the annotated method, {@code null} if a class is annotated
 */
record LockAnnotation(LockedMethod method, DistributedLock attributes, @Nullable Method annotated) {

	/** Whether a class is annotated and not a method. */
	boolean isOnClass() {
		return this.annotated == null;
	}

}
