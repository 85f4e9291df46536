package io.github.distlock.actuate;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

import io.github.distlock.actuate.LockRegistries.NamedRegistry;
import io.github.distlock.actuate.RefusedOperationException.Refusal;
import io.github.distlock.backend.LockKeys;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.registry.RegistrySnapshot.HeldLockSnapshot;
import org.jspecify.annotations.Nullable;

import org.springframework.util.StringUtils;

/**
 * Ends grants for operators. An operator that does not see the values may not end
 * anything: it could not know what it ends. Each request leaves an audit event.
 */
public final class OperatorReleases {

	private final LockRegistries registries;

	private final RecentLockEvents recentEvents;

	private final ReleaseAudit audit;

	/**
	 * Create the operations.
	 * @param registries the registries of the application
	 * @param recentEvents remembers what was released
	 * @param audit publishes each request
	 */
	public OperatorReleases(LockRegistries registries, RecentLockEvents recentEvents, ReleaseAudit audit) {
		this.registries = registries;
		this.recentEvents = recentEvents;
		this.audit = audit;
	}

	/**
	 * Carry out a request.
	 * @param instance refused if it is named
	 * @throws RefusedOperationException if nothing was ended, or if that is not known
	 */
	void release(Operator operator, @Nullable String key, @Nullable String registry, @Nullable Long token,
			@Nullable String instance) {
		Map<String, Object> data = new LinkedHashMap<>();
		put(data, "registry", registry);
		put(data, "key", (key != null) ? operator.mask().key(key) : null);
		put(data, "grantToken", token);
		try {
			if (!operator.mask().shown() || (key != null && operator.mask().hides(key))) {
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
			releaseGrant(operator, key, registry, token, data);
			this.audit.released(operator, data);
		}
		catch (RuntimeException ex) {
			String outcome = "failed";
			try {
				RefusedOperationException refusal = LockRegistries.refusal(ex, operator.mask());
				outcome = refusal.refusal().name().toLowerCase(Locale.ROOT);
				throw refusal;
			}
			finally {
				this.audit.refused(operator, data, outcome);
			}
		}
	}

	private void releaseGrant(Operator operator, String key, @Nullable String registryName, @Nullable Long token,
			Map<String, Object> data) {
		if (token == null) {
			throw new RefusedOperationException(Refusal.INVALID,
					"The parameter 'token' is missing. It is the grantToken of the holder, as a GET of the key shows "
							+ "it, so that no later grant is ended");
		}
		NamedRegistry named = this.registries.find(key, registryName, (lock) -> !lock.holders().isEmpty());
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

}
