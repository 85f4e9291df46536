package io.github.distlock.actuate;

import java.security.Principal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.github.distlock.LockBackendException;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockInstance;
import io.github.distlock.actuate.LockDescriptor.HolderDescriptor;
import io.github.distlock.actuate.LockDescriptor.QueuedDescriptor;
import io.github.distlock.actuate.LocksDescriptor.HeldDescriptor;
import io.github.distlock.actuate.LocksDescriptor.HotKeyDescriptor;
import io.github.distlock.actuate.LocksDescriptor.InstanceDescriptor;
import io.github.distlock.actuate.LocksDescriptor.RecentDescriptor;
import io.github.distlock.actuate.LocksDescriptor.RegistryDescriptor;
import io.github.distlock.actuate.LocksDescriptor.TotalsDescriptor;
import io.github.distlock.actuate.LocksDescriptor.WaitingDescriptor;
import io.github.distlock.backend.LockKeys;
import io.github.distlock.backend.StoredLock;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.registry.RegistrySnapshot;
import io.github.distlock.registry.RegistrySnapshot.LockState;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.SanitizableData;
import org.springframework.boot.actuate.endpoint.Sanitizer;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.Selector.Match;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.util.StringUtils;

/**
 * {@link WebEndpoint @WebEndpoint} that says which locks are held and waited for, and
 * ends grants by hand. The caller decides what is shown, and each answer has its status.
 * Not over JMX, which knows no caller.
 * <p>
 * A caller that does not see the values may neither ask for a single lock, since it could
 * find out keys by asking for one after another, nor end a grant, since it could not know
 * what it ends. Each request to end a grant leaves an audit event.
 */
@RegisterReflectionForBinding({ LocksDescriptor.class, LockDescriptor.class,
		DistlocksEndpoint.RefusalDescriptor.class })
@WebEndpoint(id = "distlocks", defaultAccess = Access.READ_ONLY)
public class DistlocksEndpoint {

	/** Type of the audit event after a release. */
	public static final String RELEASED = "DISTLOCK_RELEASED";

	/** Type of the audit event after a request that released nothing. */
	public static final String REFUSED = "DISTLOCK_RELEASE_REFUSED";

	/** The length of each list if the request does not name one. */
	static final int DEFAULT_LIMIT = 100;

	private static final int CONFLICT = 409;

	private static final int NOT_IMPLEMENTED = 501;

	private static final Log logger = LogFactory.getLog(DistlocksEndpoint.class);

	private final Supplier<Map<String, BackendLockRegistry>> registries;

	private final RecentLockEvents recentEvents;

	private final HotKeys hotKeys;

	private final ApplicationEventPublisher publisher;

	private final Predicate<SecurityContext> shown;

	private final Sanitizer sanitizer;

	/**
	 * Create the endpoint.
	 * @param registries returns the registries that exist, in the order of their names
	 * @param recentEvents the events of the application, and what was released
	 * @param hotKeys the keys that cost most waiting
	 * @param publisher receives an {@link AuditApplicationEvent} for each request to end
	 * a grant
	 * @param shown whether a caller sees keys, hosts and callers
	 * @param sanitizer masks further values
	 */
	public DistlocksEndpoint(Supplier<Map<String, BackendLockRegistry>> registries, RecentLockEvents recentEvents,
			HotKeys hotKeys, ApplicationEventPublisher publisher, Predicate<SecurityContext> shown,
			Sanitizer sanitizer) {
		this.registries = registries;
		this.recentEvents = recentEvents;
		this.hotKeys = hotKeys;
		this.publisher = publisher;
		this.shown = shown;
		this.sanitizer = sanitizer;
	}

	/**
	 * Return all locks of this application, or what the store says about one lock.
	 * @param securityContext the caller
	 * @param limit the maximum length of each list
	 * @param key the key of a lock; without it, all locks of this application
	 * @param registry the name of the registry, needed if several know the key
	 * @return a {@link LocksDescriptor}, a {@link LockDescriptor} or a
	 * {@link RefusalDescriptor}
	 */
	@ReadOperation
	public WebEndpointResponse<OperationResponseBody> locks(SecurityContext securityContext, @Nullable Integer limit,
			@Nullable String key, @Nullable String registry) {
		return (key != null) ? lock(securityContext, new String[] { key }, registry, limit)
				: respond(() -> new WebEndpointResponse<>(describe(securityContext, limit)));
	}

	/**
	 * Return what the store says about one lock.
	 * @param securityContext the caller
	 * @param key the segments of the key
	 * @param registry the name of the registry, needed if several know the key
	 * @param limit the maximum length of each list
	 * @return a {@link LockDescriptor} or a {@link RefusalDescriptor}
	 */
	@ReadOperation
	public WebEndpointResponse<OperationResponseBody> lock(SecurityContext securityContext,
			@Selector(match = Match.ALL_REMAINING) String[] key, @Nullable String registry, @Nullable Integer limit) {
		return respond(() -> {
			LockDescriptor lock = describe(securityContext, String.join("/", key), registry, limit);
			// As with an unknown cache; the body tells a free lock from a wrong address.
			int status = lock.isKnown() ? WebEndpointResponse.STATUS_OK : WebEndpointResponse.STATUS_NOT_FOUND;
			return new WebEndpointResponse<>(lock, status);
		});
	}

