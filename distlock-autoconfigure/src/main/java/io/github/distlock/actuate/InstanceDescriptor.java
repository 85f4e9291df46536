package io.github.distlock.actuate;

import java.time.Instant;

import io.github.distlock.LockInstance;
import org.jspecify.annotations.Nullable;

/**
 * One registry of one JVM.
 *
 * @param id the id of the instance, which is part of its tickets in the store
 * @param application the name of the application
 * @param host the name of the host
 * @param pid the process id
 * @param started when the JVM was started
 * @param seen when the instance last refreshed its entry; only in the list of instances
 */
public record InstanceDescriptor(String id, @Nullable String application, @Nullable String host, @Nullable Long pid,
		@Nullable Instant started, @Nullable Instant seen) {

	public InstanceDescriptor {
		started = Milliseconds.ofNullable(started);
		seen = Milliseconds.ofNullable(seen);
	}

	static InstanceDescriptor of(LockInstance instance, @Nullable Instant seen, ValueMask mask) {
		return new InstanceDescriptor(instance.id(), instance.application(), mask.host(instance.host()), instance.pid(),
				instance.started(), seen);
	}

}
