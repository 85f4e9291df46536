package io.github.distlock;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * One registry of one JVM, as the store knows it. The id is part of each of its tickets
 * in the store; the other values lead to the JVM.
 *
 * @param id the id of the instance: globally unique, new at each start of a registry
 * @param application the name of the application ({@code spring.application.name}), or
 * {@code null} if only the id is known
 * @param host the name of the host, or {@code null} if only the id is known
 * @param pid the process id, or {@code null} if only the id is known
 * @param started when the JVM was started, or {@code null} if only the id is known
 */
public record LockInstance(String id, @Nullable String application, @Nullable String host, @Nullable Long pid,
		@Nullable Instant started) {

	/**
	 * Return an instance of which only the id is known.
	 * @param id the id
	 * @return the instance
	 */
	public static LockInstance of(String id) {
		return new LockInstance(id, null, null, null, null);
	}

	/**
	 * Return whether more than the id is known.
	 * @return whether application, host, process id and start time are known
	 */
	public boolean isResolved() {
		return this.host != null;
	}

	/**
	 * Describe the instance for messages.
	 * @return {@code application@host:pid (id)}, or {@code instance id} if only the id is
	 * known
	 */
	public String describe() {
		return isResolved() ? this.application + "@" + this.host + ":" + this.pid + " (" + this.id + ")"
				: "instance " + this.id;
	}

}