	/**
	 * End a grant.
	 * @param securityContext the caller
	 * @param key the key of the lock
	 * @param registry the name of the registry
	 * @param token the grant token of the grant
	 * @return nothing or a {@link RefusalDescriptor}
	 */
	@DeleteOperation
	public WebEndpointResponse<OperationResponseBody> release(SecurityContext securityContext, @Nullable String key,
			@Nullable String registry, @Nullable Long token) {
		return respond(() -> {
			end(securityContext, key, registry, token);
			return new WebEndpointResponse<>(WebEndpointResponse.STATUS_NO_CONTENT);
		});
	}

	/**
	 * End a grant.
	 * @param securityContext the caller
	 * @param key the segments of the key
	 * @param registry the name of the registry
	 * @param token the grant token of the grant
	 * @return nothing or a {@link RefusalDescriptor}
	 */
	@DeleteOperation
	public WebEndpointResponse<OperationResponseBody> releaseLock(SecurityContext securityContext,
			@Selector(match = Match.ALL_REMAINING) String[] key, @Nullable String registry, @Nullable Long token) {
		return release(securityContext, String.join("/", key), registry, token);
	}

	private static WebEndpointResponse<OperationResponseBody> respond(
			Supplier<WebEndpointResponse<OperationResponseBody>> operation) {
		try {
			return operation.get();
		}
		catch (RefusedOperationException ex) {
			return new WebEndpointResponse<>(new RefusalDescriptor(String.valueOf(ex.getMessage())), ex.status);
		}
	}

	private LocksDescriptor describe(SecurityContext caller, @Nullable Integer requestedLimit) {
		int limit = limit(requestedLimit);
		ValueMask mask = new ValueMask(this.sanitizer, this.shown.test(caller));
		return translate(() -> {
			Map<String, RegistryDescriptor> descriptors = new LinkedHashMap<>();
			this.registries.get().forEach((name, registry) -> descriptors.put(name, describe(registry, limit, mask)));
			List<BackendLockRegistry> all = List.copyOf(this.registries.get().values());
			return new LocksDescriptor(all.isEmpty() ? null : instance(all.get(0).snapshot().instance(), mask),
					descriptors);
		});
	}

	private RegistryDescriptor describe(BackendLockRegistry registry, int limit, ValueMask mask) {
		RegistrySnapshot snapshot = registry.snapshot();
		List<HeldDescriptor> held = first(limit, snapshot.held(),
				(lock) -> new HeldDescriptor(mask.key(lock.key()), lock.name(), lock.mode(), permits(lock.permits()),
						lock.state().name().toLowerCase(Locale.ROOT), mask.mask(ValueMask.CALLER, lock.caller()),
						Milliseconds.of(lock.since()), Milliseconds.of(lock.remaining()), lock.renewals(),
						lock.reentries(), lock.fencingToken(), lock.grantToken(), lock.waiting()));
		List<WaitingDescriptor> waiting = first(limit, snapshot.waiting(),
				(waiter) -> new WaitingDescriptor(mask.key(waiter.key()), waiter.name(), waiter.mode(),
						mask.mask(ValueMask.CALLER, waiter.caller()), Milliseconds.of(waiter.since())));
		String store = registry.description().name();
		List<RecentDescriptor> recent = first(limit, this.recentEvents.latest(store),
				(event) -> new RecentDescriptor((event.key() != null) ? mask.key(event.key()) : null, event.name(),
						event.event(), event.lossCause(), event.fencingToken(), event.at(), event.detail()));
		List<HotKeyDescriptor> hotKeys = first(limit, this.hotKeys.hottest(store),
				(hot) -> new HotKeyDescriptor(mask.key(hot.key()), hot.name(), hot.holder(), hot.waits(),
						Milliseconds.of(hot.waited()), Milliseconds.of(hot.error()), Milliseconds.of(hot.longest())));
		return new RegistryDescriptor(held, waiting, recent, hotKeys,
				new TotalsDescriptor(snapshot.held().size(), snapshot.waiting().size(),
						count(snapshot, LockState.AT_RISK),
						this.recentEvents.lost(store, false) + count(snapshot, LockState.LOST),
						this.recentEvents.lost(store, true)));
	}

	private static int count(RegistrySnapshot snapshot, LockState state) {
		return (int) snapshot.held().stream().filter((lock) -> lock.state() == state).count();
	}

	private static <S, T> List<T> first(int limit, List<S> all, Function<S, T> describe) {
		return all.stream().limit(limit).map(describe).toList();
	}

