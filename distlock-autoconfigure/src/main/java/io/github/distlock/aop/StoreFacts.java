package io.github.distlock.aop;

import java.util.function.Consumer;

import io.github.distlock.LockRequest;

/**
 * What annotations need to know about the store of a registry.
 *
 * @param name the name of the store, for events
 * @param validator refuses requests that the registry or its store does not support, with
 * a {@link io.github.distlock.LockDefinitionException}
 */
public record StoreFacts(String name, Consumer<LockRequest> validator) {

	/** For an unknown registry, which refuses unsupported requests when it is called. */
	public static final StoreFacts UNKNOWN = new StoreFacts("unknown", (request) -> {
	});

}
