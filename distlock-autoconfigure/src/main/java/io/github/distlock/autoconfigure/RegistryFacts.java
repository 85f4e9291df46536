package io.github.distlock.autoconfigure;

import java.time.Duration;
import java.util.Comparator;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

import io.github.distlock.LockMode;
import io.github.distlock.LockRegistry;
import io.github.distlock.aop.StoreFacts;
import io.github.distlock.backend.BackendDescription;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.registry.CompositeLockRegistry;
import io.github.distlock.registry.ReleaseMode;
import org.jspecify.annotations.Nullable;

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
			BackendDescription backend = backendRegistry.description();
			return new StoreFacts(backend.name(), backend.modes(), backend.fair(),
					backendRegistry.settings().maxHoldTime(), backend.keeps(),
					backendRegistry.settings().release() == ReleaseMode.BACKGROUND
							&& !backend.name().equals(Backend.LOCAL.id()));
		}
		if (registry instanceof CompositeLockRegistry composite) {
			return composite.members().stream().map(RegistryFacts::of).reduce(RegistryFacts::both).orElseThrow();
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

	private static @Nullable Duration shorter(@Nullable Duration one, @Nullable Duration other) {
		return Stream.of(one, other).filter(Objects::nonNull).min(Comparator.naturalOrder()).orElse(null);
	}

	/** Return what both members of a composite support. */
	private static StoreFacts both(StoreFacts one, StoreFacts other) {
		Set<LockMode> modes = new TreeSet<>(one.modes());
		modes.retainAll(other.modes());
		return new StoreFacts(Backend.COMPOSITE.id(), modes, one.fair() && other.fair(),
				shorter(one.maxHoldTime(), other.maxHoldTime()), one.keeps() && other.keeps(),
				one.releasesInBackground() || other.releasesInBackground());
	}

}
