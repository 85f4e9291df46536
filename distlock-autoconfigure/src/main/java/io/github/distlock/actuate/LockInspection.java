package io.github.distlock.actuate;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import io.github.distlock.LockBackendException;
import io.github.distlock.LockInstance;
import io.github.distlock.actuate.LockDescriptor.HolderDescriptor;
import io.github.distlock.actuate.LockDescriptor.QueuedDescriptor;
import io.github.distlock.actuate.LockRegistries.NamedRegistry;
import io.github.distlock.actuate.LocksDescriptor.HeldDescriptor;
import io.github.distlock.actuate.LocksDescriptor.KeptDescriptor;
import io.github.distlock.actuate.LocksDescriptor.RecentDescriptor;
import io.github.distlock.actuate.LocksDescriptor.RegistryDescriptor;
import io.github.distlock.actuate.LocksDescriptor.TotalsDescriptor;
import io.github.distlock.actuate.LocksDescriptor.WaitingDescriptor;
import io.github.distlock.actuate.RefusedOperationException.Refusal;
import io.github.distlock.backend.StoredLock;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.registry.RegistrySnapshot;
import io.github.distlock.registry.RegistrySnapshot.HeldLockSnapshot;
import io.github.distlock.registry.RegistrySnapshot.KeptLockSnapshot;
import io.github.distlock.registry.RegistrySnapshot.WaitingSnapshot;
import org.jspecify.annotations.Nullable;

/**
 * Reads what this application holds and what the stores say. Changes nothing.
 */
public final class LockInspection {

	/** The length of each list if the request does not name one. */
	static final int DEFAULT_LIMIT = 100;

	private final LockRegistries registries;

	private final RecentLockEvents recentEvents;

	/**
	 * Create the reader.
	 * @param registries the registries of the application
	 * @param recentEvents the events of the application
	 */
	public LockInspection(LockRegistries registries, RecentLockEvents recentEvents) {
		this.registries = registries;
		this.recentEvents = recentEvents;
	}

	LocksDescriptor locks(@Nullable Integer requestedLimit, ValueMask mask) {
		int limit = limit(requestedLimit);
		InstanceDescriptor self = null;
		Map<String, RegistryDescriptor> descriptors = new LinkedHashMap<>();
		for (Map.Entry<String, BackendLockRegistry> entry : this.registries.all().entrySet()) {
			RegistrySnapshot snapshot = snapshot(entry.getValue());
			if (self == null && snapshot != null) {
				self = InstanceDescriptor.of(snapshot.instance(), mask);
			}
			descriptors.put(entry.getKey(), registry(entry.getValue(), snapshot, limit, mask));
		}
		return new LocksDescriptor(self, descriptors);
	}

	private RegistryDescriptor registry(BackendLockRegistry registry, @Nullable RegistrySnapshot snapshot, int limit,
			ValueMask mask) {
		List<HeldLockSnapshot> held = (snapshot != null) ? snapshot.held() : List.of();
		List<KeptLockSnapshot> kept = (snapshot != null) ? snapshot.kept() : List.of();
		List<WaitingSnapshot> waiting = (snapshot != null) ? snapshot.waiting() : List.of();
		return new RegistryDescriptor(held.stream().limit(limit).map((lock) -> held(lock, mask)).toList(),
				kept.stream().limit(limit).map((lock) -> kept(lock, mask)).toList(),
				waiting.stream().limit(limit).map((caller) -> waiting(caller, mask)).toList(),
				recent(registry.description().name(), limit, mask),
				new TotalsDescriptor(held.size(), kept.size(), waiting.size()));
	}

	private static HeldDescriptor held(HeldLockSnapshot lock, ValueMask mask) {
		return new HeldDescriptor(mask.key(lock.key()), lock.name(), lock.mode(),
				lock.state().name().toLowerCase(Locale.ROOT), mask.caller(lock.caller()), lock.since(),
				lock.remaining(), lock.renewals(), lock.reentries(), lock.fencingToken(), lock.grantToken(),
				lock.waiting());
	}

	private static KeptDescriptor kept(KeptLockSnapshot lock, ValueMask mask) {
		return new KeptDescriptor(mask.key(lock.key()), lock.since(), lock.fencingToken(), lock.grantToken());
	}

	private static WaitingDescriptor waiting(WaitingSnapshot caller, ValueMask mask) {
		return new WaitingDescriptor(mask.key(caller.key()), caller.name(), caller.mode(), mask.caller(caller.caller()),
				caller.since());
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

	/**
	 * A caller that sees no keys must not find them out by asking for one after another.
	 */
	LockDescriptor lock(String key, @Nullable String registryName, @Nullable Integer requestedLimit, ValueMask mask) {
		if (mask.hides(key)) {
			throw RefusedOperationException.masked("no single lock can be asked for");
		}
		int limit = limit(requestedLimit);
		try {
			NamedRegistry named = this.registries.find(key, registryName, LockInspection::isKnown);
			return (named != null) ? lock(named, key, limit, mask)
					: new LockDescriptor(key, null, List.of(), List.of());
		}
		catch (RuntimeException ex) {
			throw LockRegistries.refusal(ex, mask);
		}
	}

	private static LockDescriptor lock(NamedRegistry named, String key, int limit, ValueMask mask) {
		StoredLock stored = named.registry().inspection().inspect(key);
		List<HolderDescriptor> holders = stored.holders().stream().limit(limit).map((holder) -> {
			LockInstance instance = LockInstance.of(holder.instance());
			return new HolderDescriptor(instance.id(), instance.application(), mask.host(instance.host()),
					instance.pid(), holder.mode(), holder.since(), holder.ttl(), holder.grantToken());
		}).toList();
		List<QueuedDescriptor> waiting = stored.waiting().stream().limit(limit).map((waiter) -> {
			LockInstance instance = LockInstance.of(waiter.instance());
			return new QueuedDescriptor(instance.id(), instance.application(), mask.host(instance.host()),
					instance.pid(), waiter.mode());
		}).toList();
		return new LockDescriptor(key, named.name(), holders, waiting);
	}

	private static boolean isKnown(StoredLock lock) {
		return !lock.holders().isEmpty() || !lock.waiting().isEmpty();
	}

	private static int limit(@Nullable Integer requested) {
		if (requested == null) {
			return DEFAULT_LIMIT;
		}
		if (requested < 0) {
			throw new RefusedOperationException(Refusal.INVALID, "The parameter 'limit' must not be negative");
		}
		return requested;
	}

}