	private LockDescriptor describe(SecurityContext caller, String key, @Nullable String registryName,
			@Nullable Integer requestedLimit) {
		ValueMask mask = new ValueMask(this.sanitizer, this.shown.test(caller));
		if (mask.hides(key)) {
			throw RefusedOperationException.masked("no single lock can be asked for");
		}
		int limit = limit(requestedLimit);
		return translate(() -> {
			String name = find(key, registryName, (lock) -> !lock.holders().isEmpty() || !lock.waiting().isEmpty());
			return (name != null) ? describe(name, key, limit, mask)
					: new LockDescriptor(key, null, List.of(), List.of());
		});
	}

	private LockDescriptor describe(String registryName, String key, int limit, ValueMask mask) {
		StoredLock stored = registry(registryName).inspection().inspect(key);
		List<HolderDescriptor> holders = first(limit, stored.holders(), (holder) -> {
			InstanceDescriptor instance = instance(LockInstance.of(holder.instance()), mask);
			return new HolderDescriptor(instance.id(), instance.application(), instance.host(), instance.pid(),
					holder.mode(), permits(holder.permits()), Milliseconds.ofNullable(holder.since()),
					Milliseconds.ofNullable(holder.ttl()), holder.grantToken());
		});
		List<QueuedDescriptor> waiting = first(limit, stored.waiting(), (waiter) -> {
			InstanceDescriptor instance = instance(LockInstance.of(waiter.instance()), mask);
			return new QueuedDescriptor(instance.id(), instance.application(), instance.host(), instance.pid(),
					waiter.mode(), permits(waiter.permits()));
		});
		return new LockDescriptor(key, registryName, holders, waiting);
	}

	private static @Nullable Integer permits(int limit) {
		return (limit > 0) ? limit : null;
	}

	private static InstanceDescriptor instance(LockInstance instance, ValueMask mask) {
		return new InstanceDescriptor(instance.id(), instance.application(), mask.mask(ValueMask.HOST, instance.host()),
				instance.pid());
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
	 * End a grant and leave an audit event.
	 * @throws RefusedOperationException if nothing was ended, or if that is not known
	 */
	private void end(SecurityContext caller, @Nullable String key, @Nullable String registry, @Nullable Long token) {
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
			publish(caller.getPrincipal(), data, refusal);
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
			case ENDED -> this.recentEvents.released(registry.description().name(), key, token);
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

	/**
	 * Publish an audit event and write a log line for a request to end a grant. Both
	 * contain what the operator sees: values that are masked for the operator are masked.
	 * The grant has ended already, or not: if the event cannot be published, the answer
	 * is an error, and the log line says what happened.
	 * @param operator the user, {@code null} if it is not known
	 * @param data what was requested; the refusal is added to it
	 * @param refusal why nothing was released, {@code null} after a release
	 */
	private void publish(@Nullable Principal operator, Map<String, Object> data, @Nullable String refusal) {
		String principal = (operator != null) ? operator.getName() : null;
		String type = (refusal != null) ? REFUSED : RELEASED;
		if (refusal != null) {
			data.put("refusal", refusal);
		}
		AuditEvent event = new AuditEvent(principal, type, data);
		logger.info(LockKeys.printable("An operator (" + ((principal != null) ? principal : "not authenticated")
				+ ") asked to release locks: " + type + " " + data));
		this.publisher.publishEvent(new AuditApplicationEvent(event));
	}

	/**
	 * Why an operation was refused.
	 *
	 * @param message the reason and the remedy
	 */
	public record RefusalDescriptor(String message) implements OperationResponseBody {
	}

	/**
	 * An operation of the endpoint was refused. The message contains no value that is
	 * masked for the caller.
	 */
	private static final class RefusedOperationException extends RuntimeException {

		private static final long serialVersionUID = 1L;

		/** The status of HTTP. */
		private final int status;

		RefusedOperationException(int status, String reason) {
			super(reason);
			this.status = status;
		}

		/** Create the refusal of a request of a caller that does not see the values. */
		static RefusedOperationException masked(String consequence) {
			return new RefusedOperationException(403, "The values of this endpoint are masked for this user, so "
					+ consequence
					+ ": see management.endpoint.distlocks.show-values and management.endpoint.distlocks.roles");
		}

	}

	/**
	 * Replaces keys, hosts and callers for one caller of the endpoint. The values are
	 * offered to the sanitizing functions of the application under the names below.
	 *
	 * @param sanitizer masks all values, or those that a function of the application
	 * masks
	 * @param shown whether the caller may see values
	 */
	private record ValueMask(Sanitizer sanitizer, boolean shown) {

		static final String KEY = "distlocks.key";

		static final String HOST = "distlocks.host";

		static final String CALLER = "distlocks.caller";

		String key(String key) {
			return Objects.requireNonNull(mask(KEY, key));
		}

		/** Return whether this caller does not see a key. */
		boolean hides(String key) {
			return !this.shown || !key.equals(key(key));
		}

		@Nullable String mask(String name, @Nullable String value) {
			if (value == null) {
				return null;
			}
			Object masked = this.sanitizer.sanitize(new SanitizableData(null, name, value), this.shown);
			return (masked != null) ? masked.toString() : SanitizableData.SANITIZED_VALUE;
		}

	}

}
