package io.github.distlock.aop;

import java.util.List;

import io.github.distlock.LockRequest;
import org.jspecify.annotations.Nullable;

/**
 * The definition of a lock: the attributes of one annotation on one method, read and
 * checked.
 *
 * @param method the annotated method
 * @param condition whether a call needs the lock, {@code null} if each call does;
 * evaluated before the key
 * @param key determines the keys of a call, {@code null} for the key of the template
 * @param template the request of each call; its key is the declaring class and the method
 * @param failurePolicy determines what the caller gets without the lock
 * @param registry qualifier or bean name of the registry, empty for the default one
 */
record LockDefinition(LockedMethod method, @Nullable MethodExpression condition, @Nullable KeyExpression key,
		LockRequest template, FailurePolicy failurePolicy, String registry) {

	/** Label of the lock. */
	String name() {
		return this.template.label();
	}

	/** Whether a call needs the lock. */
	boolean isNeeded(@Nullable Object target, @Nullable Object[] arguments) {
		return this.condition == null || this.condition.holds(target, arguments);
	}

	/** Return the requests of a call, one for each key, sorted and without duplicates. */
	List<LockRequest> requests(@Nullable Object target, @Nullable Object[] arguments) {
		if (this.key == null) {
			return List.of(this.template);
		}
		List<String> keys = this.key.keys(target, arguments);
		return (keys.size() == 1) ? List.of(this.template.key(keys.get(0)))
				: keys.stream().map(this.template::key).toList();
	}

}
