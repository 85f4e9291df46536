package io.github.distlock.actuate;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.github.distlock.LockBackendException;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.actuate.RefusedOperationException.Refusal;
import io.github.distlock.backend.LockKeys;
import io.github.distlock.backend.StoredLock;
import io.github.distlock.backend.UnsupportedStoreOperationException;
import io.github.distlock.registry.BackendLockRegistry;
import org.jspecify.annotations.Nullable;

/**
 * The registries of an application by name, and which of them a request means.
 */
public final class LockRegistries {

	private final Supplier<Map<String, BackendLockRegistry>> source;

	/**
	 * Create the collection.
	 * @param source returns the registries that exist, in the order of their names
	 */
	public LockRegistries(Supplier<Map<String, BackendLockRegistry>> source) {
		this.source = source;
	}

	Map<String, BackendLockRegistry> all() {
		return this.source.get();
	}

	/**
	 * Return one registry, or all if none is named.
	 */
	Map<String, BackendLockRegistry> named(@Nullable String name) {
		Map<String, BackendLockRegistry> all = all();
		if (name == null) {
			return all;
		}
		BackendLockRegistry registry = all.get(name);
		if (registry == null) {
			throw new RefusedOperationException(Refusal.NOT_FOUND,
					"There is no registry of this name. The registries are: " + String.join(", ", all.keySet()));
		}
		return Map.of(name, registry);
	}

	/**
	 * Find the registry whose store knows a lock. With one candidate nothing is asked. A
	 * store that does not answer only counts if no other knows the lock.
	 * @param key the key of the lock
	 * @param name the name of the registry, or {@code null} to ask all
	 * @param known which answers of a store count
	 * @return the registry, or {@code null} if none of several knows the lock
	 */
	@Nullable NamedRegistry find(String key, @Nullable String name, Predicate<StoredLock> known) {
		LockKeys.validate(key);
		Map<String, BackendLockRegistry> candidates = named(name);
		List<NamedRegistry> found = new ArrayList<>();
		List<LockBackendException> failures = new ArrayList<>();
		candidates.forEach((candidate, registry) -> {
			try {
				if (candidates.size() == 1 || known.test(registry.inspection().inspect(key))) {
					found.add(new NamedRegistry(candidate, registry));
				}
			}
			catch (LockBackendException ex) {
				failures.add(ex);
			}
		});
		if (found.isEmpty() && !failures.isEmpty()) {
			throw failures.get(0);
		}
		if (found.size() > 1) {
			throw new RefusedOperationException(Refusal.INVALID,
					"Several registries know this key: "
							+ String.join(", ", found.stream().map(NamedRegistry::name).toList())
							+ ". Name one of them with the parameter 'registry'");
		}
		return found.isEmpty() ? null : found.get(0);
	}

	/**
	 * Translate a failure of a store.
	 * @param failure what a store has thrown
	 * @param mask whether the caller may see the message, which can name hosts and keys
	 */
	static RefusedOperationException refusal(RuntimeException failure, ValueMask mask) {
		if (failure instanceof RefusedOperationException refused) {
			return refused;
		}
		String message = failure.getMessage();
		if (failure instanceof UnsupportedStoreOperationException) {
			return new RefusedOperationException(Refusal.UNSUPPORTED,
					(mask.shown() && message != null) ? message : "The store cannot do this");
		}
		if (failure instanceof LockBackendException) {
			return new RefusedOperationException(Refusal.UNAVAILABLE,
					(mask.shown() && message != null) ? message : "The store did not answer");
		}
		if (failure instanceof LockDefinitionException) {
			return new RefusedOperationException(Refusal.INVALID,
					(mask.shown() && message != null) ? message : "This cannot be the key of a lock");
		}
		throw failure;
	}

	/**
	 * A registry and its name.
	 *
	 * @param name the name
	 * @param registry the registry
	 */
	record NamedRegistry(String name, BackendLockRegistry registry) {
	}

}
