package io.github.distlock.autoconfigure;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Supplier;

import io.github.distlock.LockListener;
import io.github.distlock.LockRegistry;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.observation.LockObserver;
import io.github.distlock.observation.LockObservers;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.registry.CompositeLockRegistry;
import io.github.distlock.registry.RegistrySettings;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

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

	private static final Log logger = LogFactory.getLog(BackendRegistries.class);

	private final ConfigurableListableBeanFactory beanFactory;

	private final DistlockProperties properties;

	private final ObjectProvider<LockListener> listeners;

	private final LockObservers observers;

	private final Environment environment;

	private final UnlockedRegistry unlocked = new UnlockedRegistry();

	private final Map<String, RegisteredBackend> registered = new ConcurrentSkipListMap<>();

	BackendRegistries(ConfigurableListableBeanFactory beanFactory, DistlockProperties properties,
			ObjectProvider<LockListener> listeners, Environment environment) {
		this.beanFactory = beanFactory;
		this.environment = environment;
		this.properties = properties;
		this.listeners = listeners;
		this.observers = new LockObservers(beanFactory.getBeanProvider(LockObserver.class)::getIfAvailable);
	}

	LockRegistry registry(String id, String backendBean) {
		if (!this.properties.enabled()) {
			return this.unlocked;
		}
		return withBeanClassLoader(() -> {
			LockBackend backend = this.beanFactory.getBean(backendBean, LockBackend.class);
			BackendLockRegistry registry = new BackendLockRegistry(backend, settings(),
					() -> this.listeners.orderedStream().toList(), TimeSource.SYSTEM, this.observers);
			// Start it here and not in the lifecycle: beans may lock while they are
			// initialized.
			registry.start();
			RegisteredBackend created = new RegisteredBackend(id, backend, registry);
			this.registered.put(id, created);
			reportDefaultPrefix(created);
			return registry;
		});
	}

	/** Many applications share a Redis, and few of them are meant to share locks. */
	private void reportDefaultPrefix(RegisteredBackend created) {
		boolean redis = created.name().equals(Backend.REDIS.id()) || created.name().equals(Backend.REDLOCK.id());
		if (redis && !this.environment.containsProperty("distlock.key-prefix")) {
			logger.info("distlock.key-prefix is not set. The default, '" + this.properties.keyPrefix()
					+ "', is common to all applications on " + location(created)
					+ " that do not set it: equal keys of them exclude each other. Set a prefix for each group of "
					+ "applications that share locks");
		}
	}

	private RegistrySettings settings() {
		String application = this.environment.getProperty("spring.application.name", "application");
		return this.properties.toRegistrySettings().reporting(application, this.properties.logSlowWait());
	}

	/**
	 * Run an action that may start threads, with the bean class loader as context class
	 * loader. The threads of a registry, its backend and its driver serve no particular
	 * caller, so they must not inherit the class loader of the calling thread.
	 */
	<T> T withBeanClassLoader(Supplier<T> action) {
		Thread thread = Thread.currentThread();
		ClassLoader original = thread.getContextClassLoader();
		thread.setContextClassLoader(this.beanFactory.getBeanClassLoader());
		try {
			return action.get();
		}
		finally {
			thread.setContextClassLoader(original);
		}
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
		boolean classPresent = ClassUtils.isPresent(backend.neededClass(), this.beanFactory.getBeanClassLoader());
		throw LockBackendMissingException.of(backend, classPresent, this.properties.backend() == backend);
	}

	/** Return the backends with a registry, in the order of their names. */
	Collection<RegisteredBackend> created() {
		return List.copyOf(this.registered.values());
	}

	/** Return the registries that exist, in the order of their names. */
	Map<String, BackendLockRegistry> byName() {
		Map<String, BackendLockRegistry> byName = new LinkedHashMap<>();
		created().forEach((created) -> byName.put(created.name(), created.registry()));
		return byName;
	}

	/** Describe where a store is, for messages. */
	String location(RegisteredBackend registered) {
		String location = BackendBeans.locationName(registered.name());
		return this.beanFactory.containsBean(location)
				? this.beanFactory.getBean(location, LockStoreLocation.class).describe()
				: registered.backend().description().name();
	}

	/**
	 * A backend and its registry.
	 *
	 * @param name name of the backend
	 * @param backend the backend
	 * @param registry its registry
	 */
	record RegisteredBackend(String name, LockBackend backend, BackendLockRegistry registry) {
	}

}
