package io.github.distlock.actuate;

import io.github.distlock.LockInstance;
import org.jspecify.annotations.Nullable;

/**
 * One registry of one JVM.
 *
 * @param id the id of the instance, which is part of its tickets in the store
 * @param application the name of the application
 * @param host the name of the host
 * @param pid the process id
 */
public record InstanceDescriptor(String id, @Nullable String application, @Nullable String host, @Nullable Long pid) {

	static InstanceDescriptor of(LockInstance instance, ValueMask mask) {
		return new InstanceDescriptor(instance.id(), instance.application(), mask.mask(ValueMask.HOST, instance.host()),
				instance.pid());
	}

}
