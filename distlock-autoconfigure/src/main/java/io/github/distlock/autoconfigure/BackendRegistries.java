package io.github.distlock.autoconfigure;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Supplier;

import io.github.distlock.LockListener;
import io.github.distlock.LockRegistry;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.registry.CompositeLockRegistry;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.ClassUtils;

/**
 * Makes the registries of the enabled stores, and knows those that were made.
 */
final class BackendRegistries {

	static final String BEAN_NAME = "distlockBackendRegistries";

	/** Name of the method that makes a registry. */
	static final String REGISTRY = "registry";

	/** Name of the method for a store that is enabled and has no backend. */
	static final String MISSING = "missing";

	/** Name of the method that makes a registry over two others. */
	static final String COMPOSITE = "composite";

	private final ConfigurableListableBeanFactory beanFactory;

	private final DistlockProperties properties;

	private final ObjectProvider<LockListener> listeners;

	private final UnlockedRegistry unlocked = new UnlockedRegistry();

	private final Map<String, RegisteredBackend> stores = new ConcurrentSkipListMap<>();

	BackendRegistries(ConfigurableListableBeanFactory beanFactory, DistlockProperties properties,
			ObjectProvider<LockListener> listeners) {
		this.beanFactory = beanFactory;
		this.properties = properties;
		this.listeners = listeners;
	}

	LockRegistry registry(String store, String backendBean) {
		if (!this.properties.enabled()) {
			return this.unlocked;
		}
		return withBeanClassLoader(() -> {
			LockBackend backend = this.beanFactory.getBean(backendBean, LockBackend.class);
			BackendLockRegistry registry = new BackendLockRegistry(backend, this.properties.toRegistrySettings(),
					() -> this.listeners.orderedStream().toList(), TimeSource.SYSTEM);
			// Now, and not with the lifecycle: beans may lock while they are initialized.
			registry.start();
			this.stores.put(store, new RegisteredBackend(store, backend, registry));
			return registry;
		});
	}

	/**
	 * Do something that may start threads: those of a registry, its store and its driver
	 * serve no caller, so they must not have the context class loader of this thread.
	 */
	<T> T withBeanClassLoader(Supplier<T> action) {
		Thread thread = Thread.currentThread();
		ClassLoader own = thread.getContextClassLoader();
		thread.setContextClassLoader(this.beanFactory.getBeanClassLoader());
		try {
			return action.get();
		}
		finally {
			thread.setContextClassLoader(own);
		}
	}

	LockRegistry composite(String first, String second) {
		return this.properties.enabled() ? new CompositeLockRegistry(member(first), member(second),
				this.properties.waitTime(), TimeSource.SYSTEM) : this.unlocked;
	}

	private LockRegistry member(String store) {
		return this.beanFactory.getBean(BackendBeans.registryName(store), LockRegistry.class);
	}

	LockRegistry missing(String store) {
		if (!this.properties.enabled()) {
			return this.unlocked;
		}
		Backend backend = Arrays.stream(Backend.values())
			.filter((candidate) -> candidate.id().equals(store))
			.findAny()
			.orElseThrow();
		boolean present = ClassUtils.isPresent(backend.neededClass(), this.beanFactory.getBeanClassLoader());
		throw LockBackendMissingException.of(backend, present, this.properties.backend() == backend);
	}

	/** Those that work, in the order of their names. */
	Collection<RegisteredBackend> working() {
		return List.copyOf(this.stores.values());
	}

	/** Say where a store is, for those who have to mend it. */
	String location(RegisteredBackend store) {
		String location = BackendBeans.locationName(store.name());
		return this.beanFactory.containsBean(location)
				? this.beanFactory.getBean(location, LockStoreLocation.class).describe()
				: store.backend().description().name();
	}

	/**
	 * A store and what was made over it.
	 *
	 * @param name name of the store
	 * @param backend the store
	 * @param registry its registry
	 */
	record RegisteredBackend(String name, LockBackend backend, BackendLockRegistry registry) {
	}

}
