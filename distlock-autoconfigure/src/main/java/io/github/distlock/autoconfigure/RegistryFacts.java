package io.github.distlock.autoconfigure;

import java.util.stream.Stream;

import io.github.distlock.LockRegistry;
import io.github.distlock.aop.StoreFacts;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.registry.CompositeLockRegistry;

import org.springframework.aop.framework.AopProxyUtils;

/**
 * Describes what the registries of this library support.
 */
final class RegistryFacts {

	private RegistryFacts() {
	}

	/** Return the facts about a registry, which may be behind a proxy. */
	static StoreFacts of(LockRegistry proxyOrRegistry) {
		Object registry = registry(proxyOrRegistry);
		if (registry instanceof BackendLockRegistry backendRegistry) {
			return new StoreFacts(backendRegistry.description().name(), backendRegistry::validate);
		}
		if (registry instanceof CompositeLockRegistry composite) {
			return new StoreFacts(Backend.COMPOSITE.id(),
					(request) -> composite.members().forEach((member) -> of(member).validator().accept(request)));
		}
		return StoreFacts.UNKNOWN;
	}

	/**
	 * Return the names of the stores in which a registry acquires a lock, none for a
	 * registry of the application.
	 */
	static Stream<String> stores(LockRegistry proxyOrRegistry) {
		Object registry = registry(proxyOrRegistry);
		if (registry instanceof BackendLockRegistry backendRegistry) {
			return Stream.of(backendRegistry.description().name());
		}
		return (registry instanceof CompositeLockRegistry composite)
				? composite.members().stream().flatMap(RegistryFacts::stores) : Stream.empty();
	}

	private static Object registry(LockRegistry proxyOrRegistry) {
		Object target = AopProxyUtils.getSingletonTarget(proxyOrRegistry);
		return (target != null) ? target : proxyOrRegistry;
	}

}
