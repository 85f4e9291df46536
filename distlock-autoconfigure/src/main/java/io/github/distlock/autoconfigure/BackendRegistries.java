package io.github.distlock.autoconfigure;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;

import io.github.distlock.LockKeyPrefix;
import io.github.distlock.LockListener;
import io.github.distlock.LockRegistry;
import io.github.distlock.aop.LockEnvironment.StoreFacts;
import io.github.distlock.autoconfigure.DistlockProperties.Handoff;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.local.LocalLockBackend;
import io.github.distlock.observation.LockObserver;
import io.github.distlock.observation.LockObservers;
import io.github.distlock.registry.BackendLockRegistry;
import io.github.distlock.registry.CompositeLockRegistry;
import io.github.distlock.registry.PrefixedLockRegistry;
import io.github.distlock.registry.RegistrySettings;
import io.github.distlock.transaction.TransactionFence;
import io.github.distlock.transaction.TransactionLockRegistry;
import io.github.distlock.transaction.TransactionLocks;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.env.Environment;

/**
 * Creates the registries of the enabled backends and keeps those that it has created.
 */
final class BackendRegistries {

	static final String BEAN_NAME = "distlockBackendRegistries";

	/** Name of the method that creates a registry. */
	static final String REGISTRY = "registry";

	/** Name of the method that creates a registry over two others. */
	static final String COMPOSITE = "composite";

	private static final Log logger = LogFactory.getLog(BackendRegistries.class);

	private final ConfigurableListableBeanFactory beanFactory;

	private final DistlockProperties properties;

	private final ObjectProvider<LockListener> listeners;

	private final LockObservers observers;

	private final RegistrySettings settings;

	private final @Nullable LockKeyPrefix keyPrefix;

	/** What the properties select now, see {@link BackendSelection#text()}. */
	private final String selected;

	private final UnlockedRegistry unlocked = new UnlockedRegistry((key) -> new ReentrantLock());

	private final Map<String, BackendLockRegistry> created = new ConcurrentSkipListMap<>();

	BackendRegistries(ConfigurableListableBeanFactory beanFactory, DistlockProperties properties,
			ObjectProvider<LockListener> listeners, Environment environment) {
		this.beanFactory = beanFactory;
		this.properties = properties;
		this.listeners = listeners;
		this.observers = new LockObservers(beanFactory.getBeanProvider(LockObserver.class)::getIfAvailable);
		this.settings = properties
			.toRegistrySettings(environment.getProperty("spring.application.name", "application"));
		this.keyPrefix = beanFactory.getBeanProvider(LockKeyPrefix.class).getIfAvailable();
		this.selected = BackendSelection.of(environment).text();
		PropertyChecks.warnOfUnknown(environment, logger);
		if (!properties.enabled()) {
			logger.warn("Locks are switched off (distlock.enabled=false): methods annotated with @DistributedLock run "
					+ "without a lock, and each LockRegistry grants every lock at once. Remove the property to use locks "
					+ "again");
		}
	}

	/**
	 * Create the registry of a backend.
	 * @param id the name of the backend
	 * @param backendBean the name of its bean
	 * @param built what the properties selected when the bean was defined, which
	 * ahead-of-time processing does during the build
	 */
	LockRegistry registry(String id, String backendBean, String built) {
		if (!this.properties.enabled()) {
			return this.unlocked;
		}
		PropertyChecks.check(built.equals(this.selected), "distlock.backend", this.selected,
				"the build ahead of time, which decides the stores, had '" + built + "'",
				"Build it with the properties of the start, or start it with those of the build");
		LockBackend backend = backend(id, backendBean);
		BackendLockRegistry registry = new BackendLockRegistry(backend, this.settings,
				() -> this.listeners.orderedStream().toList(), TimeSource.SYSTEM, this.observers);
		// Start it here and not in the lifecycle: beans may lock while they are
		// initialized.
		registry.start();
		this.created.put(id, registry);
		// Tests decide about the locks of a substitute.
		return (id.equals(TransactionLocks.STORE) && backend instanceof LocalLockBackend) ? new TransactionLockRegistry(
				registry, this.keyPrefix, this.beanFactory.getBean(TransactionFence.class), this.properties.waitTime(),
				registry::notifyListeners, registry::shutdown) : prefixed(registry);
	}

	LockRegistry composite(String first, String second) {
		return this.properties.enabled() ? prefixed(new CompositeLockRegistry(member(first), member(second),
				this.properties.waitTime(), TimeSource.SYSTEM, this.observers)) : this.unlocked;
	}

	private LockRegistry member(String id) {
		LockRegistry member = this.beanFactory.getBean(LockRegistryRegistrar.beanName(id), LockRegistry.class);
		// The composite registry puts the prefix before a key.
		return (member instanceof PrefixedLockRegistry prefixed) ? prefixed.registry() : member;
	}

	private LockRegistry prefixed(LockRegistry registry) {
		return (this.keyPrefix != null) ? new PrefixedLockRegistry(registry, this.keyPrefix) : registry;
	}

	private LockBackend backend(String id, String beanName) {
		BackendSubstitute substitute = this.beanFactory.getBeanProvider(BackendSubstitute.class).getIfAvailable();
		if (substitute != null) {
			return substitute.backend(id, Handoff.TOKENS_PER_GRANT);
		}
		if (!this.beanFactory.containsLocalBean(beanName)) {
			Backend backend = Backend.valueOf(id.toUpperCase(Locale.ROOT));
			throw new StartUpException(
					"The lock backend '" + id + "' is enabled, but " + backend.neededClass()
							+ " is not on the class path, or the auto-configuration of the backend is excluded.",
					"Add the dependency " + backend.dependency()
							+ ". Or set distlock.backend to another backend, define a LockBackend bean of your own, or set "
							+ "distlock.enabled=false to run without locks.");
		}
		return this.beanFactory.getBean(beanName, LockBackend.class);
	}

	/** Return the registries that exist, in the order of their names. */
	Map<String, BackendLockRegistry> byName() {
		return this.created;
	}

	/** Return what a registry, which may be behind a proxy, supports. */
	static StoreFacts facts(LockRegistry registry) {
		List<BackendLockRegistry> members = members(registry).toList();
		String store = (members.size() == 1) ? members.get(0).description().name() : Backend.COMPOSITE.id();
		return members.isEmpty() ? StoreFacts.UNKNOWN : new StoreFacts(store, (request) -> {
			members.forEach((member) -> member.validate(request));
			if (members.size() > 1) {
				CompositeLockRegistry.validate(request);
			}
		});
	}

	/**
	 * Return the registries in which a registry acquires a lock, none for a registry of
	 * the application.
	 */
	static Stream<BackendLockRegistry> members(LockRegistry proxyOrRegistry) {
		Object target = AopProxyUtils.getSingletonTarget(proxyOrRegistry);
		Object registry = (target != null) ? target : proxyOrRegistry;
		if (registry instanceof PrefixedLockRegistry prefixed) {
			return members(prefixed.registry());
		}
		if (registry instanceof TransactionLockRegistry transactions) {
			return members(transactions.registry());
		}
		if (registry instanceof CompositeLockRegistry composite) {
			return composite.members().stream().flatMap(BackendRegistries::members);
		}
		return (registry instanceof BackendLockRegistry backendRegistry) ? Stream.of(backendRegistry) : Stream.empty();
	}

}
