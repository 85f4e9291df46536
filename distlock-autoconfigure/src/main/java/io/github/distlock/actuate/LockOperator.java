package io.github.distlock.actuate;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.github.distlock.LockBackendException;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockInstance;
import io.github.distlock.actuate.LockDescriptor.HolderDescriptor;
import io.github.distlock.actuate.LockDescriptor.QueuedDescriptor;
import io.github.distlock.actuate.LocksDescriptor.HeldDescriptor;
import io.github.distlock.actuate.LocksDescriptor.KeptDescriptor;
import io.github.distlock.actuate.LocksDescriptor.RecentDescriptor;
import io.github.distlock.actuate.LocksDescriptor.RegistryDescriptor;
import io.github.distlock.actuate.LocksDescriptor.TotalsDescriptor;
import io.github.distlock.actuate.LocksDescriptor.WaitingDescriptor;
import io.github.distlock.actuate.RefusedOperationException.Refusal;
import io.github.distlock.backend.LockKeys;
import io.github.distlock.backend.StoredLock;
import io.github.distlock.backend.UnsupportedStoreOperationException;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.registry.RegistrySnapshot;
import io.github.distlock.registry.RegistrySnapshot.HeldLockSnapshot;
import io.github.distlock.registry.RegistrySnapshot.KeptLockSnapshot;
import io.github.distlock.registry.RegistrySnapshot.WaitingSnapshot;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.Sanitizer;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.util.StringUtils;

/**
 * The operations of the endpoint, over HTTP and JMX: reads what this application holds
 * and what the stores say, and ends grants for operators. Only {@link #release} changes
 * anything.
 * <p>
 * A caller that does not see the values may neither ask for a single lock, since it could
 * find out keys by asking for one after another, nor end a grant, since it could not know
 * what it ends. Each request to end a grant leaves an audit event. What refuses an
 * operation is thrown as {@link RefusedOperationException}.
 */
public final class LockOperator {

	/** The length of each list if the request does not name one. */
	static final int DEFAULT_LIMIT = 100;

	private final Supplier<Map<String, BackendLockRegistry>> registries;

	private final RecentLockEvents recentEvents;

	private final ReleaseAudit audit;

	private final Predicate<SecurityContext> shown;

	private final Sanitizer sanitizer;

	/**
	 * Create the operations.
	 * @param registries returns the registries that exist, in the order of their names
	 * @param recentEvents the events of the application, and what was released
	 * @param audit publishes each request to end a grant
	 * @param shown whether a caller sees keys, hosts and callers
	 * @param sanitizer masks further values
	 */
	public LockOperator(Supplier<Map<String, BackendLockRegistry>> registries, RecentLockEvents recentEvents,
			ReleaseAudit audit, Predicate<SecurityContext> shown, Sanitizer sanitizer) {
		this.registries = registries;
		this.recentEvents = recentEvents;
		this.audit = audit;
		this.shown = shown;
		this.sanitizer = sanitizer;
	}

	private ValueMask mask(SecurityContext caller) {
		return new ValueMask(this.sanitizer, this.shown.test(caller));
	}

	LocksDescriptor locks(SecurityContext caller, @Nullable Integer requestedLimit) {
		int limit = limit(requestedLimit);
		ValueMask mask = mask(caller);
		InstanceDescriptor self = null;
		Map<String, RegistryDescriptor> descriptors = new LinkedHashMap<>();
		for (Map.Entry<String, BackendLockRegistry> entry : this.registries.get().entrySet()) {
			RegistrySnapshot snapshot = snapshot(entry.getValue());
			if (self == null && snapshot != null) {
				self = InstanceDescriptor.of(snapshot.instance(), mask);
			}
			descriptors.put(entry.getKey(),
					registry(snapshot, recent(entry.getValue().description().name(), limit, mask), limit, mask));
		}
		return new LocksDescriptor(self, descriptors);
	}

