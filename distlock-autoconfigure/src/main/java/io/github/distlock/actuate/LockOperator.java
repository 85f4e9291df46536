package io.github.distlock.actuate;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
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
import io.github.distlock.backend.LockKeys;
import io.github.distlock.backend.StoredLock;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.registry.RegistrySnapshot;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.Sanitizer;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.util.StringUtils;

/**
 * The operations of the endpoint: reads what this application holds and what the stores
 * say, and ends grants for operators. Only {@link #release} changes anything.
 * <p>
 * A caller that does not see the values may neither ask for a single lock, since it could
 * find out keys by asking for one after another, nor end a grant, since it could not know
 * what it ends. Each request to end a grant leaves an audit event. What refuses an
 * operation is thrown as {@link RefusedOperationException}.
 *
 * @param registries returns the registries that exist, in the order of their names
 * @param recentEvents the events of the application, and what was released
 * @param audit publishes each request to end a grant
 * @param shown whether a caller sees keys, hosts and callers
 * @param sanitizer masks further values
 */
public record LockOperator(Supplier<Map<String, BackendLockRegistry>> registries, RecentLockEvents recentEvents,
		ReleaseAudit audit, Predicate<SecurityContext> shown, Sanitizer sanitizer) {

	/** The length of each list if the request does not name one. */
	static final int DEFAULT_LIMIT = 100;

	private static final int CONFLICT = 409;

	private static final int NOT_IMPLEMENTED = 501;

	LocksDescriptor locks(SecurityContext caller, @Nullable Integer requestedLimit) {
		int limit = limit(requestedLimit);
		ValueMask mask = new ValueMask(this.sanitizer, this.shown.test(caller));
		return translate(() -> {
			Map<String, RegistryDescriptor> descriptors = new LinkedHashMap<>();
			this.registries.get().forEach((name, registry) -> descriptors.put(name, registry(registry, limit, mask)));
			List<BackendLockRegistry> all = List.copyOf(this.registries.get().values());
			return new LocksDescriptor(
					all.isEmpty() ? null : InstanceDescriptor.of(all.get(0).snapshot().instance(), mask), descriptors);
		});
	}

	private RegistryDescriptor registry(BackendLockRegistry registry, int limit, ValueMask mask) {
		RegistrySnapshot snapshot = registry.snapshot();
		List<HeldDescriptor> held = first(limit, snapshot.held(),
				(lock) -> new HeldDescriptor(mask.key(lock.key()), lock.name(), lock.mode(),
						lock.state().name().toLowerCase(Locale.ROOT), mask.mask(ValueMask.CALLER, lock.caller()),
						Milliseconds.of(lock.since()), Milliseconds.of(lock.remaining()), lock.renewals(),
						lock.reentries(), lock.fencingToken(), lock.grantToken(), lock.waiting()));
		List<KeptDescriptor> kept = first(limit, snapshot.kept(), (lock) -> new KeptDescriptor(mask.key(lock.key()),
				Milliseconds.of(lock.since()), lock.fencingToken(), lock.grantToken()));
		List<WaitingDescriptor> waiting = first(limit, snapshot.waiting(),
				(waiter) -> new WaitingDescriptor(mask.key(waiter.key()), waiter.name(), waiter.mode(),
						mask.mask(ValueMask.CALLER, waiter.caller()), Milliseconds.of(waiter.since())));
		List<RecentDescriptor> recent = first(limit, this.recentEvents.latest(registry.description().name()),
				(event) -> new RecentDescriptor((event.key() != null) ? mask.key(event.key()) : null, event.name(),
						event.event(), event.at(), event.detail()));
		return new RegistryDescriptor(held, kept, waiting, recent,
				new TotalsDescriptor(snapshot.held().size(), snapshot.kept().size(), snapshot.waiting().size()));
	}

	private static <S, T> List<T> first(int limit, List<S> all, Function<S, T> describe) {
		return all.stream().limit(limit).map(describe).toList();
	}

	LockDescriptor lock(SecurityContext caller, String key, @Nullable String registryName,
			@Nullable Integer requestedLimit) {
		ValueMask mask = new ValueMask(this.sanitizer, this.shown.test(caller));
		if (mask.hides(key)) {
			throw RefusedOperationException.masked("no single lock can be asked for");
		}
		int limit = limit(requestedLimit);
		return translate(() -> {
			String name = find(key, registryName, (lock) -> !lock.holders().isEmpty() || !lock.waiting().isEmpty());
			return (name != null) ? lock(name, key, limit, mask) : new LockDescriptor(key, null, List.of(), List.of());
		});
	}

	private LockDescriptor lock(String registryName, String key, int limit, ValueMask mask) {
		StoredLock stored = registry(registryName).inspection().inspect(key);
		List<HolderDescriptor> holders = first(limit, stored.holders(), (holder) -> {
			InstanceDescriptor instance = InstanceDescriptor.of(LockInstance.of(holder.instance()), mask);
			return new HolderDescriptor(instance.id(), instance.application(), instance.host(), instance.pid(),
					holder.mode(), Milliseconds.ofNullable(holder.since()), Milliseconds.ofNullable(holder.ttl()),
					holder.grantToken());
		});
		List<QueuedDescriptor> waiting = first(limit, stored.waiting(), (waiter) -> {
			InstanceDescriptor instance = InstanceDescriptor.of(LockInstance.of(waiter.instance()), mask);
			return new QueuedDescriptor(instance.id(), instance.application(), instance.host(), instance.pid(),
					waiter.mode());
		});
		return new LockDescriptor(key, registryName, holders, waiting);
	}

	private static int limit(@Nullable Integer requested) {
		int limit = (requested != null) ? requested : DEFAULT_LIMIT;
		if (limit < 0) {
			throw new RefusedOperationException(WebEndpointResponse.STATUS_BAD_REQUEST,
					"The parameter 'limit' must not be negative");
		}
		return limit;
	}

	/**
	 * End a grant.
	 * @throws RefusedOperationException if nothing was ended, or if that is not known
	 */
	void release(SecurityContext caller, @Nullable String key, @Nullable String registry, @Nullable Long token) {
		ValueMask mask = new ValueMask(this.sanitizer, this.shown.test(caller));
		Map<String, Object> data = new LinkedHashMap<>();
		put(data, "registry", registry);
		put(data, "key", (key != null) ? mask.key(key) : null);
		put(data, "grantToken", token);
		String refusal = "failed";
		try {
			if (!mask.shown() || (key != null && mask.hides(key))) {
				throw RefusedOperationException.masked("nothing can be released");
			}
			if (!StringUtils.hasLength(key) || token == null) {
				throw new RefusedOperationException(WebEndpointResponse.STATUS_BAD_REQUEST,
						"Name what to release: a key and the token of its grant (?key=...&token=...). A GET of the key shows "
								+ "it as grantToken");
			}
			translate(() -> end(key, registry, token, data));
			refusal = null;
		}
		catch (RefusedOperationException ex) {
			refusal = ex.getMessage();
			throw ex;
		}
		finally {
			this.audit.publish(caller.getPrincipal(), data, refusal);
		}
	}

	/** Return the name of the registry. */
	private String end(String key, @Nullable String registryName, long token, Map<String, Object> data) {
		String name = find(key, registryName, (lock) -> !lock.holders().isEmpty());
		if (name == null) {
			throw new RefusedOperationException(WebEndpointResponse.STATUS_NOT_FOUND,
					"The lock is not held in any registry");
		}
		data.put("registry", name);
		BackendLockRegistry registry = registry(name);
		switch (registry.inspection().end(key, token)) {
			case ENDED -> this.recentEvents.released(registry.description().name(), key,
					"an operator has ended grant " + token + " through this application");
			case CHANGED -> throw new RefusedOperationException(CONFLICT,
					"Another grant holds the lock now. Nothing was released: GET the key again");
			case NOT_HELD -> throw new RefusedOperationException(WebEndpointResponse.STATUS_NOT_FOUND,
					"The lock is not held in registry '" + name + "'");
		}
		return name;
	}

	/** Texts come from outside and must not end a line of the log. */
	private static void put(Map<String, Object> data, String name, @Nullable Object value) {
		if (value != null) {
			data.put(name, (value instanceof String text) ? LockKeys.printable(text) : value);
		}
	}

	private BackendLockRegistry registry(String name) {
		BackendLockRegistry registry = this.registries.get().get(name);
		if (registry == null) {
			throw new RefusedOperationException(WebEndpointResponse.STATUS_NOT_FOUND,
					"There is no registry of this name. The registries are: "
							+ String.join(", ", this.registries.get().keySet()));
		}
		return registry;
	}

	/**
	 * Find the registry whose store knows a lock. With one candidate nothing is asked.
	 * @param key the key of the lock
	 * @param name the name of the registry, or {@code null} to ask all
	 * @param known which answers of a store count
	 * @return the name, or {@code null} if none of several registries knows the lock
	 */
	private @Nullable String find(String key, @Nullable String name, Predicate<StoredLock> known) {
		LockKeys.validate(key);
		if (name != null) {
			registry(name);
			return name;
		}
		List<String> found = List.copyOf(this.registries.get().keySet());
		if (found.size() > 1) {
			found = found.stream().filter((each) -> known.test(registry(each).inspection().inspect(key))).toList();
		}
		if (found.size() > 1) {
			throw new RefusedOperationException(WebEndpointResponse.STATUS_BAD_REQUEST,
					"Several registries know this key: " + String.join(", ", found)
							+ ". Name one of them with the parameter 'registry'");
		}
		return found.isEmpty() ? null : found.get(0);
	}

	/**
	 * Translate what a store throws to a refusal. Only callers that see values get here.
	 */
	private static <T> T translate(Supplier<T> operation) {
		try {
			return operation.get();
		}
		catch (UnsupportedOperationException ex) {
			throw new RefusedOperationException(NOT_IMPLEMENTED, String.valueOf(ex.getMessage()));
		}
		catch (LockBackendException ex) {
			throw new RefusedOperationException(WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE,
					String.valueOf(ex.getMessage()));
		}
		catch (LockDefinitionException ex) {
			throw new RefusedOperationException(WebEndpointResponse.STATUS_BAD_REQUEST,
					String.valueOf(ex.getMessage()));
		}
	}

}
