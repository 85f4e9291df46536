package io.github.distlock.registry;

import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.github.distlock.LockInstance;
import io.github.distlock.backend.InstanceEntry;
import io.github.distlock.backend.StoreAdministration;
import io.github.distlock.backend.TimeSource;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The instances that use a store, as far as this JVM has read their entries. An unknown
 * instance is looked up once, and then not again before
 * {@link StoreAdministration#ENTRY_TTL} has passed, whether its entry was found or not.
 * Thread-safe.
 */
final class InstanceDirectory {

	/** Instances come and go: from here on, the old ones are removed. */
	private static final int MANY = 1000;

	private static final long TTL_NANOS = StoreAdministration.ENTRY_TTL.toNanos();

	private static final Log logger = LogFactory.getLog(InstanceDirectory.class);

	private final StoreAdministration store;

	private final LockInstance self;

	private final TimeSource clock;

	private final Map<String, CachedInstance> known = new ConcurrentHashMap<>();

	/** Other applications that were reported. */
	private final Set<String> reported = ConcurrentHashMap.newKeySet();

	InstanceDirectory(StoreAdministration store, LockInstance self, TimeSource clock) {
		this.store = store;
		this.self = self;
		this.clock = clock;
	}

	/**
	 * Return an instance.
	 * @param id its id
	 * @param ask whether the store may be asked if the instance is not known
	 * @return the instance, perhaps with its id only
	 */
	LockInstance resolve(String id, boolean ask) {
		if (id.equals(this.self.id())) {
			return this.self;
		}
		long now = this.clock.nanoTime();
		CachedInstance entry = this.known.get(id);
		if (entry != null && now - entry.readAtNanos() < TTL_NANOS || !ask) {
			return (entry != null) ? entry.instance() : LockInstance.of(id);
		}
		CachedInstance latest = new CachedInstance((entry != null) ? entry.instance() : LockInstance.of(id), now);
		// One of the threads that want the same instance asks.
		boolean first = (entry != null) ? this.known.replace(id, entry, latest)
				: this.known.putIfAbsent(id, latest) == null;
		if (first) {
			if (this.known.size() > MANY) {
				this.known.values().removeIf((old) -> now - old.readAtNanos() >= TTL_NANOS);
			}
			read();
		}
		return this.known.getOrDefault(id, latest).instance();
	}

	/** Read all entries. Does not fail if the store does. */
	void read() {
		try {
			for (InstanceEntry entry : this.store.instances()) {
				this.known.put(entry.instance().id(), new CachedInstance(entry.instance(), this.clock.nanoTime()));
				reportOtherApplication(entry.instance().application());
			}
		}
		catch (RuntimeException ex) {
			logger.debug("The entries of the instances could not be read", ex);
		}
	}

	/** Applications with the same prefix and the same keys exclude each other. */
	private void reportOtherApplication(@Nullable String application) {
		String own = this.self.application();
		if (own != null && application != null && !Objects.equals(own, application) && this.reported.add(application)) {
			logger.warn("Application '" + application + "' keeps its locks in the same place as this application, '"
					+ own + "' (" + this.store.location()
					+ "): equal keys exclude each other. If that is not intended, give each application a"
					+ " distlock.key-prefix of its own");
		}
	}

	private record CachedInstance(LockInstance instance, long readAtNanos) {
	}

}