	private static RegistryDescriptor registry(@Nullable RegistrySnapshot snapshot, List<RecentDescriptor> recent,
			int limit, ValueMask mask) {
		if (snapshot == null) {
			return new RegistryDescriptor(List.of(), List.of(), List.of(), recent, new TotalsDescriptor(0, 0, 0));
		}
		return new RegistryDescriptor(snapshot.held().stream().limit(limit).map((lock) -> held(lock, mask)).toList(),
				snapshot.kept().stream().limit(limit).map((lock) -> kept(lock, mask)).toList(),
				snapshot.waiting().stream().limit(limit).map((waiter) -> waiting(waiter, mask)).toList(), recent,
				new TotalsDescriptor(snapshot.held().size(), snapshot.kept().size(), snapshot.waiting().size()));
	}

	private static HeldDescriptor held(HeldLockSnapshot lock, ValueMask mask) {
		return new HeldDescriptor(mask.key(lock.key()), lock.name(), lock.mode(),
				lock.state().name().toLowerCase(Locale.ROOT), mask.caller(lock.caller()), Milliseconds.of(lock.since()),
				Milliseconds.of(lock.remaining()), lock.renewals(), lock.reentries(), lock.fencingToken(),
				lock.grantToken(), lock.waiting());
	}

	private static KeptDescriptor kept(KeptLockSnapshot lock, ValueMask mask) {
		return new KeptDescriptor(mask.key(lock.key()), Milliseconds.of(lock.since()), lock.fencingToken(),
				lock.grantToken());
	}

	private static WaitingDescriptor waiting(WaitingSnapshot caller, ValueMask mask) {
		return new WaitingDescriptor(mask.key(caller.key()), caller.name(), caller.mode(), mask.caller(caller.caller()),
				Milliseconds.of(caller.since()));
	}

	private List<RecentDescriptor> recent(String store, int limit, ValueMask mask) {
		return this.recentEvents.latest(store)
			.stream()
			.limit(limit)
			.map((event) -> new RecentDescriptor((event.key() != null) ? mask.key(event.key()) : null, event.name(),
					event.event(), event.at(), event.detail()))
			.toList();
	}

	/** Return {@code null} if the registry is not running. */
	private static @Nullable RegistrySnapshot snapshot(BackendLockRegistry registry) {
		try {
			return registry.snapshot();
		}
		catch (LockBackendException ex) {
			return null;
		}
	}

	LockDescriptor lock(SecurityContext caller, String key, @Nullable String registryName,
			@Nullable Integer requestedLimit) {
		ValueMask mask = mask(caller);
		if (mask.hides(key)) {
			throw RefusedOperationException.masked("no single lock can be asked for");
		}
		int limit = limit(requestedLimit);
		try {
			NamedRegistry named = find(key, registryName,
					(lock) -> !lock.holders().isEmpty() || !lock.waiting().isEmpty());
			return (named != null) ? lock(named, key, limit, mask)
					: new LockDescriptor(key, null, List.of(), List.of());
		}
		catch (RuntimeException ex) {
			throw refusal(ex, mask);
		}
	}

	private static LockDescriptor lock(NamedRegistry named, String key, int limit, ValueMask mask) {
		StoredLock stored = named.registry().inspection().inspect(key);
		List<HolderDescriptor> holders = stored.holders().stream().limit(limit).map((holder) -> {
			InstanceDescriptor instance = InstanceDescriptor.of(LockInstance.of(holder.instance()), mask);
			return new HolderDescriptor(instance.id(), instance.application(), instance.host(), instance.pid(),
					holder.mode(), Milliseconds.ofNullable(holder.since()), Milliseconds.ofNullable(holder.ttl()),
					holder.grantToken());
		}).toList();
		List<QueuedDescriptor> waiting = stored.waiting().stream().limit(limit).map((waiter) -> {
			InstanceDescriptor instance = InstanceDescriptor.of(LockInstance.of(waiter.instance()), mask);
			return new QueuedDescriptor(instance.id(), instance.application(), instance.host(), instance.pid(),
					waiter.mode());
		}).toList();
		return new LockDescriptor(key, named.name(), holders, waiting);
	}

	private static int limit(@Nullable Integer requested) {
		int limit = (requested != null) ? requested : DEFAULT_LIMIT;
		if (limit < 0) {
			throw new RefusedOperationException(Refusal.INVALID, "The parameter 'limit' must not be negative");
		}
		return limit;
	}

