package io.github.distlock.autoconfigure;

import java.util.List;
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
	static StoreFacts of(LockRegistry registry) {
		List<BackendLockRegistry> members = members(registry).toList();
		String store = (members.size() == 1) ? members.get(0).description().name() : Backend.COMPOSITE.id();
		return members.isEmpty() ? StoreFacts.UNKNOWN
				: new StoreFacts(store, (request) -> members.forEach((member) -> member.validate(request)));
	}

	/**
	 * Return the registries in which a registry acquires a lock, none for a registry of
	 * the application.
	 */
	static Stream<BackendLockRegistry> members(LockRegistry proxyOrRegistry) {
		Object target = AopProxyUtils.getSingletonTarget(proxyOrRegistry);
		Object registry = (target != null) ? target : proxyOrRegistry;
		if (registry instanceof CompositeLockRegistry composite) {
			return composite.members().stream().flatMap(RegistryFacts::members);
		}
		return (registry instanceof BackendLockRegistry backendRegistry) ? Stream.of(backendRegistry) : Stream.empty();
	}

}
