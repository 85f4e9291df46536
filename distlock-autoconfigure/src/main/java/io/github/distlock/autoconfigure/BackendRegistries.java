package io.github.distlock.autoconfigure;

import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;

import io.github.distlock.LockListener;
import io.github.distlock.LockRegistry;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.observation.LockObserver;
import io.github.distlock.observation.LockObservers;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.registry.CompositeLockRegistry;
import io.github.distlock.registry.RegistrySettings;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * Creates the registries of the enabled backends and keeps those that it has created.
 */
final class BackendRegistries {

	static final String BEAN_NAME = "distlockBackendRegistries";

	/** Name of the method that creates a registry. */
	static final String REGISTRY = "registry";

	/** Name of the method for a backend that is enabled but not available. */
	static final String MISSING = "missing";

	/** Name of the method that creates a registry over two others. */
	static final String COMPOSITE = "composite";

	private final ConfigurableListableBeanFactory beanFactory;

	private final DistlockProperties properties;

	private final ObjectProvider<LockListener> listeners;

	private final LockObservers observers;

	private final RegistrySettings settings;

	private final UnlockedRegistry unlocked = new UnlockedRegistry();

	private final Map<String, BackendLockRegistry> created = new ConcurrentSkipListMap<>();

	BackendRegistries(ConfigurableListableBeanFactory beanFactory, DistlockProperties properties,
			ObjectProvider<LockListener> listeners, Environment environment) {
		this.beanFactory = beanFactory;
		this.properties = properties;
		this.listeners = listeners;
		this.observers = new LockObservers(beanFactory.getBeanProvider(LockObserver.class)::getIfAvailable);
		this.settings = properties
			.toRegistrySettings(environment.getProperty("spring.application.name", "application"));
	}

	LockRegistry registry(String id, String backendBean) {
		if (!this.properties.enabled()) {
			return this.unlocked;
		}
		BackendLockRegistry registry = new BackendLockRegistry(this.beanFactory.getBean(backendBean, LockBackend.class),
				this.settings, () -> this.listeners.orderedStream().toList(), TimeSource.SYSTEM, this.observers);
		// Start it here and not in the lifecycle: beans may lock while they are
		// initialized.
		registry.start();
		this.created.put(id, registry);
		return registry;
	}

	LockRegistry composite(String first, String second) {
		return this.properties.enabled() ? new CompositeLockRegistry(member(first), member(second),
				this.properties.waitTime(), TimeSource.SYSTEM, this.observers) : this.unlocked;
	}

	private LockRegistry member(String id) {
		return this.beanFactory.getBean(BackendBeans.registryName(id), LockRegistry.class);
	}

	LockRegistry missing(String id) {
		if (!this.properties.enabled()) {
			return this.unlocked;
		}
		Backend backend = Backend.valueOf(id.toUpperCase(Locale.ROOT));
		boolean excluded = ClassUtils.isPresent(backend.neededClass(), this.beanFactory.getBeanClassLoader());
		throw new StartUpException(
				"The lock backend '" + id + "' is enabled, but "
						+ (excluded ? "its auto-configuration is excluded."
								: backend.neededClass() + " is not on the class path."),
				"""
						Do one of these:
						- %s
						- set distlock.backend to another backend, or define a LockBackend bean of your own
						- set distlock.enabled=false to run without locks"""
					.formatted(excluded ? "do not exclude it" : "add the dependency " + backend.dependency()));
	}

	/** Return the registries that exist, in the order of their names. */
	Map<String, BackendLockRegistry> byName() {
		return this.created;
	}

}