	/**
	 * End a grant.
	 * @param instance refused if it is named
	 * @throws RefusedOperationException if nothing was ended, or if that is not known
	 */
	void release(SecurityContext caller, @Nullable String key, @Nullable String registry, @Nullable Long token,
			@Nullable String instance) {
		ValueMask mask = mask(caller);
		Map<String, Object> data = new LinkedHashMap<>();
		put(data, "registry", registry);
		put(data, "key", (key != null) ? mask.key(key) : null);
		put(data, "grantToken", token);
		String refusal = "failed";
		try {
			if (!mask.shown() || (key != null && mask.hides(key))) {
				throw RefusedOperationException.masked("nothing can be released");
			}
			if (instance != null) {
				throw new RefusedOperationException(Refusal.INVALID,
						"Nothing is released by instance: the leases of a dead instance end by themselves. To end a "
								+ "grant sooner, name its key and its token (?key=...&token=...)");
			}
			if (!StringUtils.hasLength(key)) {
				throw new RefusedOperationException(Refusal.INVALID,
						"Name what to release: a key and the token of its grant (?key=...&token=...)");
			}
			if (token == null) {
				throw new RefusedOperationException(Refusal.INVALID,
						"The parameter 'token' is missing. It is the grantToken of the holder, as a GET of the key shows "
								+ "it, so that no later grant is ended");
			}
			end(key, registry, token, data);
			refusal = null;
		}
		catch (RuntimeException ex) {
			RefusedOperationException refused = refusal(ex, mask);
			refusal = refused.refusal().name().toLowerCase(Locale.ROOT);
			throw refused;
		}
		finally {
			this.audit.publish(caller.getPrincipal(), data, refusal);
		}
	}

	private void end(String key, @Nullable String registryName, long token, Map<String, Object> data) {
		NamedRegistry named = find(key, registryName, (lock) -> !lock.holders().isEmpty());
		if (named == null) {
			throw new RefusedOperationException(Refusal.NOT_FOUND, "The lock is not held in any registry");
		}
		data.put("registry", named.name());
		String name = nameOf(named.registry(), key);
		switch (named.registry().inspection().end(key, token)) {
			case ENDED -> this.recentEvents.released(named.registry().description().name(), key, name,
					"an operator has ended grant " + token + " through this application");
			case CHANGED -> throw new RefusedOperationException(Refusal.CONFLICT,
					"Another grant holds the lock now. Nothing was released: GET the key again");
			case NOT_HELD -> throw new RefusedOperationException(Refusal.NOT_FOUND,
					"The lock is not held in registry '" + named.name() + "'");
		}
	}

	/** Return the declared name of a lock, if this JVM holds it. */
	private static @Nullable String nameOf(BackendLockRegistry registry, String key) {
		return registry.snapshot()
			.held()
			.stream()
			.filter((lock) -> lock.key().equals(key))
			.map(HeldLockSnapshot::name)
			.findFirst()
			.orElse(null);
	}

	/** Texts come from outside and must not end a line of the log. */
	private static void put(Map<String, Object> data, String name, @Nullable Object value) {
		if (value != null) {
			data.put(name, (value instanceof String text) ? LockKeys.printable(text) : value);
		}
	}

	/**
	 * Return one registry, or all if none is named.
	 */
	private Map<String, BackendLockRegistry> named(@Nullable String name) {
		Map<String, BackendLockRegistry> all = this.registries.get();
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
	private @Nullable NamedRegistry find(String key, @Nullable String name, Predicate<StoredLock> known) {
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
	private static RefusedOperationException refusal(RuntimeException failure, ValueMask mask) {
		if (failure instanceof RefusedOperationException refused) {
			return refused;
		}
		String message = mask.shown() ? failure.getMessage() : null;
		if (failure instanceof UnsupportedStoreOperationException) {
			return new RefusedOperationException(Refusal.UNSUPPORTED,
					Objects.requireNonNullElse(message, "The store cannot do this"));
		}
		if (failure instanceof LockBackendException) {
			return new RefusedOperationException(Refusal.UNAVAILABLE,
					Objects.requireNonNullElse(message, "The store did not answer"));
		}
		if (failure instanceof LockDefinitionException) {
			return new RefusedOperationException(Refusal.INVALID,
					Objects.requireNonNullElse(message, "This cannot be the key of a lock"));
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
