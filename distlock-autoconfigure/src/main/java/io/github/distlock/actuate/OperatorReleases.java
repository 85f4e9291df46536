package io.github.distlock.actuate;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

import io.github.distlock.LockBackendException;
import io.github.distlock.actuate.LockRegistries.NamedRegistry;
import io.github.distlock.actuate.RefusedOperationException.Refusal;
import io.github.distlock.backend.LockKeys;
import io.github.distlock.backend.StoreAdministration.SweepResult;
import io.github.distlock.backend.UnsupportedStoreOperationException;
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
	 * @return what was released of an instance, or {@code null} if a grant was ended
	 * @throws RefusedOperationException if nothing was ended, or if that is not known
	 */
	@Nullable SweepDescriptor release(Operator operator, @Nullable String key, @Nullable String registry, @Nullable Long token,
			@Nullable String instance) {
		Map<String, Object> data = new LinkedHashMap<>();
		put(data, "registry", registry);
		put(data, "key", (key != null) ? operator.mask().key(key) : null);
		put(data, "grantToken", token);
		put(data, "instance", instance);
		try {
			SweepDescriptor sweep = null;
			if (!operator.mask().shown() || (key != null && operator.mask().hides(key))) {
				throw RefusedOperationException.masked("nothing can be released");
			}
			if (StringUtils.hasLength(key) && instance == null) {
				releaseGrant(operator, key, registry, token, data);
			}
			else if (StringUtils.hasLength(instance) && key == null && token == null) {
				sweep = sweep(instance, registry, data);
			}
			else {
				throw new RefusedOperationException(Refusal.INVALID,
						"Name what to release: a key and the token of its grant (?key=...&token=...), "
								+ "or a dead instance (?instance=...)");
			}
			this.audit.released(operator, data);
			return sweep;
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
		switch (named.registry().administration().end(key, token)) {
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

	private SweepDescriptor sweep(String instance, @Nullable String registryName, Map<String, Object> data) {
		int released = 0;
		boolean complete = true;
		LockBackendException failure = null;
		for (BackendLockRegistry registry : this.registries.named(registryName).values()) {
			try {
				SweepResult result = registry.administration().endAll(instance);
				if (result.alive()) {
					throw new RefusedOperationException(Refusal.CONFLICT,
							"The instance is alive, or was alive less than 30 s ago. Nothing was released: stop its "
									+ "JVM, or release its locks one by one");
				}
				released += result.released();
				complete &= result.complete();
				if (result.released() > 0) {
					this.recentEvents.released(registry.description().name(), null, null, "an operator has ended "
							+ result.released() + " grants of dead instance " + instance + " through this application");
				}
			}
			catch (UnsupportedStoreOperationException ex) {
				failure = ex;
			}
			catch (LockBackendException ex) {
				failure = ex;
				complete = false;
			}
		}
		// The instance belongs to one registry: where it was found, the others do not
		// count.
		if (failure != null && released == 0) {
			throw failure;
		}
		data.put("released", released);
		data.put("complete", complete);
		return new SweepDescriptor(released, complete);
	}

	/** Texts come from outside and must not end a line of the log. */
	private static void put(Map<String, Object> data, String name, @Nullable Object value) {
		if (value != null) {
			data.put(name, (value instanceof String text) ? LockKeys.printable(text) : value);
		}
	}

}
