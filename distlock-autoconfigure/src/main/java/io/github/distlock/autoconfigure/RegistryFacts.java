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
	static StoreFacts of(LockRegistry registry) {
		return members(registry).map(RegistryFacts::facts).reduce(RegistryFacts::both).orElse(StoreFacts.UNKNOWN);
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

	private static StoreFacts facts(BackendLockRegistry registry) {
		BackendDescription backend = registry.description();
		return new StoreFacts(backend.name(), backend.modes(), backend.fair(), registry.settings().maxHoldTime(), backend.keeps(),
				registry.settings().release() == ReleaseMode.BACKGROUND && !backend.name().equals(Backend.LOCAL.id()));
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
